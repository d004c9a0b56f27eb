package vector

import (
	"errors"
	"math"
	"slices"
)

// allocator assigns registers to a straight-line schedule from front to back (linear
// scan). If no register is free, it evicts the value with the furthest next use (Belady
// 1966). Values that are in memory already are loaded again when they are used: operands,
// constants, invariants of the row. Others are spilled to the stack, once each.
//
// A pinned value keeps its register throughout the schedule, so that each iteration of a
// loop finds it there.
//
// The input is a schedule, the pinned values and the stack slots of invariants; the output is an Allocation. It is an error
// if no register is left for an instruction.
type allocator struct {
	Allocation
	g      *Graph
	pinned map[Ref]int
	slots  map[Ref]int // of invariants on the stack
	hints  map[Ref]int // the register of each value that becomes a pinned accumulator

	reg    []Ref
	locked []bool    // registers of the present instruction's sources
	where  []int8    // register of each node, or -1
	spill  []int16   // spill place of each node, or -1
	keeps  []bool    // whether each node is pinned
	uses   [][]int32 // of each node, the instructions that read it, from the next one on
	count  []int32   // the number of uses of each node
	list   []int32   // the memory of uses
	locs   []Loc     // memory for sources of further instructions
	free   []int     // free spill places
	freed  []int     // spill places that are free after the present instruction, which may read them
	now    int32
	err    error
}

// Allocation is a schedule with registers.
type Allocation struct {
	Insts  []Inst
	Spills int     // places on the stack that it uses
	cost   float64 // cost of the instructions that allocation added
}

var errPressure = errors.New("no register is free")

// never is the next use of a value that is not used again.
const never = math.MaxInt32

// emptyReg marks a register without a value.
const emptyReg Ref = -1

// Allocate assigns registers to a schedule. When the schedule begins, pinned values are in their registers, and values with
// slots are on the stack.
func (g *Graph) Allocate(order []Ref, pinned, slots map[Ref]int) (*Allocation, error) {
	a := g.newAllocator(order, pinned, slots)
	for i, r := range order {
		a.now = int32(i)
		a.inst(r)
		a.free = append(a.free, a.freed...)
		a.freed = a.freed[:0]
		if a.err != nil {
			return nil, a.err
		}
	}
	out := a.Allocation
	out.Insts = slices.Clone(out.Insts)
	return &out, nil
}

// newAllocator returns an allocator. It has the memory of the graph's allocator before.
func (g *Graph) newAllocator(order []Ref, pinned, slots map[Ref]int) *allocator {
	a, registers, nodes := &g.allocator, g.m.Registers+g.m.Masks, len(g.nodes)
	*a = allocator{g: g, pinned: pinned, slots: slots, Allocation: Allocation{Insts: a.Insts[:0]}, locs: a.locs,
		reg: filled(a.reg, registers, emptyReg), locked: filled(a.locked, registers, false),
		where: filled(a.where, nodes, -1), spill: filled(a.spill, nodes, -1), keeps: filled(a.keeps, nodes, false),
		uses: filled(a.uses, nodes, nil), count: filled(a.count, nodes, 0), list: a.list, free: a.free[:0], freed: a.freed[:0]}
	for v, r := range pinned {
		a.put(v, r)
		a.keeps[v] = true
	}
	for _, r := range order {
		a.hint(g.At(r))
	}
	a.listUses(order)
	a.checkCarries(order)
	return a
}

// filled returns n times a value, in the memory of list if that is enough.
func filled[T any](list []T, n int, value T) []T {
	list = slices.Grow(list[:0], n)[:n]
	for i := range list {
		list[i] = value
	}
	return list
}

// listUses lists the uses of each node. The lists are parts of one.
func (a *allocator) listUses(order []Ref) {
	all := 0
	for _, r := range order {
		for _, s := range a.g.args(r) {
			a.count[s]++
			all++
		}
	}
	list := filled(a.list, all, 0)
	a.list = list
	for v, n := range a.count {
		a.uses[v], list = list[:0:n], list[n:]
	}
	for i, r := range order {
		for _, s := range a.g.args(r) {
			a.uses[s] = append(a.uses[s], int32(i))
		}
	}
}

// next returns the first use of v after the present instruction.
func (a *allocator) next(v Ref) int32 {
	u := a.uses[v]
	for len(u) > 0 && u[0] <= a.now {
		u = u[1:]
	}
	a.uses[v] = u
	if len(u) == 0 {
		return never
	}
	return u[0]
}

// dead reports whether v has no use after the present instruction.
func (a *allocator) dead(v Ref) bool { return a.next(v) == never }

func (a *allocator) isPinned(v Ref) bool { return a.keeps[v] }

// home returns the place of v in memory. An invariant is in its slot even if it is the result of a scalar loop, because
// another loop may have overwritten the scratch vector.
func (a *allocator) home(v Ref) (Loc, bool) {
	n := a.g.At(v)
	if s, ok := a.slots[v]; ok {
		return Loc{Space: InSlot, Index: s}, true
	}
	if a.spill[v] >= 0 {
		return Loc{Space: InSpill, Index: int(a.spill[v])}, true
	}
	switch n.Kind {
	case KindConst:
		return Loc{Space: InConst, Bits: n.Bits, Index: n.Slot}, true
	case KindLoad:
		return Loc{Space: InOperand, Place: n.Place}, true
	case KindScratch:
		return Loc{Space: InScratch, Index: n.Slot}, true
	case KindAcc:
		return Loc{Space: InAcc, Index: n.Slot}, true
	}
	return Loc{}, false
}

func (a *allocator) emit(i Inst) { a.Insts = append(a.Insts, i) }

// someLocs is how many sources memory is reserved for at a time.
const someLocs = 64

// newLocs returns n sources, all in register 0.
func (a *allocator) newLocs(n int) []Loc {
	if len(a.locs) < n {
		a.locs = make([]Loc, max(n, someLocs))
	}
	out := a.locs[:n:n]
	a.locs = a.locs[n:]
	return out
}

// source returns a list of one source.
func (a *allocator) source(l Loc) []Loc {
	out := a.newLocs(1)
	out[0] = l
	return out
}

// save emits a store of register r to the stack.
func (a *allocator) save(r int, to Loc) {
	a.emit(Inst{Op: OpSave, Dst: -1, Src: a.source(Loc{Index: r}), To: to})
}

// move emits a copy between registers.
func (a *allocator) move(from, to int) {
	a.cost += costMove
	a.emit(Inst{Op: OpMove, Dst: to, Src: a.source(Loc{Index: from})})
}

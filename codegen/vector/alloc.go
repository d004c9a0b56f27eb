package vector

import (
	"errors"
	"math"
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
	locked []bool  // registers of the present instruction's sources
	where  []int8  // register of each node, or -1
	spill  []int16 // spill place of each node, or -1
	uses   [][]int32
	free   []int // free spill places
	freed  []int // spill places that are free after the present instruction, which may read them
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
	a := newAllocator(g, order, pinned, slots)
	for i, r := range order {
		a.now = int32(i)
		a.inst(r)
		a.free = append(a.free, a.freed...)
		a.freed = a.freed[:0]
		if a.err != nil {
			return nil, a.err
		}
	}
	return &a.Allocation, nil
}

func newAllocator(g *Graph, order []Ref, pinned, slots map[Ref]int) *allocator {
	a := &allocator{g: g, pinned: pinned, slots: slots, hints: map[Ref]int{},
		reg: make([]Ref, g.m.Registers+g.m.Masks), locked: make([]bool, g.m.Registers+g.m.Masks),
		where: make([]int8, len(g.nodes)), spill: make([]int16, len(g.nodes)), uses: make([][]int32, len(g.nodes))}
	a.Insts = make([]Inst, 0, 2*len(order))
	for i := range a.where {
		a.where[i], a.spill[i] = -1, -1
	}
	for r := range a.reg {
		a.reg[r] = emptyReg
	}
	for v, r := range pinned {
		a.put(v, r)
	}
	for i, r := range order {
		a.hint(g.At(r))
		for _, s := range g.args(r) {
			a.uses[s] = append(a.uses[s], int32(i))
		}
	}
	a.checkCarries(order)
	return a
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

func (a *allocator) isPinned(v Ref) bool { _, ok := a.pinned[v]; return ok }

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

// save emits a store of register r to the stack.
func (a *allocator) save(r int, to Loc) {
	a.emit(Inst{Op: OpSave, Dst: -1, Src: []Loc{{Index: r}}, To: to})
}

// move emits a copy between registers.
func (a *allocator) move(from, to int) {
	a.cost += costMove
	a.emit(Inst{Op: OpMove, Dst: to, Src: []Loc{{Index: from}}})
}

package avo

import (
	"errors"
	"math"
)

// allocator assigns registers to a straight-line schedule, front to back. The
// value whose next use is furthest away gives up its register (Belady 1966).
// Values that memory holds anyway are read again from there: operands,
// constants, invariants of the row. Others are saved to the stack once.
//
// Pinned values keep their registers throughout, so that a loop finds at its
// end what it had at its beginning.
type allocator struct {
	g      *graph
	pinned map[ref]int
	slots  map[ref]int // invariants on the stack
	lands  map[ref]int // the registers of values that become pinned accumulators

	reg    [vectorRegisters]ref
	locked [vectorRegisters]bool
	where  []int8  // register of each node, or -1
	spill  []int16 // where each node has been saved, or -1
	uses   [][]int32
	free   []int // spill places to use again
	freed  []int // the same after the present instruction, which may read them
	spills int
	now    int32
	out    []machineInst
	cost   float64
	err    error
}

var errPressure = errors.New("no register is free")

// far is the next use of a value that is not used again.
const far = math.MaxInt32

// emptyReg marks a register without a value.
const emptyReg ref = -1

func (g *graph) allocate(order []ref, pinned, slots map[ref]int) (*allocator, error) {
	a := &allocator{g: g, pinned: pinned, slots: slots, lands: map[ref]int{},
		where: make([]int8, len(g.nodes)), spill: make([]int16, len(g.nodes)), uses: make([][]int32, len(g.nodes)),
		out: make([]machineInst, 0, 2*len(order))}
	for i := range a.where {
		a.where[i], a.spill[i] = -1, -1
	}
	for r := range a.reg {
		a.reg[r] = emptyReg
	}
	for v, r := range pinned {
		a.reg[r], a.where[v] = v, int8(r)
	}
	for i, r := range order {
		a.aim(g.at(r))
		for _, s := range g.args(r) {
			a.uses[s] = append(a.uses[s], int32(i))
		}
	}
	a.checkCarries(order)
	for i, r := range order {
		a.now = int32(i)
		a.inst(r)
		a.free = append(a.free, a.freed...)
		a.freed = a.freed[:0]
		if a.err != nil {
			return nil, a.err
		}
	}
	return a, nil
}

// next returns the first use of v after the present instruction.
func (a *allocator) next(v ref) int32 {
	u := a.uses[v]
	for len(u) > 0 && u[0] <= a.now {
		u = u[1:]
	}
	a.uses[v] = u
	if len(u) == 0 {
		return far
	}
	return u[0]
}

func (a *allocator) isPinned(v ref) bool { _, ok := a.pinned[v]; return ok }

// home returns where memory holds v. An invariant has its slot even if it is
// the result of a scalar loop: another loop may have its scratch place by now.
func (a *allocator) home(v ref) (loc, bool) {
	n := a.g.at(v)
	if s, ok := a.slots[v]; ok {
		return loc{space: inSlot, index: s}, true
	}
	switch {
	case a.spill[v] >= 0:
		return loc{space: inSpill, index: int(a.spill[v])}, true
	case n.kind == kConst:
		return loc{space: inConst, bits: n.bits}, true
	case n.kind == kLoad:
		return loc{space: inOperand, place: n.place}, true
	case n.kind == kScratch:
		return loc{space: inScratch, index: n.slot}, true
	case n.kind == kAcc:
		return loc{space: inAcc, index: n.slot}, true
	}
	return loc{}, false
}

func (a *allocator) emit(i machineInst) { a.out = append(a.out, i) }

// take returns an empty register, emptying one if it has to.
func (a *allocator) take() int {
	best, score := -1, -1.0
	for r, v := range a.reg {
		if v == emptyReg {
			return r
		}
		if a.locked[r] || a.isPinned(v) {
			continue
		}
		s := float64(a.next(v) - a.now)
		if _, clean := a.home(v); clean {
			s *= 3 // no save
		}
		if s > score {
			best, score = r, s
		}
	}
	if best < 0 {
		a.err = errPressure
		return 0
	}
	a.evict(best)
	return best
}

// evict empties a register, saving its value if nothing else holds it.
func (a *allocator) evict(r int) {
	v := a.reg[r]
	if _, ok := a.home(v); !ok && a.next(v) != far {
		a.spill[v] = int16(a.place())
		a.cost += costSave
		to, _ := a.home(v)
		a.emit(machineInst{op: opSave, name: opSave.name, dst: -1, src: []loc{{index: r}}, to: to})
	}
	a.reg[r], a.where[v] = emptyReg, -1
}

func (a *allocator) place() int {
	if n := len(a.free); n > 0 {
		p := a.free[n-1]
		a.free = a.free[:n-1]
		return p
	}
	a.spills++
	return a.spills - 1
}

// release gives up the register and the spill place of a value that has no
// further use.
func (a *allocator) release(v ref) {
	if v == none || a.isPinned(v) || a.next(v) != far {
		return
	}
	if r := a.where[v]; r >= 0 {
		a.reg[r], a.where[v] = emptyReg, -1
	}
	if a.spill[v] >= 0 {
		a.freed = append(a.freed, int(a.spill[v]))
		a.spill[v] = -1
	}
}

// put makes r hold v.
func (a *allocator) put(v ref, r int) { a.reg[r], a.where[v] = v, int8(r) }

// ensure returns the register of v, loading it if need be.
func (a *allocator) ensure(v ref) int {
	if r := a.where[v]; r >= 0 {
		a.locked[r] = true
		return int(r)
	}
	r := a.take()
	a.load(v, r)
	a.put(v, r)
	a.locked[r] = true
	return r
}

// load copies v from memory to a register.
func (a *allocator) load(v ref, r int) {
	from, ok := a.home(v)
	if !ok {
		panic("BUG: codegen/avo: a value that is nowhere")
	}
	if from.space != inOperand {
		a.cost += costLoad
	}
	a.emit(machineInst{op: opLoad, name: opLoad.name, dst: r, src: []loc{from}})
}

// foldable reports whether v is best read as a memory operand: not in a
// register, and not worth one until its next use.
func (a *allocator) foldable(v ref) bool {
	if a.where[v] >= 0 {
		return false
	}
	next := a.next(v)
	if n := a.g.at(v); n.kind == kLoad && n.place.bytes < 32 || next == far {
		return true
	}
	if a.g.at(v).kind != kLoad && a.soon(v) <= foldedUses {
		return true
	}
	for r, w := range a.reg {
		if w == emptyReg {
			return false
		}
		if _, clean := a.home(w); clean && !a.locked[r] && !a.isPinned(w) && a.next(w) > next {
			return false
		}
	}
	return true
}

// soon counts the uses of v from the present instruction on, within reuseWindow.
func (a *allocator) soon(v ref) int {
	n := 1
	for _, u := range a.uses[v] {
		if u > a.now && u <= a.now+reuseWindow {
			n++
		}
	}
	return n
}

// A constant is loaded into a register if more than foldedUses instructions of
// the next reuseWindow read it. Fewer take it from memory each: a load within
// an instruction takes no time where arithmetic is what a body waits for.
const (
	reuseWindow = 24
	foldedUses  = 2
)

// fold returns v as a memory operand.
func (a *allocator) fold(v ref) loc {
	from, _ := a.home(v)
	if from.space != inOperand {
		a.cost += costFold
	}
	return from
}

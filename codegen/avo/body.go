package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// body is a kernel with everything decided but general registers and labels:
// the main loop's instructions, the tail's, and what precedes them in each row.
type body struct {
	k       *ir.Kernel
	g       *graph
	unroll  int // vectors of 8 elements in a step of the main loop
	head    []machineInst
	main    []machineInst
	tail    []machineInst
	pinned  []pin // invariants that stay in registers
	onStack []ref // invariants on the stack, by slot
	slots   int   // those, and pinned ones that the head computes
	spills  int
	scratch int
}

// pin is an invariant in a register.
type pin struct {
	v    ref
	reg  int
	slot int // where the head left it, or -1: read its operand or constant
}

// maxPinned leaves four registers for the values of one instruction.
const maxPinned = vectorRegisters - 4

// unrollFrom is how many arithmetic instructions make two vectors at a time
// worth their code. Bodies with fewer wait for memory.
const unrollFrom = 4

// compile lowers, schedules and allocates an expanded kernel.
func compile(k *ir.Kernel) (*body, error) {
	g := newGraph()
	tail := g.schedule(g.lower(k, 0, true), g.isInvariant, apart)
	var b *body
	var best float64
	for _, c := range g.candidates(k) {
		next, cost, err := g.fit(c.order, tail)
		if err != nil {
			return nil, err
		}
		if cost = (cost - c.gain) / float64(c.unroll); b == nil || cost < best {
			b, best = next, cost
			b.k, b.unroll = k, c.unroll
		}
	}
	return b, g.addHead(b)
}

// candidate is one way to order the main loop.
type candidate struct {
	order  []ref
	unroll int
	gain   float64 // what the way is worth, in the allocator's cost
}

// What it is worth to work on two vectors at a time, whose instructions wait
// less for each other: measured on chains of float32 and on exp and tanh.
const (
	unrollGain = 1.5
	twinGain   = 0.1 // for each instruction
)

// candidates lists the orders that are tried. Those that work on two vectors at
// a time need more registers.
func (g *graph) candidates(k *ir.Kernel) []candidate {
	stores := g.lower(k, 0, false)
	first := g.schedule(stores, g.isInvariant, apart)
	if len(g.twin) > 0 {
		twins := g.schedule(stores, g.isInvariant, together)
		return []candidate{{twins, 1, twinGain * float64(len(twins))}, {first, 1, 0}}
	}
	if !g.unrolls(first) {
		return []candidate{{first, 1, 0}}
	}
	second := g.schedule(g.lower(k, 1, false), g.isInvariant, apart)
	return []candidate{
		{interleave(first, second), 2, 2 * unrollGain},
		{slices.Concat(first, second), 2, 2 * unrollGain},
		{first, 1, 0},
	}
}

// unrolls reports whether a body has work enough for two vectors.
func (g *graph) unrolls(order []ref) bool {
	work := 0
	for _, r := range order {
		if n := g.at(r); n.op.form == formPlain || n.op.form == formFMA {
			work++
		}
	}
	return work >= unrollFrom
}

// fit chooses how many invariants to pin: most first, and fewer as long as that
// makes room that is worth more.
func (g *graph) fit(order, tail []ref) (*body, float64, error) {
	ranked := g.rank(order, tail)
	var best *body
	var bestCost float64
	var err error
	for n := min(len(ranked), maxPinned); n >= 0; n-- {
		b := &body{g: g, scratch: g.scratch}
		pinned := map[ref]int{}
		for i, v := range ranked[:n] {
			pinned[v] = vectorRegisters - 1 - i
			b.pinned = append(b.pinned, pin{v, vectorRegisters - 1 - i, -1})
		}
		slots := map[ref]int{}
		for _, v := range ranked[n:] {
			if g.at(v).kind != kConst {
				slots[v] = len(slots)
				b.onStack = append(b.onStack, v)
			}
		}
		main, e := g.allocate(order, pinned, slots)
		if e != nil {
			err = e
			continue
		}
		if best != nil && main.cost >= bestCost {
			continue
		}
		last, e := g.allocate(tail, pinned, slots)
		if e != nil {
			err = e
			continue
		}
		b.main, b.tail, b.spills = main.out, last.out, max(main.spills, last.spills)
		if best, bestCost = b, main.cost; bestCost == 0 {
			break
		}
	}
	if best == nil {
		return nil, 0, err
	}
	return best, bestCost, nil
}

// rank lists the invariants that the loops use, the most used first.
func (g *graph) rank(orders ...[]ref) []ref {
	count := map[ref]int{}
	var list []ref
	for _, order := range orders {
		for _, r := range order {
			for _, s := range g.at(r).arg {
				if s == none || !g.invariant[s] {
					continue
				}
				if count[s] == 0 {
					list = append(list, s)
				}
				count[s]++
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ref) int { return count[b] - count[a] })
	return list
}

// addHead schedules what a row computes before its columns: the invariants
// that are neither constants nor plain splats in registers of their own.
func (g *graph) addHead(b *body) error {
	constants := map[ref]int{}
	slots := 0
	var roots []ref
	keep := func(v ref) int {
		n := node{kind: kOp, op: opcodeOf("KEEP"), slot: slots, arg: args4([]ref{v})}
		roots = append(roots, g.add(n))
		slots++
		return n.slot
	}
	for _, v := range b.onStack { // in the order of their slots
		keep(v)
	}
	for i := range b.pinned {
		switch p := &b.pinned[i]; g.at(p.v).kind {
		case kConst:
			constants[p.v] = p.reg
		case kSplat:
		default:
			p.slot = keep(p.v)
		}
	}
	order := g.schedule(roots, func(r ref) bool { return g.at(r).kind == kConst }, apart)
	head, err := g.allocate(order, constants, nil)
	if err != nil {
		return err
	}
	b.head, b.slots, b.spills = head.out, slots, max(b.spills, head.spills)
	return nil
}

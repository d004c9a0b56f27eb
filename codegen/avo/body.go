package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// body is a kernel with everything decided but general registers and labels:
// the main loop's instructions, the tail's, and what precedes them in each row.
type body struct {
	k       *kernel.Kernel
	g       *graph
	unroll  int // vectors of 8 elements in a step of the main loop
	head    []machineInst
	main    []machineInst
	tail    []machineInst
	rest    [][]machineInst // what folds have after the loop, as graph.rest lists it
	pair    *rowPair        // the row that is folded beside, or nil
	accs    []pin           // accumulators in registers
	pinned  []pin           // invariants that stay in registers
	onStack []ref           // invariants on the stack, by slot
	slots   int             // those, and pinned ones that the head computes
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

// How many arithmetic instructions make two steps at a time worth their code.
// Bodies with fewer wait for memory, or, of two vectors a step, not so long for
// each other that the machine runs out of others. A body from spreadFrom on is too
// long for the machine to see the next step in time.
const (
	unrollFrom      = 4
	unrollTwinsFrom = 40
	spreadFrom      = 36
)

// compile lowers, schedules and allocates an expanded kernel.
func compile(k *kernel.Kernel) (*body, error) {
	g := newGraph()
	g.outline, g.turns = newOutline(k), turnsOf(k)
	tail := g.schedule(g.lower(k, 0, true), g.isInvariant, apart)
	var b *body
	var best float64
	for _, c := range g.candidates(k) {
		next, err := g.fit(c, tail, g.rest(k, c.unroll), g.accumulators(k))
		if c.pair && err != nil {
			continue // there is no room for it
		}
		if err != nil {
			return nil, err
		}
		if time := c.share * next.time() / float64(c.unroll); b == nil || time < best {
			b, best = next, time
			b.k, b.unroll = k, c.unroll
		}
	}
	if err := g.addBlocks(b); err != nil {
		return nil, err
	}
	return b, g.addHead(b)
}

// time is what the main loop takes, in instructions, for one row. A save counts
// twice: its value will come late.
func (b *body) time() float64 {
	n := len(b.main) + loopEnd
	for _, i := range b.main {
		if i.op == opSave {
			n++
		}
	}
	if b.pair != nil {
		return float64(n) - loopEnd/2.0
	}
	return float64(n)
}

// candidate is one way to order the main loop.
type candidate struct {
	order  []ref
	unroll int
	share  float64 // of the time that its instructions would take one after the other
	pair   bool    // two rows at a time
}

// What instructions take of that time that work on two or four vectors side by
// side and so wait less for each other. Measured on exp, log, sin, tan, atan,
// asin and tanh of both types, on Zen 3.
const (
	byTwo  = 0.87
	byFour = 0.79
	// bySpread is that of three copies that are spread: formulas of several
	// functions took 0.75 to 0.9 of what two copies do, one of four divisions 1.1.
	bySpread = 0.65
	// loopEnd is the loop's own instructions.
	loopEnd = 3
)

// candidates lists the orders that are tried. Those that work on more vectors
// at a time need more registers.
func (g *graph) candidates(k *kernel.Kernel) []candidate {
	stores := g.lower(k, 0, false)
	first := g.schedule(stores, g.isInvariant, apart)
	if short := g.unrollFold(k, first); short != nil {
		return short
	}
	list := []candidate{{order: first, unroll: 1, share: 1}}
	side, share, from := apart, byTwo, unrollFrom
	if len(g.twin) > 0 {
		side, share, from = together, byFour, unrollTwinsFrom
		first = g.schedule(stores, g.isInvariant, together)
		list = append(list, candidate{order: first, unroll: 1, share: byTwo})
	}
	work := g.work(first)
	if work >= from && g.turns > 1 { // else there are accumulators for one
		second := g.schedule(g.lower(k, 1, false), g.isInvariant, side)
		list = append(list, candidate{order: interleave(first, second), unroll: 2, share: share})
		if work >= spreadFrom && len(g.twin) == 0 && k.Fold == nil {
			third := g.schedule(g.lower(k, 2, false), g.isInvariant, apart)
			list = append(list, candidate{order: g.spread(first, second, third), unroll: 3, share: bySpread})
		}
	}
	return list
}

// work counts arithmetic instructions. A body with scalar loops, which take much
// longer and leave their results at one place, has none.
func (g *graph) work(order []ref) int {
	work := 0
	for _, r := range order {
		switch g.at(r).op.form {
		case formPlain, formFMA:
			work++
		case formDivRem:
			return 0
		}
	}
	return work
}

// fit chooses how many accumulators and invariants to pin: most first, and fewer
// as long as that makes room that is worth more.
func (g *graph) fit(c candidate, tail []ref, rest [][]ref, accs []ref) (*body, error) {
	ranked, used := g.rank(c.order, tail)
	near := len(accs)
	if c.pair {
		accs = append(accs, g.besideThese(accs)...)
	}
	ranked, used = append(accs, ranked...), used+len(accs)
	var best *body
	var bestCost float64
	var err error
	for n := min(used, maxPinned); n >= 0; n-- {
		if n < len(accs) && (c.pair || n%g.turns != 0) {
			continue // those of one vector stay together, and those of a pair
		}
		b := &body{g: g, scratch: g.scratch}
		pinned := map[ref]int{}
		for i, v := range ranked[:n] {
			pinned[v] = vectorRegisters - 1 - i
			switch p := (pin{v, vectorRegisters - 1 - i, -1}); {
			case i < near:
				b.accs = append(b.accs, p)
			case i >= len(accs):
				b.pinned = append(b.pinned, p)
			}
		}
		slots := map[ref]int{}
		for _, v := range ranked[n:] {
			if kind := g.at(v).kind; kind != kConst && kind != kAcc {
				slots[v] = len(slots)
				b.onStack = append(b.onStack, v)
			}
		}
		main, e := g.allocate(c.order, pinned, slots)
		if e != nil {
			err = e
			continue
		}
		if best != nil && main.cost >= bestCost {
			continue
		}
		b.main, b.spills = main.out, main.spills
		if c.pair {
			if e = g.newPair(b, c.order, accs, pinned, slots); e != nil {
				err = e
				continue
			}
		}
		if e := g.allocateRest(b, tail, rest, pinned, slots); e != nil {
			err = e
			continue
		}
		if best, bestCost = b, main.cost; bestCost == 0 {
			break
		}
	}
	if best == nil {
		return nil, err
	}
	return best, nil
}

// allocateRest allocates what follows the main loop.
func (g *graph) allocateRest(b *body, tail []ref, rest [][]ref, pinned, slots map[ref]int) error {
	for i, order := range append([][]ref{tail}, rest...) {
		a, err := g.allocate(order, pinned, slots)
		if err != nil {
			return err
		}
		b.spills = max(b.spills, a.spills)
		if i == 0 {
			b.tail = a.out
		} else {
			b.rest = append(b.rest, a.out)
		}
	}
	return nil
}

// rank lists the invariants that the loops use, the most used first, and counts
// those that more than stubs use.
func (g *graph) rank(orders ...[]ref) ([]ref, int) {
	count := map[ref]int{}
	var list []ref
	for _, order := range orders {
		for _, r := range order {
			n := g.at(r)
			for i, s := range g.args(r) {
				if !g.invariant[s] {
					continue
				}
				if _, ok := count[s]; !ok {
					list, count[s] = append(list, s), 0 // which is all that a source of stubs alone gets
				}
				if !g.isDetour(r) || i < len(g.stubs[n.slot].z)+len(g.stubs[n.slot].test) {
					count[s]++
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b ref) int { return count[b] - count[a] })
	used := slices.IndexFunc(list, func(v ref) bool { return count[v] == 0 })
	if used < 0 {
		used = len(list)
	}
	return list, used
}

// addBlocks compiles the detours.
func (g *graph) addBlocks(b *body) error {
	free := g.scratch / 4 // the loops use scratch vectors at the same time
	done := map[*block]bool{}
	for _, e := range b.exits() {
		if !done[e.block] {
			done[e.block] = true
			g.divs = free
			if err := e.block.compile(g, b.k); err != nil {
				return err
			}
		}
	}
	b.scratch = g.scratch
	return nil
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

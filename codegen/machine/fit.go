package machine

import (
	"errors"
	"maps"
	"slices"
)

// Second is the second of two streams: a second row that is reduced beside the first. A
// CPU prefetches a bounded distance ahead in each sequence of addresses, so a reduction
// that waits for memory has more cache lines in flight if it reads two sequences. An
// iteration of the main loop has a step of each row. The steps differ in their
// accumulators only.
type Second struct {
	Main []Inst
	Accs []int // registers, in the order of Body.Accs
}

// fit chooses how many accumulators and invariants to pin. It tries all numbers from the
// largest down, and keeps the one whose main loop has the least cost of instructions that
// the allocator adds.
func (g *Graph) fit(c candidate, tail []Ref, rest [][]Ref, accs []Ref) (*Body, error) {
	ranked, used := g.rank(c.order, tail)
	near := len(accs)
	if c.twoStreams {
		for i := range near {
			accs = append(accs, g.Acc(near+i)) // of the second row
		}
	}
	ranked, used = append(accs, ranked...), used+len(accs)
	var best *Body
	var bestCost float64
	var err error
	for n := min(used, g.m.maxPinned()); n >= 0; n-- {
		if n < len(accs) && (c.twoStreams || n%g.Phases != 0) {
			continue // the phases of one vector stay together, and so do two streams
		}
		b := &Body{Graph: g, Scratch: g.scratch}
		pinned, slots := b.place(ranked, n, near, len(accs))
		main, e := g.Allocate(c.order, pinned, slots)
		if e != nil {
			err = e
			continue
		}
		if best != nil && main.cost >= bestCost {
			continue
		}
		b.Main, b.Spills = main.Insts, main.Spills
		if c.twoStreams {
			e = g.addSecond(b, c.order, accs, pinned, slots)
		}
		if e == nil {
			e = g.addRest(b, tail, rest, pinned, slots)
		}
		if e != nil {
			err = e
			continue
		}
		if best, bestCost = b, main.cost; bestCost == 0 {
			break
		}
	}
	switch {
	case best != nil:
		return best, nil
	case err == nil:
		err = errors.New("two streams have more accumulators than registers")
	}
	return nil, err
}

// place pins the first n of the ranked values to registers, from the last register on
// backwards, and gives slots of the stack to the other invariants except constants. The
// first accs ranked values are accumulators, of which near belong to the first row.
func (b *Body) place(ranked []Ref, n, near, accs int) (pinned, slots map[Ref]int) {
	g := b.Graph
	pinned, slots = map[Ref]int{}, map[Ref]int{}
	for i, v := range ranked[:n] {
		p := Pin{v, g.m.Registers - 1 - i, -1}
		pinned[v] = p.Reg
		switch {
		case i < near:
			b.Accs = append(b.Accs, p)
		case i >= accs:
			b.Pinned = append(b.Pinned, p)
		}
	}
	for _, v := range ranked[n:] {
		if kind := g.At(v).Kind; kind != KindConst && kind != KindAcc {
			slots[v] = len(slots)
			b.onStack = append(b.onStack, v)
		}
	}
	return pinned, slots
}

// addSecond allocates the main loop for the second row, with the accumulators of the
// two rows exchanged. accs are those of both.
func (g *Graph) addSecond(b *Body, order, accs []Ref, pinned, slots map[Ref]int) error {
	s, near := &Second{}, len(accs)/2
	other := maps.Clone(pinned)
	for i, acc := range accs[:near] {
		second := accs[near+i]
		other[acc], other[second] = pinned[second], pinned[acc]
		s.Accs = append(s.Accs, other[acc])
	}
	a, err := g.Allocate(order, other, slots)
	if err != nil {
		return err
	}
	s.Main = a.Insts
	b.Second, b.Spills = s, max(b.Spills, a.Spills)
	return nil
}

// addRest allocates what follows the main loop.
func (g *Graph) addRest(b *Body, tail []Ref, rest [][]Ref, pinned, slots map[Ref]int) error {
	for i, order := range append([][]Ref{tail}, rest...) {
		a, err := g.Allocate(order, pinned, slots)
		if err != nil {
			return err
		}
		b.Spills = max(b.Spills, a.Spills)
		if i == 0 {
			b.Tail = a.Insts
		} else {
			b.Rest = append(b.Rest, a.Insts)
		}
	}
	return nil
}

// rank lists the invariants that the loops use, the most used first. It also returns how
// many of them may be pinned: vectors with a use besides that as the input of a cold block.
func (g *Graph) rank(orders ...[]Ref) ([]Ref, int) {
	count := map[Ref]int{}
	var list []Ref
	for _, order := range orders {
		for _, r := range order {
			n := g.At(r)
			for i, s := range g.args(r) {
				if !g.invariant[s] {
					continue
				}
				if _, ok := count[s]; !ok {
					list, count[s] = append(list, s), 0
				}
				if g.At(s).Class == ClassVector && (!g.isCold(r) || i < len(g.entries[n.Slot].Z)+len(g.entries[n.Slot].Test)) {
					count[s]++
				}
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Ref) int { return count[b] - count[a] })
	used := slices.IndexFunc(list, func(v Ref) bool { return count[v] == 0 })
	if used < 0 {
		used = len(list)
	}
	return list, used
}

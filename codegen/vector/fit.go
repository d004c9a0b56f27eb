package vector

import (
	"slices"
)

// fit chooses the number of accumulators and invariants to pin. It tries all numbers from the largest down, and keeps the one
// for which allocation adds the least cost to the main loop.
func (g *Graph) fit(c candidate, tail []Ref, rest [][]Ref, accs []Ref) (*Body, error) {
	ranked, used := g.rank(c.order, tail)
	ranked, used = append(accs, ranked...), used+len(accs)
	var best *Body
	var bestCost float64
	var err error
	for n := min(used, g.m.maxPinned()); n >= 0; n-- {
		if n < len(accs) && n%g.Phases != 0 {
			continue // the phases of one vector stay together
		}
		b := &Body{Graph: g, Scratch: g.scratch}
		pinned, slots := b.place(ranked, n, len(accs))
		main, e := g.Allocate(c.order, pinned, slots)
		if e != nil {
			err = e
			continue
		}
		if best != nil && main.cost >= bestCost {
			continue
		}
		b.Main, b.Spills = main.Insts, main.Spills
		if err = g.addRest(b, tail, rest, pinned, slots); err != nil {
			continue
		}
		if best, bestCost = b, main.cost; bestCost == 0 {
			break
		}
	}
	if best != nil {
		return best, nil
	}
	return nil, err
}

// place pins the first n of the ranked values to registers, from the last register on
// backwards, and gives slots of the stack to the other invariants except constants. The
// first accs ranked values are accumulators.
func (b *Body) place(ranked []Ref, n, accs int) (pinned, slots map[Ref]int) {
	g := b.Graph
	pinned, slots = map[Ref]int{}, map[Ref]int{}
	for i, v := range ranked[:n] {
		p := Pin{v, g.m.Registers - 1 - i, -1}
		pinned[v] = p.Reg
		if i < accs {
			b.Accs = append(b.Accs, p)
		} else {
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

// addRest allocates the code behind the main loop.
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

// rank lists the invariants that the loops use, the most used first, and returns the number of them that may be pinned:
// vectors with another use than as the input of a cold block.
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

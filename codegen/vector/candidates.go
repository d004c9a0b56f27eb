package vector

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// candidate is one order of the main loop.
type candidate struct {
	order  []Ref
	unroll int
	share  float64 // time of an iteration, divided by that of its instructions in sequence
}

// candidates lists the orders that Compile compares. An order that works on more vectors
// at a time hides latencies better and needs more registers. A body with little work waits
// for memory in any order, so it has one candidate.
func (g *Graph) candidates() []candidate {
	stores := g.lower(0, false)
	first := g.scheduleLoop(stores, apart)
	if list := g.perPhase(first); list != nil {
		return list
	}
	t := g.m.Tuning
	list := []candidate{{order: first, unroll: 1, share: 1}}
	parts, share, from := apart, t.ByTwo, t.Unroll
	if len(g.secondPart) > 0 {
		parts, share, from = together, t.ByFour, t.UnrollWide
		first = g.scheduleLoop(stores, together)
		list = append(list, candidate{order: first, unroll: 1, share: t.ByTwo})
	}
	work := g.work(first)
	if (work >= from || g.alternates()) && (g.combine == nil || g.Phases > 1) { // with one phase there are accumulators for one step
		second := g.scheduleLoop(g.lower(1, false), parts)
		list = append(list, candidate{order: interleave(first, second), unroll: 2, share: share})
		if work >= t.ListOrder && len(g.secondPart) == 0 && g.combine == nil {
			third := g.scheduleLoop(g.lower(2, false), apart)
			list = append(list, candidate{order: g.listSchedule(first, second, third), unroll: 3, share: t.ByList})
		}
	}
	return list
}

// alternates reports whether the stores of several outputs alternate, vector by vector, within cache lines. With two vectors at a
// time a line is stored at once. Emerald Rapids, sums and differences of 256 KiB: 0.6 of the time.
func (g *Graph) alternates() bool {
	return g.combine == nil && len(g.Kernel.Out) > 1 && 2*g.m.Width <= kernel.CacheLine && len(g.secondPart) == 0
}

// work returns the number of arithmetic instructions. It is 0 for a body with a scalar loop: the loop takes much longer than the
// rest, and has one place for its results, so copies of the body can't be interleaved.
func (g *Graph) work(order []Ref) int {
	work := 0
	for _, r := range order {
		switch g.At(r).Op.Form {
		case FormPlain, FormFMA, FormOver:
			work++
		case FormScalarLoop:
			return 0
		}
	}
	return work
}

// perPhase returns the orders of a body with reductions that is unrolled by phases,
// or nothing if it is too long for that.
func (g *Graph) perPhase(first []Ref) []candidate {
	if g.combine == nil || len(first) > g.m.UnrollReduced || g.scratch > 0 || len(g.outline.blocks) > 0 {
		return nil
	}
	copies := [][]Ref{first}
	for c := 1; c < g.Phases; c++ {
		copies = append(copies, g.scheduleLoop(g.lower(c, false), apart))
	}
	var byTwos []Ref
	for c := 0; c+1 < g.Phases; c += 2 {
		byTwos = append(byTwos, interleave(copies[c], copies[c+1])...)
	}
	if g.Phases == 1 { // the two vectors of 8-byte elements side by side
		byTwos = g.scheduleLoop(g.lower(0, false), together)
	}
	var list []candidate
	for _, order := range [][]Ref{byTwos, unique(slices.Concat(copies...))} {
		list = append(list, candidate{order: order, unroll: g.Phases, share: 1})
	}
	return list
}

// rest returns the code of a kernel with reductions behind the main loop, except one masked step. A kernel that is unrolled by
// phases has a whole step for each phase but the last, and a masked step for each but the first. Every kernel has at the end
// the code that stores the results of the row.
func (g *Graph) rest(unroll int) [][]Ref {
	if g.combine == nil {
		return nil
	}
	var out [][]Ref
	add := func(roots []Ref) { out = append(out, g.scheduleLoop(roots, apart)) }
	if unroll == g.Phases {
		for phase := range g.Phases - 1 {
			add(g.lower(phase, false))
		}
		for phase := 1; phase < g.Phases; phase++ {
			add(g.lower(phase, true))
		}
	}
	add(g.storeReduced())
	return out
}

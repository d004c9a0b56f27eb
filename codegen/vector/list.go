package vector

import "slices"

// listScheduler orders long bodies (list scheduling). A CPU looks for independent instructions among the next hundred or so, so
// the dependence chains of a body and of its copies are interleaved. Of the instructions whose operands are ready, the next one is
// that with the longest path to the end, as long as there are registers for the unused results.
//
// The input is a schedule of each copy; the output is one order of all their instructions.
type listScheduler struct {
	g     *Graph
	reads map[Ref][]Ref // the instructions whose results one reads
	users map[Ref][]Ref // the instructions that read its own
	left  map[Ref]int   // the number of these that are not placed yet
	path  map[Ref]int   // the longest path from an instruction to the end
	live  int           // results that are computed and have uses left
	ready []Ref
}

// listSchedule orders the instructions of the schedules of several copies.
func (g *Graph) listSchedule(copies ...[]Ref) []Ref {
	order := slices.Concat(copies...)
	s := newListScheduler(g, order)
	var out []Ref
	missing := map[Ref]int{}
	for _, r := range order {
		if missing[r] = len(s.reads[r]); missing[r] == 0 {
			s.ready = append(s.ready, r)
		}
	}
	for len(s.ready) > 0 {
		r := s.next()
		out = append(out, r)
		for _, u := range s.users[r] {
			if missing[u]--; missing[u] == 0 {
				s.ready = append(s.ready, u)
			}
		}
	}
	return g.placeStores(out)
}

func newListScheduler(g *Graph, order []Ref) *listScheduler {
	s := &listScheduler{g: g, reads: map[Ref][]Ref{}, users: map[Ref][]Ref{}, left: map[Ref]int{}, path: map[Ref]int{}}
	for _, r := range order {
		s.path[r] = 1
		for _, a := range g.args(r) {
			if g.At(a).Kind == KindResult {
				a = g.At(a).Arg[0]
			}
			if _, ok := s.path[a]; ok && !slices.Contains(s.reads[r], a) {
				s.reads[r] = append(s.reads[r], a)
				s.users[a] = append(s.users[a], r)
				s.left[a]++
			}
		}
	}
	for _, r := range slices.Backward(order) {
		rest := 0
		for _, u := range s.users[r] {
			rest = max(rest, s.path[u])
		}
		s.path[r] += rest
	}
	return s
}

// next removes the next instruction from those that are ready.
func (s *listScheduler) next() Ref {
	most := s.g.m.maxPinned() // registers for results that are not used yet; the others are for constants and invariants
	best, bestOver := -1, 0
	for i, r := range s.ready {
		over := 0
		if n := s.growth(r); n > 0 {
			over = max(0, s.live+n-most)
		}
		if best < 0 || over < bestOver || over == bestOver && s.path[r] > s.path[s.ready[best]] {
			best, bestOver = i, over
		}
	}
	r := s.ready[best]
	s.ready = slices.Delete(s.ready, best, best+1)
	s.live += s.growth(r)
	for _, a := range s.reads[r] {
		s.left[a]--
	}
	return r
}

// growth returns the change in the number of unused results if r is placed next.
func (s *listScheduler) growth(r Ref) int {
	n := min(1, len(s.users[r]))
	for _, a := range s.reads[r] {
		if s.left[a] == 1 {
			n--
		}
	}
	return n
}

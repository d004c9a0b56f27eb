package avo

import "slices"

// spreader orders long bodies. A machine finds the next independent instruction
// only among some hundred, so the chains of a body, and of its copies, are laid
// side by side: always next is the instruction that has most before it until the
// end, as long as there are registers for what has begun (list scheduling).
type spreader struct {
	g     *graph
	reads map[ref][]ref // the instructions whose results one needs
	users map[ref][]ref // and those that need its own
	left  map[ref]int   // how many of these are still to come
	path  map[ref]int   // the longest way from an instruction to the end
	live  int           // results that are there and still needed
	ready []ref
}

// spreadOver is how many results may wait at a time. Some registers are left for
// constants, and for invariants.
const spreadOver = vectorRegisters - 4

// spread orders the instructions of the schedules of several copies.
func (g *graph) spread(copies ...[]ref) []ref {
	order := slices.Concat(copies...)
	s := newSpreader(g, order)
	var out []ref
	missing := map[ref]int{}
	for _, r := range order {
		if missing[r] = len(s.reads[r]); missing[r] == 0 {
			s.ready = append(s.ready, r)
		}
	}
	for len(s.ready) > 0 {
		r := s.take()
		out = append(out, r)
		for _, u := range s.users[r] {
			if missing[u]--; missing[u] == 0 {
				s.ready = append(s.ready, u)
			}
		}
	}
	return g.placeStores(out)
}

func newSpreader(g *graph, order []ref) *spreader {
	s := &spreader{g: g, reads: map[ref][]ref{}, users: map[ref][]ref{}, left: map[ref]int{}, path: map[ref]int{}}
	for _, r := range order {
		s.path[r] = 1
		for _, a := range g.args(r) {
			if g.at(a).kind == kResult {
				a = g.at(a).arg[0]
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

// take removes the next instruction from those that are ready.
func (s *spreader) take() ref {
	best, bestOver := -1, 0
	for i, r := range s.ready {
		over := 0
		if n := s.growth(r); n > 0 {
			over = max(0, s.live+n-spreadOver)
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

// growth is how many more results wait after r.
func (s *spreader) growth(r ref) int {
	n := min(1, len(s.users[r]))
	for _, a := range s.reads[r] {
		if s.left[a] == 1 {
			n--
		}
	}
	return n
}

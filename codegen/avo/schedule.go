package avo

import "slices"

// scheduler orders the nodes that the given roots need. A node's operands come
// right before it, the one that needs most registers first (Sethi and Ullman),
// which keeps few values alive at a time.
type scheduler struct {
	g      *graph
	leaf   func(ref) bool // values that are there already
	need   map[ref]int
	done   map[ref]bool
	needed map[ref]bool
	order  []ref
	twins  bool // the vectors of a value together
}

// How the two vectors of 64-bit values are ordered: the whole computation of
// one and then of the other, or both step by step, which needs more registers
// and waits less for results.
const (
	apart    = false
	together = true
)

// schedule returns the instructions of the roots in order. leaf says which
// values exist when they begin.
func (g *graph) schedule(roots []ref, leaf func(ref) bool, twins bool) []ref {
	s := &scheduler{twins: twins, g: g, leaf: leaf, need: map[ref]int{}, done: map[ref]bool{}, needed: map[ref]bool{}}
	if twins {
		for _, r := range roots {
			s.mark(r)
		}
	}
	for _, r := range roots {
		s.visit(r)
	}
	return g.placeStores(s.order)
}

// registers returns how many registers it takes to compute r.
func (s *scheduler) registers(r ref) int {
	if n, ok := s.need[r]; ok {
		return n
	}
	n := 0
	switch node := s.g.at(r); {
	case s.leaf(r):
	case node.kind == kLoad:
		n = 1
	case node.kind != kConst:
		for i, a := range s.sources(r) {
			n = max(n, s.registers(a)+i)
		}
		n = max(n, 1)
	}
	s.need[r] = n
	return n
}

// sources returns the operands of r, the hungriest first. A detour's stay in
// order: its condition need not wait in a register for what takes time.
func (s *scheduler) sources(r ref) []ref {
	var out []ref
	for _, a := range s.g.args(r) {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if s.g.isDetour(r) {
		return out
	}
	slices.SortStableFunc(out, func(a, b ref) int { return s.registers(b) - s.registers(a) })
	return out
}

// mark notes what r needs.
func (s *scheduler) mark(r ref) {
	if s.needed[r] {
		return
	}
	s.needed[r] = true
	for _, a := range s.g.args(r) {
		s.mark(a)
	}
}

func (s *scheduler) visit(r ref) {
	if s.done[r] || s.leaf(r) {
		return
	}
	s.done[r] = true
	for _, a := range s.sources(r) {
		s.visit(a)
	}
	if k := s.g.at(r).kind; k == kOp || k == kSplat {
		s.order = append(s.order, r)
	}
	if t, ok := s.g.twin[r]; ok && s.twins && s.needed[t] {
		s.visit(t)
	}
}

// placeStores moves each store behind the last instruction that may read the
// bytes it writes, if the output is one of the inputs: after it, a vector that
// is read from memory again would be the new one.
func (g *graph) placeStores(order []ref) []ref {
	lastRead := map[place]int{}
	for i, r := range order {
		n := g.at(r)
		if n.kind == kOp && (n.op.form == formMaskLoad || n.op.form == formNarrowLoad) {
			lastRead[n.place] = i
		}
		for _, a := range g.args(r) {
			if g.at(a).kind == kLoad {
				lastRead[g.at(a).place] = i
			}
		}
	}
	after := make([][]ref, len(order))
	for i, r := range order {
		n := g.at(r)
		if n.kind != kOp || n.op.form < formStore {
			after[i] = append([]ref{r}, after[i]...)
			continue
		}
		at := i
		for p, j := range lastRead {
			if p.overlaps(n.place) {
				at = max(at, j)
			}
		}
		after[at] = append(after[at], r)
	}
	return slices.Concat(after...)
}

// interleave merges the schedules of two copies of a body, instruction by
// instruction, so that each hides the other's latencies.
func interleave(a, b []ref) []ref {
	if len(a) != len(b) {
		return once(slices.Concat(a, b))
	}
	out := make([]ref, 0, len(a)+len(b))
	for i := range a {
		out = append(out, a[i], b[i])
	}
	return once(out)
}

// once drops what copies of a body have in common where it comes again.
func once(order []ref) []ref {
	seen := map[ref]bool{}
	return slices.DeleteFunc(order, func(r ref) bool {
		again := seen[r]
		seen[r] = true
		return again
	})
}

package vector

import "slices"

// scheduler orders the nodes that given roots need. The operands of a node come
// immediately before it, the one that needs most registers first (Sethi and Ullman
// 1970), so that few values are alive at a time.
type scheduler struct {
	g      *Graph
	leaf   func(Ref) bool // values that exist already
	need   []int16        // the registers that computing each node takes, and 1; 0: not known yet
	done   []bool
	needed []bool // set if the two parts of values are ordered together
	order  []Ref
	memory []Ref // for the operands of further nodes
	parts  partOrder
}

// partOrder is the order of the two vectors of values of 8-byte elements.
type partOrder bool

const (
	apart    partOrder = false // all instructions of the first, then all of the second
	together partOrder = true  // alternating: needs more registers, waits less for results
)

// Schedule returns the instructions of the roots in order. leaf reports which values exist before them.
func (g *Graph) Schedule(roots []Ref, leaf func(Ref) bool) []Ref {
	return g.scheduleParts(roots, leaf, apart)
}

func (g *Graph) scheduleParts(roots []Ref, leaf func(Ref) bool, parts partOrder) []Ref {
	s, nodes := &g.scheduler, len(g.nodes)
	*s = scheduler{g: g, leaf: leaf, need: filled(s.need, nodes, 0), done: filled(s.done, nodes, false), needed: s.needed,
		order: s.order[:0], memory: s.memory, parts: parts}
	if parts == together {
		s.needed = filled(s.needed, nodes, false)
		for _, r := range roots {
			s.mark(r)
		}
	}
	for _, r := range roots {
		s.visit(r)
	}
	return g.placeStores(s.order)
}

// scheduleLoop orders roots whose invariants are computed before the loop.
func (g *Graph) scheduleLoop(roots []Ref, parts partOrder) []Ref {
	return g.scheduleParts(roots, g.Invariant, parts)
}

// registers returns the number of registers that computing r takes.
func (s *scheduler) registers(r Ref) int {
	if n := s.need[r]; n > 0 {
		return int(n - 1)
	}
	n := 0
	switch node := s.g.At(r); {
	case s.leaf(r):
	case node.Kind == KindLoad:
		n = 1
	case node.Kind != KindConst:
		for i, a := range s.sources(r) {
			n = max(n, s.registers(a)+i)
		}
		n = max(n, 1)
	}
	s.need[r] = int16(n + 1)
	return n
}

// sources returns the operands of r, the one that needs most registers first. Those of the
// test of a cold block stay in order: the condition comes behind the operands of the
// selects, so that it does not occupy a register while those are computed.
func (s *scheduler) sources(r Ref) []Ref {
	args := s.g.args(r)
	if len(s.memory) < len(args) {
		s.memory = make([]Ref, max(len(args), 64))
	}
	out := s.memory[:0:len(args)]
	s.memory = s.memory[len(args):]
	for _, a := range args {
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if s.g.isCold(r) {
		return out
	}
	slices.SortStableFunc(out, func(a, b Ref) int { return s.registers(b) - s.registers(a) })
	return out
}

// mark records the nodes that r needs.
func (s *scheduler) mark(r Ref) {
	if s.needed[r] {
		return
	}
	s.needed[r] = true
	for _, a := range s.g.args(r) {
		s.mark(a)
	}
}

func (s *scheduler) visit(r Ref) {
	if s.done[r] || s.leaf(r) {
		return
	}
	s.done[r] = true
	for _, a := range s.sources(r) {
		s.visit(a)
	}
	if k := s.g.At(r).Kind; k == KindOp || k == KindSplat {
		s.order = append(s.order, r)
	}
	if second, ok := s.g.secondPart[r]; ok && s.parts == together && s.needed[second] {
		s.visit(second)
	}
}

// placeStores moves each store behind the last instruction that reads the same place of an input. The output may have the memory
// of that input, and values are reloaded from their operands if registers are short: a load after the store would read the new
// element.
func (g *Graph) placeStores(order []Ref) []Ref {
	lastRead := map[Place]int{}
	for i, r := range order {
		n := g.At(r)
		if n.Kind == KindOp && (n.Op.Form == FormMaskLoad || n.Op.Form == FormNarrowLoad) {
			lastRead[n.Place] = i
		}
		for _, a := range g.args(r) {
			if g.At(a).Kind == KindLoad {
				lastRead[g.At(a).Place] = i
			}
		}
	}
	type store struct {
		Ref
		behind int // the place in the order
	}
	var moved []store
	for i, r := range order {
		if n := g.At(r); n.Kind == KindOp && n.Op.Form >= FormStore {
			at := i
			for p, j := range lastRead {
				if p.overlaps(n.Place) {
					at = max(at, j)
				}
			}
			moved = append(moved, store{r, at})
		}
	}
	out := make([]Ref, 0, len(order))
	for i, r := range order {
		if n := g.At(r); n.Kind != KindOp || n.Op.Form < FormStore {
			out = append(out, r)
		}
		for _, m := range moved {
			if m.behind == i {
				out = append(out, m.Ref)
			}
		}
	}
	return out
}

// interleave merges the schedules of two copies of a body instruction by
// instruction, so that each hides the latencies of the other.
func interleave(a, b []Ref) []Ref {
	if len(a) != len(b) {
		return unique(slices.Concat(a, b))
	}
	out := make([]Ref, 0, len(a)+len(b))
	for i := range a {
		out = append(out, a[i], b[i])
	}
	return unique(out)
}

// unique keeps the first of equal values, which several copies of a body share.
func unique(order []Ref) []Ref {
	seen := make(map[Ref]bool, len(order))
	return slices.DeleteFunc(order, func(r Ref) bool {
		duplicate := seen[r]
		seen[r] = true
		return duplicate
	})
}

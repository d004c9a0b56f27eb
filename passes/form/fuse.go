package form

import (
	"slices"
	"sort"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Fuse divides the computed values into groups. One loop computes each group.
//
// Two values of the same level belong together if one of these is true:
//
//   - One reads the other element by element.
//   - Both read the same buffer in the same way.
//   - Their elements alternate in the buffer in which both are stored.
//
// The level of a value is the number of buffers that must be complete before it is computed. A value that is read
// through an access is such a buffer. So a path that leaves a group and comes back reaches a higher level, and groups
// of one level cannot form a cycle. Values that belong together are one group unless a kernel is too small for all of
// them.
//
// Requires: stage viewed, topological order.
// Ensures: every computed value is in one group; each group reads only earlier groups; all values of a group have one
// loop nest; no group exceeds the limits of a kernel. The outputs of a group are the values that another group or a
// result needs.
func Fuse(s *State) error {
	f := s.Func
	f.Number()
	n := len(f.Body)
	if s.Level == nil {
		s.Level = s.levels()
	}
	numbers := &s.Pass.Numbers
	fu := &fuser{s: s, level: s.Level, parent: numbers.Take(n), readers: numbers.Take(n), in: s.groupLists.Take(n)}
	for i := range fu.parent {
		fu.parent[i] = int32(i)
	}
	fu.count()
	if !s.NoFuse {
		fu.join()
	}
	c := newPartitioner(s, fu.readers)
	for _, component := range fu.components() {
		fu.divide(c, component)
	}
	if len(s.groups) > 1 {
		sort.SliceStable(s.groups, func(i, j int) bool { return s.groups[i].level < s.groups[j].level })
	}
	fu.finish()
	return nil
}

// fuser divides the values of one graph into groups.
type fuser struct {
	s       *State
	level   []int32  // by ID
	parent  []int32  // union-find over IDs
	readers []int32  // by ID: number of reads, results included
	in      []*group // by ID
}

// levels returns the level of each value. The level is as late as the readers of the value allow, so that the loop that
// needs a value computes it. An argmax and the max of the same operand have one level, so that one loop computes both;
// an argmin and the min as well.
func (s *State) levels() []int32 {
	f := s.Func
	level, latest := s.Pass.Numbers.Take(len(f.Body)), s.Whole.Numbers.Take(len(f.Body))
	for i, v := range f.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				level[i] = max(level[i], level[a.ID]+levelDelta(v, a))
			}
		}
	}
	for i := range latest {
		latest[i] = -1
	}
	for _, r := range f.Results {
		latest[r.ID] = level[r.ID]
	}
	partner := argPartners(f)
	for i := len(f.Body) - 1; i >= 0; i-- {
		v := f.Body[i]
		if w := partner[v]; w != nil && w.ID > i { // both have the same operand
			latest[i] = min(latest[i], latest[w.ID])
			latest[w.ID] = latest[i]
		}
		for _, a := range v.Args {
			if a.Op == ir.OpParam {
				continue
			}
			if l := latest[i] - levelDelta(v, a); latest[a.ID] < 0 || l < latest[a.ID] {
				latest[a.ID] = l
			}
		}
	}
	return latest
}

// argPartners maps each arg-reduction to the reduction that finds the element itself in the same operand, and back. For
// example, the partner of an argmax is the max.
func argPartners(f *ir.Func) map[*ir.Value]*ir.Value {
	type reduction struct {
		x  *ir.Value
		by ir.Op
	}
	if !slices.ContainsFunc(f.Body, func(v *ir.Value) bool { return v.Op == ir.OpReduceChunks && v.Attr.By.IsArgReduction() }) {
		return nil
	}
	best, partner := map[reduction]*ir.Value{}, map[*ir.Value]*ir.Value{}
	for _, arg := range []bool{false, true} {
		for _, v := range f.Body {
			if v.Op != ir.OpReduceChunks || v.Attr.By.IsArgReduction() != arg {
				continue
			}
			if !arg {
				best[reduction{v.Args[0], v.Attr.By}] = v
			} else if w := best[reduction{v.Args[0], v.Attr.By.Info().By}]; w != nil {
				partner[v], partner[w] = w, v
			}
		}
	}
	return partner
}

// levelDelta is 1 if the operand a must be complete before v is computed, and 0 otherwise. A computed value must be
// complete if v reads it through an access or in a loop of its own, or if a loop has the value only at its end, like a
// sum.
func levelDelta(v, a *ir.Value) int32 {
	if a.Op.IsComputed() && (v.Op == ir.OpAccess || rewrite.Alone(v) || !a.Op.IsElementwise()) {
		return 1
	}
	return 0
}

// count counts the reads of each value, results included.
func (fu *fuser) count() {
	for _, v := range fu.s.Func.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				fu.readers[a.ID]++
			}
		}
	}
	for _, r := range fu.s.Func.Results {
		fu.readers[r.ID]++
	}
}

// join unites values of one level if one reads the other, if they share a buffer, or if their elements alternate in one
// buffer. A shared buffer does not unite a loop of table lookups with another loop, or an argmax along strided lines
// with anything but its max.
func (fu *fuser) join() {
	type shared struct {
		a      *ir.Value
		level  int32
		tabled bool
		finds  ir.Op // the op of an argmax, argmin or their partner along strided lines, else none
	}
	partner := argPartners(fu.s.Func)
	readers := map[shared]int{}
	for i, v := range fu.s.Func.Body {
		if !v.Op.IsComputed() || rewrite.Alone(v) {
			continue
		}
		for _, a := range v.Args {
			if a.Op.IsElementwise() {
				fu.unite(i, a.ID)
			} else if !rewrite.IsConst(a) && !a.Op.IsComputed() && (a.Op == ir.OpParam || fu.readers[a.ID] > 1) {
				k := shared{a: a, level: fu.level[i], tabled: fu.s.tabled[v]}
				switch arg := v.Attr.By.IsArgReduction(); {
				case !isApartAlong(a):
				case arg:
					k.finds = v.Attr.By.Info().By
				case partner[v] != nil:
					k.finds = v.Attr.By
				}
				if j, ok := readers[k]; ok {
					fu.unite(i, j)
				}
				readers[k] = i
			}
		}
	}
	for _, v := range fu.s.Func.Body {
		if !v.Op.IsJoin() {
			continue
		}
		for i := range v.Args[1:] {
			a, b := computed(v.Args[i]), computed(v.Args[i+1])
			if fu.s.interleaved(a, b) {
				fu.unite(a.ID, b.ID)
			}
		}
	}
}

// isApartAlong reports whether neighbours along the last axis of an operand are more than one element apart in memory.
func isApartAlong(a *ir.Value) bool {
	if a.Attr.At == nil || len(a.Attr.At.Strides) == 0 {
		return false
	}
	step := a.Attr.At.Strides[len(a.Attr.At.Strides)-1]
	return step < -1 || step > 1
}

// unite puts two values of the same level into one component. Values of different levels stay apart.
func (fu *fuser) unite(i, j int) {
	if fu.level[i] == fu.level[j] {
		fu.parent[fu.root(i)] = int32(fu.root(j))
	}
}

// root returns the value that represents the component of value i.
func (fu *fuser) root(i int) int {
	for int(fu.parent[i]) != i {
		fu.parent[i] = fu.parent[fu.parent[i]]
		i = int(fu.parent[i])
	}
	return i
}

// components returns the sets of united values, each in topological order.
func (fu *fuser) components() [][]*ir.Value {
	n, numbers := len(fu.s.Func.Body), &fu.s.Pass.Numbers
	size, place := numbers.Take(n), numbers.Take(n) // by root: length of its component; 1 + its index in out
	sets, all := 0, 0
	for i, v := range fu.s.Func.Body {
		if v.Op.IsComputed() {
			if root := fu.root(i); size[root] == 0 {
				sets++
			}
			size[fu.root(i)]++
			all++
		}
	}
	out, room := make([][]*ir.Value, 0, sets), fu.s.Whole.Values.Take(all)
	for i, v := range fu.s.Func.Body {
		if !v.Op.IsComputed() {
			continue
		}
		root := fu.root(i)
		if place[root] == 0 {
			n := size[root]
			out, room = append(out, room[:0:n]), room[n:]
			place[root] = int32(len(out))
		}
		k := place[root] - 1
		out[k] = append(out[k], v)
	}
	return out
}

// divide appends the groups of a component to the State.
func (fu *fuser) divide(c *partitioner, values []*ir.Value) {
	segments := c.undivided(values)
	if !rewrite.Alone(values[0]) {
		segments = c.partition(values)
	}
	for _, p := range segments {
		g := &fu.s.made.Take(1)[0]
		g.values, g.level, g.full = p.values, fu.level[values[0].ID], p.why
		for _, v := range g.values {
			fu.in[v.ID] = g
		}
		fu.s.groups = append(fu.s.groups, g)
	}
}

package passes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// group is a set of elementwise values that one loop computes.
type group struct {
	values  []*ir.Value // in topological order
	inputs  []*ir.Value // what it reads from memory: params, constants, accesses, values of other groups
	outputs []*ir.Value // the values that others need
	level   int
}

// fuse divides the elementwise values into groups.
//
// Values belong together if one reads the other element by element, or if they
// read the same buffer in the same way, and if they have one level: the number
// of buffers that must be complete before. A value that is read through an
// access is a buffer, so a path that leaves a group and comes back passes a
// higher level, and groups of one level cannot form a cycle.
//
// Requires: stage viewed, topological order.
// Ensures: every elementwise value is in one group; the groups are in an order
// in which each can run; all values of a group have one loop nest; no group
// passes the limits of a kernel. Values that another group or a result needs
// are stored.
func fuse(s *State) error {
	f := s.Func
	f.Number()
	fu := &fuser{State: s, level: levels(f), parent: make([]int, len(f.Body)), open: map[int]*group{}}
	for i := range fu.parent {
		fu.parent[i] = i
	}
	fu.count()
	if !s.noFuse {
		fu.join()
	}
	for _, v := range f.Body {
		if v.Op.IsElementwise() {
			fu.place(v)
		}
	}
	slices.SortStableFunc(s.groups, func(a, b *group) int { return a.level - b.level })
	fu.close()
	return nil
}

type fuser struct {
	*State
	level  []int          // by ID
	parent []int          // union-find over IDs
	open   map[int]*group // by root: the group that takes more values
	left   []int          // by ID: readers that are not placed yet, results counted
	in     []*group       // by ID
}

// levels returns the level of each value: as late as its readers allow, so that
// a value is computed in the loop that needs it.
func levels(f *ir.Func) []int {
	level := make([]int, len(f.Body))
	for i, v := range f.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				level[i] = max(level[i], level[a.ID]+behind(v))
			}
		}
	}
	late := make([]int, len(f.Body))
	for i := range late {
		late[i] = -1
	}
	for _, r := range f.Results {
		late[r.ID] = level[r.ID]
	}
	for i := len(f.Body) - 1; i >= 0; i-- {
		v := f.Body[i]
		for _, a := range v.Args {
			if a.Op == ir.OpParam {
				continue
			}
			if l := late[i] - behind(v); late[a.ID] < 0 || l < late[a.ID] {
				late[a.ID] = l
			}
		}
	}
	return late
}

// behind is 1 for a value whose operand must be complete before it: an access,
// or a copy that was made to be read.
func behind(v *ir.Value) int {
	if v.Op == ir.OpAccess && v.Args[0].Op.IsElementwise() {
		return 1
	}
	return 0
}

// count finds how many readers each value has.
func (fu *fuser) count() {
	fu.left = make([]int, len(fu.Func.Body))
	fu.in = make([]*group, len(fu.Func.Body))
	for _, v := range fu.Func.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				fu.left[a.ID]++
			}
		}
	}
	for _, r := range fu.Func.Results {
		fu.left[r.ID]++
	}
}

// join unites values of one level that read each other or share a buffer.
func (fu *fuser) join() {
	type shared struct {
		a     *ir.Value
		level int
	}
	readers := map[shared]int{}
	for i, v := range fu.Func.Body {
		if !v.Op.IsElementwise() {
			continue
		}
		for _, a := range v.Args {
			if a.Op.IsElementwise() {
				fu.unite(i, a.ID)
			} else if !isConst(a) {
				k := shared{a, fu.level[i]}
				if j, ok := readers[k]; ok {
					fu.unite(i, j)
				}
				readers[k] = i
			}
		}
	}
}

func (fu *fuser) unite(i, j int) {
	if fu.level[i] == fu.level[j] {
		fu.parent[fu.root(i)] = fu.root(j)
	}
}

func (fu *fuser) root(i int) int {
	for fu.parent[i] != i {
		fu.parent[i] = fu.parent[fu.parent[i]]
		i = fu.parent[i]
	}
	return i
}

// place adds v to its component's group, or to a new one if that would pass a
// limit. Values come in topological order and a group that is closed stays so:
// later groups may read earlier ones, never the reverse.
func (fu *fuser) place(v *ir.Value) {
	root := fu.root(v.ID)
	g := fu.open[root]
	if g == nil || !fu.fits(g, v) {
		g = &group{level: fu.level[v.ID]}
		fu.open[root] = g
		fu.groups = append(fu.groups, g)
	}
	g.values = append(g.values, v)
	fu.in[v.ID] = g
	for _, a := range v.Args {
		if a.Op != ir.OpParam {
			fu.left[a.ID]--
		}
	}
}

// fits reports whether the group with v is within the limits. Values that still
// have readers are counted as outputs, because those may not fit.
func (fu *fuser) fits(g *group, v *ir.Value) bool {
	if len(g.values)+1 > ir.MaxBody {
		return false
	}
	inputs := map[*ir.Value]bool{}
	pointers, operands, waiting := 0, 0, 0
	for _, u := range append(g.values[:len(g.values):len(g.values)], v) {
		for _, a := range u.Args {
			if a.Op != ir.OpParam && fu.in[a.ID] == g || inputs[a] || a == v {
				continue
			}
			inputs[a] = true
			operands++
			if !isConst(a) {
				pointers++
			}
		}
		if left := fu.left[u.ID] - reads(v, u); left > 0 || u == v {
			waiting++
		}
	}
	return pointers+waiting <= ir.MaxPointers && operands+waiting <= ir.MaxOperands && fu.affine(g, v)
}

// reads counts how often v reads u.
func reads(v, u *ir.Value) int {
	n := 0
	for _, a := range v.Args {
		if a == u {
			n++
		}
	}
	return n
}

// affine reports whether v's accesses and those of the group have one loop
// nest. They have if all are laid out along the axes of the one shape.
func (fu *fuser) affine(g *group, v *ir.Value) bool {
	var ls []ir.Layout
	refined := false
	for _, u := range append(g.values[:len(g.values):len(g.values)], v) {
		for _, a := range u.Args {
			if a.Op == ir.OpAccess {
				refined = refined || !slices.Equal(a.Attr.At.Shape, extents(a))
				ls = append(ls, *a.Attr.At)
			}
		}
	}
	if !refined {
		return true
	}
	_, ok := ir.Refine(ls...) // values in row-major order fit every nest
	return ok
}

// close finds what each group reads and what it must store, and records what
// was fused and what was not.
func (fu *fuser) close() {
	f := fu.Func
	seen := make([]*group, len(f.Body)+len(f.Params)) // by ID, params last: the last group that reads it
	stored := make([]bool, len(f.Body))
	for _, r := range f.Results {
		stored[r.ID] = true
	}
	for _, v := range f.Body {
		g := fu.in[v.ID]
		for _, a := range v.Args {
			switch {
			case g == nil: // an access reads a buffer
				if a.Op.IsElementwise() {
					stored[a.ID] = true
				}
			case a.Op != ir.OpParam && fu.in[a.ID] == g:
				fu.record(ir.Fused, a, 2*bytes(a), "")
			default:
				if a.Op.IsElementwise() && !stored[a.ID] {
					stored[a.ID] = true
					fu.record(ir.Materialized, a, 2*bytes(a), fu.whyNot(a, v))
				}
			}
		}
	}
	for _, g := range fu.groups {
		for _, v := range g.values {
			for _, a := range v.Args {
				at := a.ID
				if a.Op == ir.OpParam {
					at += len(f.Body)
				} else if fu.in[at] == g {
					continue
				}
				if seen[at] != g {
					seen[at] = g
					g.inputs = append(g.inputs, a)
				}
			}
			if stored[v.ID] {
				g.outputs = append(g.outputs, v)
			}
		}
	}
}

func (fu *fuser) whyNot(a, v *ir.Value) string {
	switch {
	case fu.noFuse:
		return "fusion is off"
	case fu.level[a.ID] != fu.level[v.ID]:
		return "an earlier loop needs it already, before the buffers are complete that its other reader waits for"
	}
	return "its loop has as many operands or ops as one kernel takes"
}

// groupText lists the groups for dumps.
func groupText(groups []*group) string {
	var b strings.Builder
	for i, g := range groups {
		fmt.Fprintf(&b, "# group %d:", i)
		for _, v := range g.values {
			fmt.Fprintf(&b, " %%%d", v.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

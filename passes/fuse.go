package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// fuse divides the computed values into groups.
//
// Values belong together if one reads the other element by element, or if they
// read the same buffer in the same way, and if they have one level: the number
// of buffers that must be complete before. A value that is read through an
// access is a buffer, so a path that leaves a group and comes back passes a
// higher level, and groups of one level cannot form a cycle.
//
// Requires: stage viewed, topological order.
// Ensures: every computed value is in one group; the groups are in an order
// in which each can run; all values of a group have one loop nest; no group
// passes the limits of a kernel. Values that another group or a result needs
// are its outputs.
func fuse(s *State) error {
	f := s.Func
	f.Number()
	fu := &fuser{State: s, level: levels(f), parent: make([]int, len(f.Body)), readers: make([]int, len(f.Body)), in: make([]*group, len(f.Body))}
	for i := range fu.parent {
		fu.parent[i] = i
	}
	fu.count()
	if !s.noFuse {
		fu.join()
	}
	c := newCutter(f, fu.readers)
	c.placed = s.placed
	for _, component := range fu.components() {
		fu.divide(c, component)
	}
	slices.SortStableFunc(s.groups, func(a, b *group) int { return a.level - b.level })
	fu.seal()
	return nil
}

type fuser struct {
	*State
	level   []int    // by ID
	parent  []int    // union-find over IDs
	readers []int    // by ID: how often a value is read, results counted
	in      []*group // by ID
}

// levels returns the level of each value: as late as its readers allow, so that
// a value is computed in the loop that needs it. Where an element stands is wanted
// later than the element, and found in the same loop.
func levels(f *ir.Func) []int {
	level := make([]int, len(f.Body))
	for i, v := range f.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				level[i] = max(level[i], level[a.ID]+behind(v, a))
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
	twin := placesAndBests(f)
	for i := len(f.Body) - 1; i >= 0; i-- {
		v := f.Body[i]
		if w := twin[v]; w != nil && w.ID > i { // both have the same operand
			late[i] = min(late[i], late[w.ID])
			late[w.ID] = late[i]
		}
		for _, a := range v.Args {
			if a.Op == ir.OpParam {
				continue
			}
			if l := late[i] - behind(v, a); late[a.ID] < 0 || l < late[a.ID] {
				late[a.ID] = l
			}
		}
	}
	return late
}

// placesAndBests returns for a fold that finds a place the fold of the element that
// stands there, and the other way round.
func placesAndBests(f *ir.Func) map[*ir.Value]*ir.Value {
	type fold struct {
		x  *ir.Value
		by ir.Op
	}
	best, twin := map[fold]*ir.Value{}, map[*ir.Value]*ir.Value{}
	for _, finds := range []bool{false, true} {
		for _, v := range f.Body {
			if v.Op != ir.OpReduceChunks || v.Attr.By.IsArgReduction() != finds {
				continue
			}
			if !finds {
				best[fold{v.Args[0], v.Attr.By}] = v
			} else if w := best[fold{v.Args[0], v.Attr.By.Info().By}]; w != nil {
				twin[v], twin[w] = w, v
			}
		}
	}
	return twin
}

// behind is 1 for an operand that must be complete before v: a computed value
// that v reads through an access or in a loop of its own, or one that a loop gives only at its
// end.
func behind(v, a *ir.Value) int {
	if a.Op.IsComputed() && (v.Op == ir.OpAccess || alone(v) || !a.Op.IsElementwise()) {
		return 1
	}
	return 0
}

// count finds how often each value is read.
func (fu *fuser) count() {
	for _, v := range fu.Func.Body {
		for _, a := range v.Args {
			if a.Op != ir.OpParam {
				fu.readers[a.ID]++
			}
		}
	}
	for _, r := range fu.Func.Results {
		fu.readers[r.ID]++
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
		if !v.Op.IsComputed() || alone(v) {
			continue
		}
		for _, a := range v.Args {
			if a.Op.IsElementwise() {
				fu.unite(i, a.ID)
			} else if !isConst(a) && !a.Op.IsComputed() {
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

// components returns the sets of united values, each in topological order.
func (fu *fuser) components() [][]*ir.Value {
	var out [][]*ir.Value
	place := make([]int, len(fu.Func.Body)) // by root: 1 + the component
	for i, v := range fu.Func.Body {
		if !v.Op.IsComputed() {
			continue
		}
		root := fu.root(i)
		if place[root] == 0 {
			out = append(out, nil)
			place[root] = len(out)
		}
		k := place[root] - 1
		out[k] = append(out[k], v)
	}
	return out
}

// divide makes the groups of a component.
func (fu *fuser) divide(c *cutter, values []*ir.Value) {
	pieces := []piece{{values: values}}
	if !alone(values[0]) {
		pieces = c.pieces(values)
	}
	for _, p := range pieces {
		g := &group{values: p.values, level: fu.level[values[0].ID], full: p.why}
		for _, v := range g.values {
			fu.in[v.ID] = g
		}
		fu.groups = append(fu.groups, g)
	}
}

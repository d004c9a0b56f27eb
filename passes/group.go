package passes

import (
	"cmp"
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
	full    string // why the group before it in its component takes no more
}

// isSplat reports whether a value is one element for a whole loop nest.
func isSplat(v *ir.Value) bool {
	if v.Op != ir.OpAccess {
		return isConst(v)
	}
	for _, s := range v.Attr.At.Strides {
		if s != 0 {
			return false
		}
	}
	return true
}

// affine reports whether the layouts that some values read have one loop nest.
// They have if all are laid out along the axes of the one shape; values in
// row-major order fit every nest.
func affine(values []*ir.Value) bool {
	var ls []ir.Layout
	refined := false
	for _, v := range values {
		for _, a := range v.Args {
			if l := a.Attr.At; l != nil { // not simply row-major
				refined = refined || !slices.Equal(l.Shape, extents(a))
				ls = append(ls, *l)
			}
		}
	}
	if !refined {
		return true
	}
	_, ok := ir.Refine(ls...)
	return ok
}

// seal finds what each group reads and what it must store, and records what
// was fused and what was not.
func (fu *fuser) seal() {
	f := fu.Func
	stored := make([]bool, len(f.Body))
	for _, r := range f.Results {
		stored[r.ID] = true
	}
	reasons := make([]string, len(f.Body))
	for _, v := range f.Body {
		g := fu.in[v.ID]
		for _, a := range v.Args {
			if a.Op.IsElementwise() && fu.in[a.ID] != g && !stored[a.ID] {
				stored[a.ID] = true
				reasons[a.ID] = fu.whyNot(a, v)
			}
		}
	}
	seen := make([]*group, len(f.Body)+len(f.Params)) // by ID, params last: the last group that reads it
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
			switch {
			case v.Op == ir.OpCopy:
				fu.record(ir.Copied, v, 2*bytes(v), cmp.Or(v.Attr.Note, "the graph asks for it"))
			case reasons[v.ID] != "":
				fu.record(ir.Materialized, v, 2*bytes(v), reasons[v.ID])
			case !stored[v.ID]:
				fu.record(ir.Fused, v, 2*bytes(v), "")
			}
		}
	}
}

// whyNot says why v reads a from memory.
func (fu *fuser) whyNot(a, v *ir.Value) string {
	switch {
	case v.Op == ir.OpAccess && fu.why[a] != "":
		return fu.why[a]
	case v.Op == ir.OpAccess:
		return "it is read through a view"
	case fu.noFuse:
		return "fusion is off"
	case fu.level[a.ID] != fu.level[v.ID]:
		return "an earlier loop needs it already, before the buffers are complete that its other reader waits for"
	}
	return fu.in[v.ID].full
}

// checkGroups checks what fuse ensures.
func checkGroups(s *State) error {
	place := map[*ir.Value]int{} // of the group
	for i, g := range s.groups {
		if n := len(g.values); n > ir.MaxBody {
			return fmt.Errorf("group %d has %d values", i, n)
		}
		if !affine(g.values) {
			return fmt.Errorf("group %d has no loop nest", i)
		}
		for _, v := range g.values {
			if _, twice := place[v]; twice {
				return fmt.Errorf("%%%d is in two groups", v.ID)
			}
			place[v] = i
		}
	}
	for _, v := range s.Func.Body {
		g, ok := place[v]
		if ok != v.Op.IsElementwise() {
			return fmt.Errorf("%%%d: in a group: %v", v.ID, ok)
		}
		for _, a := range v.Args {
			if h, ok := place[base(a)]; ok && (h > g || h == g && a.Op == ir.OpAccess) && v.Op != ir.OpAccess {
				return fmt.Errorf("%%%d in group %d reads %%%d of group %d, which is not complete", v.ID, g, a.ID, h)
			}
		}
	}
	for i, g := range s.groups {
		pointers := len(g.outputs)
		for _, a := range g.inputs {
			if !isSplat(a) {
				pointers++
			}
		}
		if pointers > ir.MaxPointers || len(g.inputs)+len(g.outputs) > ir.MaxOperands {
			return fmt.Errorf("group %d has %d inputs and %d outputs", i, len(g.inputs), len(g.outputs))
		}
	}
	return nil
}

// groupText lists the groups for dumps.
func groupText(groups []*group) string {
	var b strings.Builder
	for i, g := range groups {
		fmt.Fprintf(&b, "// group %d:", i)
		for _, v := range g.values {
			fmt.Fprintf(&b, " %%%d", v.ID)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

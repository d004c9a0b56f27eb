package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// group is a set of values that one loop computes.
type group struct {
	values  []*ir.Value // in topological order
	inputs  []*ir.Value // what it reads from memory: params, constants, accesses, values of other groups
	outputs []*ir.Value // the values that others need
	level   int32
	full    string // why the group before it in its component takes no more
}

// isSplat reports whether a value is one element for a whole loop nest.
func isSplat(v *ir.Value) bool {
	if v.Op != ir.OpAccess {
		return rewrite.IsConst(v)
	}
	for _, s := range v.Attr.At.Strides {
		if s != 0 {
			return false
		}
	}
	return true
}

// hasColumns reports whether an operand of some values has a pointer that moves along the columns of
// their loop. In a reduction either axis may be the columns. Without one, an operand is one element for
// all columns: the last axis of a loop nest divides that of each operand.
func hasColumns(v *ir.Value, reduces bool) bool {
	if reduces || v.Op != ir.OpAccess {
		return !isSplat(v)
	}
	at := v.Attr.At
	for k, n := range slices.Backward(at.Shape) {
		if n > 1 {
			return at.Strides[k] != 0
		}
	}
	return !isSplat(v)
}

// affine reports whether the layouts that some values read have one loop nest.
func affine(values []*ir.Value, stored map[*ir.Value]location) bool {
	n := nesting{placed: stored, space: new(layout.Space)}
	for _, v := range values {
		if !n.takes(v) {
			return false
		}
	}
	return true
}

// nesting collects the layouts that the values of a group read, to see whether
// they have one loop nest. They have if all are laid out along the axes of the one
// shape; values in row-major order fit every nest. The elements of a line that is
// reduced must have one stride.
type nesting struct {
	size    int             // of the domain, if there are reductions
	layouts []layout.Layout // with one offset of each
	refined bool            // one has other axes than its value
	line    int             // the elements of a line that is reduced, or 0
	placed  map[*ir.Value]location
	space   *layout.Space
}

// takes adds a value, and reports whether there still is a loop nest. A product
// is a group of its own.
func (n *nesting) takes(v *ir.Value) bool {
	changed := false
	switch {
	case v.Op.IsProduct() || v.Op.IsJoin() || v.Op.IsLine():
		return true
	case v.Op == ir.OpReduceChunks:
		line := rewrite.LineOf(v)
		if n.line > 0 && line != n.line {
			return false
		}
		changed, n.line, n.size = n.line == 0, line, rewrite.Size(domain(v))
	}
	for _, a := range v.Args {
		if l := a.Attr.At; l != nil { // not simply row-major
			changed = n.note(*l, !rewrite.HasExtents(l.Shape, a)) || changed
		}
	}
	if p, ok := n.placed[v]; ok {
		changed = n.note(p.at, true) || changed
	}
	n.space.Reset()
	switch {
	case !changed:
		return true
	case n.line > 0:
		_, ok := lineNest(n.space, n.layouts, n.size, n.line)
		return ok
	case !n.refined:
		return true
	}
	_, ok := n.space.Refine(n.layouts...)
	return ok
}

// note adds a layout, which may have other axes than its value, and reports whether that is anything new: only its shape and
// strides are.
func (n *nesting) note(l layout.Layout, refined bool) bool {
	known := slices.ContainsFunc(n.layouts, func(m layout.Layout) bool {
		return slices.Equal(m.Shape, l.Shape) && slices.Equal(m.Strides, l.Strides)
	})
	if !known {
		n.layouts = append(n.layouts, l)
	}
	before := n.refined
	n.refined = before || refined
	return !known || n.refined != before
}

// domain returns the shape that v's loop runs over.
func domain(v *ir.Value) ir.Shape {
	if v.Op == ir.OpReduceChunks {
		return v.Args[0].Type.Shape
	}
	return v.Type.Shape
}

// line returns how many elements the group's reductions have in a line, 0 if there are none.
func (g *group) line() int {
	for _, v := range g.outputs {
		if v.Op == ir.OpReduceChunks {
			return rewrite.LineOf(v)
		}
	}
	return 0
}

// lineNest refines layouts over a domain of that size to axes of which the last
// is the line of n elements, and reports whether there are such. A layout that cuts
// the line off comes after the others.
func lineNest(space *layout.Space, ls []layout.Layout, size, n int) ([]layout.Layout, bool) {
	cut := layout.Layout{Shape: []int{size / n, n}, Strides: []int{0, 1}}
	ls, ok := space.Refine(append(ls, cut)...)
	if !ok {
		return nil, false
	}
	shape := ls[0].Shape
	return ls, shape[len(shape)-1] == n
}

// finish finds what each group reads and what it must store, and records what
// was fused and what was not.
func (fu *fuser) finish() {
	f, whole := fu.s.Func, &fu.s.Whole
	stored := fu.s.Pass.Flags.Take(len(f.Body))
	for _, r := range f.Results {
		stored[computed(r).ID] = true
	}
	var reasons []string // by ID, as far as there are any
	for _, v := range f.Body {
		g := fu.in[v.ID]
		for _, a := range v.Args {
			if a.Op.IsComputed() && fu.in[a.ID] != g && !stored[a.ID] {
				stored[a.ID] = true
				if why := fu.whyNot(a, v); why != "" {
					if reasons == nil {
						reasons = make([]string, len(f.Body))
					}
					reasons[a.ID] = why
				}
			}
		}
	}
	values, operands := 0, 0
	for _, g := range fu.s.groups {
		values += len(g.values)
		for _, v := range g.values {
			operands += len(v.Args)
		}
	}
	inputs, outputs := whole.Values.Take(operands)[:0], whole.Values.Take(values)[:0] // of all groups
	l := &fu.s.Ledger
	l.List, l.About = slices.Grow(l.List, values), append(whole.Values.Take(len(l.About) + values)[:0], l.About...)
	seen := fu.s.groupLists.Take(len(f.Body) + len(f.Params)) // by ID, params last: the last group that reads it
	for _, g := range fu.s.groups {
		firstIn, firstOut := len(inputs), len(outputs)
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
					inputs = append(inputs, a)
				}
			}
			if stored[v.ID] {
				outputs = append(outputs, v)
			}
			switch {
			case v.Op == ir.OpCopy && v.Attr.Note == "" && v.Args[0].Op.IsComputed() && fu.in[v.Args[0].ID] == g:
				fu.s.Record(plan.Materialized, v, 2*rewrite.Bytes(v), "the graph asks for it")
			case v.Op == ir.OpCopy:
				fu.s.Record(plan.Copied, v, 2*rewrite.Bytes(v), cmp.Or(v.Attr.Note, "the graph asks for it"))
			case reasons != nil && reasons[v.ID] != "":
				moved := 2 * rewrite.Bytes(v)
				if v.Op.IsJoin() || fu.s.placed[v].in != nil { // its parts are written, and all of it is read
					moved = rewrite.Bytes(v)
				}
				fu.s.Record(plan.Materialized, v, moved, reasons[v.ID])
			case !stored[v.ID] && v.Op != ir.OpReduceChunks:
				fu.s.Record(plan.Fused, v, 2*rewrite.Bytes(v), "")
			}
		}
		g.inputs, g.outputs = slices.Clip(inputs[firstIn:]), slices.Clip(outputs[firstOut:])
	}
}

// whyNot says why v reads a from memory.
func (fu *fuser) whyNot(a, v *ir.Value) string {
	switch {
	case a.Op == ir.OpReduceChunks:
		return "" // one element of a line: nothing could be fused
	case v.Op.IsJoin() && a.Op.IsJoin():
		return "" // it is no array of its own
	case v.Op.IsJoin() || fu.s.placed[a].in != nil:
		return "it is computed in its place of a concatenation, and not copied there"
	case a.Op.IsJoin():
		return "its parts are stored side by side in one array, which another loop reads"
	case v.Op.IsLine() || a.Op.IsLine():
		return "its elements are ordered, found by indices, or follow from one another, in a loop of its own"
	case rewrite.IsScan(a) || rewrite.IsScan(v):
		return "a scan goes along whole lines, in a loop of its own"
	case rewrite.Alone(a):
		return "it is a product, which is a loop of its own"
	case rewrite.Alone(v):
		return "a product reads each row and column many times"
	case v.Op == ir.OpAccess && fu.s.why[a] != "":
		return fu.s.why[a]
	case v.Op == ir.OpAccess:
		return "it is read through a view"
	case fu.s.NoFuse:
		return "fusion is off"
	case fu.level[a.ID] != fu.level[v.ID]:
		return "an earlier loop needs it already, before the buffers are complete that its other reader waits for"
	}
	return fu.in[v.ID].full
}

// CheckGroups checks what fuse ensures.
func CheckGroups(s *State) error {
	place := map[*ir.Value]int{} // of the group
	for i, g := range s.groups {
		if n := len(g.values); n > kernel.MaxBody {
			return fmt.Errorf("group %d has %d values", i, n)
		}
		if !affine(g.values, s.placed) {
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
		if ok != v.Op.IsComputed() {
			return fmt.Errorf("%%%d: in a group: %v", v.ID, ok)
		}
		for _, a := range v.Args {
			if h, ok := place[base(a)]; ok && (h > g || h == g && !a.Op.IsElementwise()) && v.Op != ir.OpAccess {
				return fmt.Errorf("%%%d in group %d reads %%%d of group %d, which is not complete", v.ID, g, a.ID, h)
			}
		}
	}
	for i, g := range s.groups {
		if v := g.values[0]; v.Op.IsJoin() || v.Op.IsLine() {
			continue // it has no body
		}
		outputs, pointers := 0, 0
		for _, v := range g.outputs {
			outputs += stores(v)
		}
		for _, a := range g.inputs {
			if hasColumns(a, g.line() > 0) {
				pointers++
			}
		}
		if pointers+outputs > kernel.MaxPointers || len(g.inputs)+outputs > kernel.MaxOperands {
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

package form

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// group is a set of values that one loop computes.
type group struct {
	values  []*ir.Value // in topological order
	inputs  []*ir.Value // values read from memory: params, constants, accesses, values of other groups
	outputs []*ir.Value // values that other groups or results need
	level   int32
	full    string // why the previous group of its component is not longer
}

// isSplat reports whether v is a single element that all iterations of a loop nest read.
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

// hasColumns reports whether a kernel reads the operand v through a pointer that moves along the columns of the loop.
// All other operands are one element for all columns. In a reduction either axis may become the columns, so each
// operand with several elements has such a pointer. Otherwise the last axis of v with several elements decides, because
// the columns are a part of that axis.
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

// affine reports whether one loop nest has strides for all layouts that the values read, and for the locations in which
// stored says that they are.
func affine(values []*ir.Value, stored map[*ir.Value]location) bool {
	n := nesting{placed: stored, space: new(layout.Space)}
	for _, v := range values {
		if !n.takes(v) {
			return false
		}
	}
	return true
}

// nesting collects the layouts that the values of a group read or are stored in, and tests whether one loop nest fits
// all of them. One does if each layout has the axes of its value, or if all have a common refinement. Values in
// row-major order fit every nest. The elements of a reduced line must have one stride.
type nesting struct {
	size    int             // elements of the domain, if the group reduces
	layouts []layout.Layout // layouts that differ only by offset appear once
	refined bool            // some layout has other axes than its value
	line    int             // elements of a reduced line, or 0
	placed  map[*ir.Value]location
	space   *layout.Space
}

// takes adds a value and reports whether one loop nest still fits. A product, a concatenation or an op on lines always
// fits: it is a group of its own.
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
		if l := a.Attr.At; l != nil { // without a layout, a is row-major
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

// note adds a layout and reports whether the nest must be tested again: either the shape or strides are new, or this is
// the first layout that is refined, which means that it may have other axes than its value.
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

// domain returns the shape over which v's loop runs.
func domain(v *ir.Value) ir.Shape {
	if v.Op == ir.OpReduceChunks {
		return v.Args[0].Type.Shape
	}
	return v.Type.Shape
}

// line returns the number of elements in each line that the group reduces, or 0 if it has no reductions.
func (g *group) line() int {
	for _, v := range g.outputs {
		if v.Op == ir.OpReduceChunks {
			return rewrite.LineOf(v)
		}
	}
	return 0
}

// lineNest refines layouts over a domain of size elements so that their last axis is the line of n elements. It reports
// false if the layouts have no such refinement. The last of the returned layouts is an auxiliary one, which separates
// the lines.
func lineNest(space *layout.Space, ls []layout.Layout, size, n int) ([]layout.Layout, bool) {
	cut := layout.Layout{Shape: []int{size / n, n}, Strides: []int{0, 1}}
	ls, ok := space.Refine(append(ls, cut)...)
	if !ok {
		return nil, false
	}
	shape := ls[0].Shape
	return ls, shape[len(shape)-1] == n
}

// finish finds the inputs and outputs of each group, and records in the ledger which values were fused and which were
// stored.
func (fu *fuser) finish() {
	f, whole := fu.s.Func, &fu.s.Whole
	stored := fu.s.Pass.Flags.Take(len(f.Body))
	for _, r := range f.Results {
		stored[computed(r).ID] = true
	}
	var reasons []string // by ID, nil if there are none
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
	seen := fu.s.groupLists.Take(len(f.Body) + len(f.Params)) // by ID, params last: the last group that reads the value
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
				fu.s.Record(plan.Materialized, v, rewrite.Moved(rewrite.Bytes(v)), "the graph asks for it")
			case v.Op == ir.OpCopy:
				fu.s.Record(plan.Copied, v, rewrite.Moved(rewrite.Bytes(v)), cmp.Or(v.Attr.Note, "the graph asks for it"))
			case reasons != nil && reasons[v.ID] != "":
				moved := rewrite.Moved(rewrite.Bytes(v))
				if v.Op.IsJoin() || fu.s.placed[v].in != nil { // a part counts the write, the concatenation counts the read
					moved = rewrite.Bytes(v)
				}
				fu.s.Record(plan.Materialized, v, moved, reasons[v.ID])
			case !stored[v.ID] && v.Op != ir.OpReduceChunks:
				fu.s.Record(plan.Fused, v, rewrite.Moved(rewrite.Bytes(v)), "")
			}
		}
		g.inputs, g.outputs = slices.Clip(inputs[firstIn:]), slices.Clip(outputs[firstOut:])
	}
}

// whyNot returns the reason why v reads a from memory, or "" if the ledger needs none.
func (fu *fuser) whyNot(a, v *ir.Value) string {
	switch {
	case a.Op == ir.OpReduceChunks:
		return "a reduction is complete only at the end of its loop, and another loop reads it"
	case v.Op.IsJoin() && a.Op.IsJoin():
		return "" // the inner concatenation has no array of its own
	case v.Op.IsJoin() || fu.s.placed[a].in != nil:
		return "it is computed in its place of a concatenation, and not copied there"
	case a.Op.IsJoin():
		return "its parts are stored side by side in one array, which another loop reads"
	case v.Op.IsLine() && !a.Op.IsLine():
		return "an op reads it that orders elements, finds them by indices, or computes one from the other, in a loop of its own"
	case a.Op.IsLine():
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

// CheckGroups verifies what Fuse ensures.
func CheckGroups(s *State) error {
	place := map[*ir.Value]int{} // by value: the index of its group
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
			continue // concatenations and ops on lines have no body
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

// groupText returns one line of text for each group, for dumps.
func groupText(f *ir.Func, groups []*group) string {
	name := f.Names()
	var b strings.Builder
	for i, g := range groups {
		fmt.Fprintf(&b, "// group %d:", i)
		for _, v := range g.values {
			b.WriteString(" " + name(v))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

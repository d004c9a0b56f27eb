package form

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// Views of reshapes that no strides describe. The layout of such a reshape enumerates its elements in order, but along
// other axes than the reshape has. Another view op needs the axes of the reshape. A flip finds them if each is a run of
// the layout's axes. For any other op, elements are stored first, as few as possible.

// viewLayout returns the layout l, of a value of the given shape, as the view op v sees it. needsCopy must have
// returned "" for v and the value.
func viewLayout(v *ir.Value, l layout.Layout, shape []int) (layout.Layout, error) {
	if slices.Equal(l.Shape, shape) || v.Op == ir.OpReshape {
		return v.Layout(l)
	}
	if m, ok := l.Reshape(shape...); ok {
		return v.Layout(m)
	}
	runs, _ := axisRuns(l.Shape, shape)
	var axes []int
	for _, k := range v.Attr.Axes {
		axes = append(axes, runs[k]...)
	}
	return l.Flip(axes...)
}

// needsCopy returns why x must be copied before the view op v can read it, or "" if v can read it now.
func needsCopy(v, x *ir.Value) string {
	if v.Op == ir.OpReshape || x.Attr.At == nil || rewrite.HasExtents(x.Attr.At.Shape, x) {
		return ""
	}
	l, shape := *x.Attr.At, rewrite.Extents(x)
	if _, ok := l.Reshape(shape...); ok {
		return ""
	}
	if _, ok := axisRuns(l.Shape, shape); ok && v.Op == ir.OpFlip {
		return ""
	}
	return fmt.Sprintf("the reshape to %v is no view of %s, and %s needs its axes", shape, l, v.Op)
}

// axisRuns returns, for each axis of shape, the run of axes of refined that it consists of. It fails if some axis is no
// such run.
func axisRuns(refined, shape []int) (runs [][]int, ok bool) {
	at := 0
	for _, n := range shape {
		var run []int
		for have := 1; have < n || at < len(refined) && refined[at] == 1; at++ {
			if at == len(refined) {
				return nil, false
			}
			have *= refined[at]
			run = append(run, at)
			if have > n {
				return nil, false
			}
		}
		runs = append(runs, run)
	}
	return runs, at == len(refined)
}

// copiedBelow returns why the value that v views is stored, not computed as v reads it, or "". It is stored if operands
// of the cone would have to be copied: one stored array replaces possibly several copies.
func (w *viewer) copiedBelow(v *ir.Value, c *fanIn) string {
	for _, u := range c.values {
		for _, a := range u.Args {
			if rewrite.IsConst(a) || slices.Contains(c.values, a) {
				continue
			}
			if why := needsCopy(v, a); why != "" {
				return why
			}
		}
	}
	return ""
}

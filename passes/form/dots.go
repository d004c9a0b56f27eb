package form

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/passes/rewrite"
)

// The operands of products, ops on lines and scans, for the pass views. Each of these ops is a loop of its own, so each
// operand must be a buffer with strides along the axes that the op needs.

// inAxes reports whether the layout of a has one axis for each axis of a's type. Image windows that are reshaped to the
// rows of a matrix have more, because no single stride describes those rows.
func inAxes(a *ir.Value) bool {
	return a.Op != ir.OpAccess || rewrite.HasExtents(a.Attr.At.Shape, a)
}

// keepOperands marks operands of products, ops on lines and scans that must be stored: values read through several
// views, as a covariance reads x - mean, and values whose elements a view repeats, as a gather does with indices. Each
// value is stored once, and all its views read that buffer. If the views were pushed through, each of them would be
// stored, however cheap the value is.
func (w *viewer) keepOperands() {
	if rewrite.Multiplies(w.s.Func) {
		w.keepTaps()
	}
	as := map[*ir.Value]*ir.Value{} // by value: the first operand that views it
	for _, v := range w.s.Func.Body {
		switch {
		case v.Op.IsJoin():
			w.keepJoined(v)
			continue
		case !v.Op.IsProduct() && !v.Op.IsLine() && !rewrite.IsScan(v):
			continue
		}
		by := v.Op.String()
		if v.Op.IsProduct() {
			by = "product"
		}
		for _, a := range v.Args {
			x := a
			for x.Op.IsView() {
				x = x.Args[0]
			}
			if !x.Op.IsElementwise() {
				continue
			}
			if as[x] == nil {
				as[x] = a
			}
			if as[x] != a || rewrite.Size(a.Type.Shape) > rewrite.Size(x.Type.Shape) {
				w.s.store(x, "a "+by+" reads it in more ways than one, or repeats it")
			}
		}
	}
}

// keepJoined marks elementwise values that only a concatenation reads, and only through a reshape. Each is computed
// directly in its slice of the concatenation, which might be impossible if the reshape were pushed through.
func (w *viewer) keepJoined(v *ir.Value) {
	for _, a := range v.Args {
		if a.Op != ir.OpUnsqueeze && a.Op != ir.OpReshape || *w.uses.At(a) > 1 {
			continue
		}
		if x := a.Args[0]; x.Op.IsElementwise() && *w.uses.At(x) == 1 {
			w.s.store(x, "a concatenation reads it under another shape")
		}
	}
}

// whole makes sure that operand i of v has one stride for each of its axes. v is computed in a loop of its own. If no
// layout has these strides, the operand is copied.
func (w *viewer) whole(v *ir.Value, i int) error {
	a := v.Args[i]
	if inAxes(a) {
		return nil
	}
	if l, ok := a.Attr.At.Reshape(rewrite.Extents(a)...); ok {
		v.Args[i] = w.at(a, l)
		return nil
	}
	c, err := w.copyOf(a, a.Pos, fmt.Sprintf("the reshape to %s is no view of %s, and a %s needs its axes", a.Type.Shape, a.Attr.At, v.Op))
	v.Args[i] = c
	return err
}

// finer makes sure that operand i of v has strides along its axes or along a refinement of them. If neither layout
// exists, the operand is copied.
func (w *viewer) finer(v *ir.Value, i int) error {
	a := v.Args[i]
	if inAxes(a) {
		return nil
	}
	if _, ok := a.Attr.At.Reshape(rewrite.Extents(a)...); !ok {
		if ls, ok := layout.Refine(*a.Attr.At, rewrite.Apart(rewrite.Extents(a))); ok {
			v.Args[i] = w.at(a, ls[0])
			return nil
		}
	}
	return w.whole(v, i)
}

// at returns an access to a's buffer with the layout l, which may have other axes than a's layout.
func (w *viewer) at(a *ir.Value, l layout.Layout) *ir.Value {
	b, attr := *a, *a.Attr
	attr.At, b.Attr = &l, &attr
	return w.s.Func.Append(b)
}

// dot makes sure that both operands of the product v have strides along their axes or a refinement of them, as image
// windows do. If the refinements of the two operands disagree about the contracted pairs or the batch, the right
// operand gets strides along its own axes.
func (w *viewer) dot(v *ir.Value) error {
	for i := range v.Args {
		if err := w.finer(v, i); err != nil {
			return err
		}
	}
	if v.Op == ir.OpDotBytes { // is read from panels
		return w.whole(v, 1)
	}
	w.space.Reset()
	x, y := matricesOf(&w.space, v.Args[0]), matricesOf(&w.space, v.Args[1])
	batch := rewrite.Extents(v)[:len(v.Type.Shape)-2]
	_, paired := w.space.Refine(x.cols, y.rows)
	if _, ok := w.space.Refine(x.lead, y.lead, rewrite.Apart(batch)); !ok || !paired {
		return w.whole(v, 1)
	}
	return nil
}

// keepTaps marks values to be stored that are computed of taps and read with their axes permuted in memory.
func (w *viewer) keepTaps() {
	if w.s.Tapped == nil {
		return
	}
	of := w.s.OfTaps()
	for _, v := range w.s.Func.Body {
		if v.Op != ir.OpPermute {
			continue
		}
		if x := rewrite.Viewed(v); *of.At(x) && !slices.IsSorted(rewrite.OrderInMemory(v)) {
			w.s.store(x, "windows of single channels are read in the order of memory, and this is read in another one")
		}
	}
}

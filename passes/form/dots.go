package form

import "github.com/stridefuse/stridefuse/passes/rewrite"

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Products of matrices read each operand many times, so each is a loop of its own
// between buffers; a row group hands its rows on to others through the cache.

// inAxes reports whether the layout of a has the axes of its type. The windows of an image as
// a matrix have more: no reshape makes an axis of their rows.
func inAxes(a *ir.Value) bool {
	return a.Op != ir.OpAccess || rewrite.HasExtents(a.Attr.At.Shape, a)
}

// keepOperands notes the values that products, ops on lines and scans read in more ways than one,
// as x - mean in the covariances of x, or repeat, as a gather does its indices: each is stored
// once, and its views read that. A view that was pushed through would be stored as well, however
// cheap the value is.
func (w *viewer) keepOperands() {
	if rewrite.Multiplies(w.s.Func) {
		w.keepTaps()
	}
	as := map[*ir.Value]*ir.Value{} // the operand as which a value is read
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

// keepJoined notes the values that a join alone reads, under another shape: each is stored in its slice by
// the loop that computes it, and a reshape that was pushed through could part it from that.
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

// whole makes sure that operand i of v, which is computed alone, has strides along
// its axes.
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

// finer makes sure that operand i of v has strides along its axes, or along axes that make
// these up.
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

// at returns an access as a reads, whose layout has other axes.
func (w *viewer) at(a *ir.Value, l layout.Layout) *ir.Value {
	b, attr := *a, *a.Attr
	attr.At, b.Attr = &l, &attr
	return w.s.Func.Append(b)
}

// dot makes sure that the operands of v have strides along their axes or along finer ones,
// as windows do, with the same pairs in both.
func (w *viewer) dot(v *ir.Value) error {
	for i := range v.Args {
		if err := w.finer(v, i); err != nil {
			return err
		}
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

// keepTaps notes the values that are computed of taps and read with their axes in another order.
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

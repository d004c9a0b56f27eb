package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Depthwise convolutions, of one channel to one: y[c,i,j] is the sum of w[c,p,q] * x[c,i*s+p,j*s+q] over the elements
// p, q of a window. In the graph they are chains of fused multiply-adds, one for each p, q: a slice of x times a weight for each
// channel, and what is added up so far. They are computed in the order of axes that their operand has in memory, line by
// line or with the channels in vectors. What reads them in another order reads what is stored.

// depthwise returns which values are the elements of such a convolution, or are computed of one, element by element.
func (s *State) depthwise() valueMap[bool] {
	of := mapIn(&s.pass.flags, s.Func)
	for _, v := range s.Func.Body {
		if !v.Op.IsElementwise() {
			continue
		}
		is := s.isTap(v)
		for _, a := range v.Args {
			x := viewed(a)
			is = is || *of.at(x) && size(x.Type.Shape) == size(v.Type.Shape)
		}
		*of.at(v) = is
	}
	return of
}

// isTap reports whether a value adds products of the elements of a slice, whose axes are in the order of memory, with
// others that never change and differ.
func (s *State) isTap(v *ir.Value) bool {
	if v.Op != ir.OpFMA {
		return false
	}
	x, w := v.Args[0], v.Args[1]
	if s.neverChanges(x) {
		x, w = w, x
	}
	if !s.neverChanges(w) || size(w.Type.Shape) == 1 || !viewsBy(x, ir.OpSlice) {
		return false
	}
	l, ok := memoryOf(x)
	return ok && slices.IsSorted(orderOf(l))
}

// memoryOf returns where the elements of a value are in the memory of that which it views, if strides of its axes say so.
func memoryOf(x *ir.Value) (layout.Layout, bool) {
	if !x.Op.IsView() {
		return layoutOf(x), true
	}
	l, ok := memoryOf(x.Args[0])
	if !ok {
		return l, false
	}
	l, err := x.Layout(l)
	return l, err == nil
}

// neverChanges reports whether a value has elements of a param that never changes, as they are.
func (s *State) neverChanges(v *ir.Value) bool {
	for v.Op.IsView() || v.Op == ir.OpCopy {
		v = v.Args[0]
	}
	return s.frozen[v]
}

// viewsBy reports whether x is a view by way of an op.
func viewsBy(x *ir.Value, op ir.Op) bool {
	for ; x.Op.IsView(); x = x.Args[0] {
		if x.Op == op {
			return true
		}
	}
	return false
}

// keepDepthwise notes the depthwise convolutions that are read with their axes in another order.
func (w *viewer) keepDepthwise() {
	of := w.s.depthwise()
	for _, v := range w.s.Func.Body {
		if v.Op != ir.OpPermute {
			continue
		}
		if x := viewed(v); *of.at(x) {
			w.store(x, "windows of single channels are read in the order of memory, and this is read in another one")
		}
	}
}

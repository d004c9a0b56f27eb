package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Convolutions of single channels are chains of fused multiply-adds: the elements of a slice, which all windows have
// at one place, times a weight for each channel, and what is added up so far. They are computed in the order of axes that their operand has in memory, line by
// line or with the channels in vectors. What reads them in another order reads what is stored.

// singles returns which values are the elements of such a convolution, or are computed of one, element by element.
func (s *State) singles() valueMap[bool] {
	single := newValueMap[bool](s.Func)
	for _, v := range s.Func.Body {
		if !v.Op.IsElementwise() {
			continue
		}
		of := s.weighsSlice(v)
		for _, a := range v.Args {
			x := viewed(a)
			of = of || *single.at(x) && size(x.Type.Shape) == size(v.Type.Shape)
		}
		*single.at(v) = of
	}
	return single
}

// weighsSlice reports whether a value adds products of the elements of a slice, whose axes are in the order of memory, with
// others that never change and differ.
func (s *State) weighsSlice(v *ir.Value) bool {
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

// keepSingles notes the convolutions of single channels that are read with their axes in another order.
func (w *viewer) keepSingles() {
	single := w.s.singles()
	for _, v := range w.s.Func.Body {
		if v.Op != ir.OpPermute {
			continue
		}
		if x := viewed(v); *single.at(x) {
			w.store(x, "windows of single channels are read in the order of memory, and this is read in another one")
		}
	}
}

package rewrite

import (
	"cmp"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Orders computes elementwise values, and joins of them, with their axes in the order in which memory has
// the product that they depend on. Where windows are the left operand of a product, channels are the last axis
// in memory: bias, activation and the maxima of a pooling are then computed on whole vectors of
// channels, and what is padded by a join is stored between its borders. A next product may read its windows
// in that order too. Otherwise the last of these values is stored in its own order, by a transpose. After a 2x2
// pooling that has a quarter of the elements.
//
// A value is computed in another order if its operands have one and the same order in memory, but
// for those that vary along one axis at most, and if all that is computed of it is such a value. A
// join is never the last one: nothing is transposed for the sake of being copied.
//
// Requires: views are ops.
// Ensures: values have the types that they had; of those in another order readers see a permute.
func Orders(s *State) error {
	if s.NoFuse || !Multiplies(s.Func) {
		return nil
	}
	o := &orderer{s: s, ofTaps: s.OfTaps(), last: map[*ir.Value]bool{}}
	for o.find() {
	}
	for v := range o.axes {
		if !o.last[v] {
			return s.Rewrite(o.reorder)
		}
	}
	return nil
}

type orderer struct {
	s      *State
	ofTaps ValueMap[bool]      // values that are computed in the order of a convolution
	axes   map[*ir.Value][]int // of the values whose operands have another order: the axes in that order
	last   map[*ir.Value]bool  // those of which something is computed in its own order, or that are results
}

// find computes axes and last, and reports whether last has grown: then axes may be too many.
func (o *orderer) find() bool {
	o.axes = map[*ir.Value][]int{}
	known := len(o.last)
	for _, v := range o.s.Func.Body {
		if v.Op.IsView() {
			continue
		}
		if v.Op.IsElementwise() || isTapped(v) || v.Op == ir.OpConcat && !o.last[v] {
			if axes := o.common(v); axes != nil {
				o.axes[v] = axes
				continue
			}
		}
		for i, a := range v.Args {
			if i > 0 || !v.Op.IsProduct() || !o.readsInOrder(a) {
				o.end(a)
			}
		}
	}
	for _, r := range o.s.Func.Results {
		o.end(r)
	}
	return len(o.last) > known
}

// readsInOrder reports whether a product reads x, its left operand, as fast where channels are the last axis in
// memory: x is windows of a value with few channels, so that the elements of one are in many sets of the
// first-level cache.
func (o *orderer) readsInOrder(x *ir.Value) bool {
	v := Viewed(x)
	axes := o.axes[v]
	return axes != nil && viewsBy(x, ir.OpWindow) && LayoutOf(v).Shape[axes[len(axes)-1]]*v.Type.DType.Size() <= channelBytes
}

// end notes that something is computed in its own order of the value that x is a view of. A convolution of single channels
// is in the order of its operand all the same.
func (o *orderer) end(x *ir.Value) {
	if x = Viewed(x); o.axes[x] != nil && !*o.ofTaps.At(x) {
		o.last[x] = true
	}
}

// common returns the axes of an elementwise value in the order that its operands have in memory, or
// nil if that is its own, or if they have different ones.
func (o *orderer) common(v *ir.Value) (axes []int) {
	args := v.Args
	if isTapped(v) { // which is in the order of its operand, whatever that of the weights is
		args = args[:1]
	}
	for _, a := range args {
		l, ok := memoryOf(a, o.layout)
		switch {
		case !ok:
			return nil
		case !flat(l):
			b := Viewed(a)
			if !(b.Op.IsProduct() || o.axes[b] != nil && !o.last[b]) || v.Op.IsElementwise() && !a.Type.Shape.Equal(v.Type.Shape) {
				return nil
			}
			of := orderOf(l)
			if axes != nil && !slices.Equal(axes, of) {
				return nil
			}
			axes = of
		}
	}
	if slices.IsSorted(axes) {
		return nil
	}
	return axes
}

// Viewed returns the value that x is a view of.
func Viewed(x *ir.Value) *ir.Value {
	for x.Op.IsView() {
		x = x.Args[0]
	}
	return x
}

// layout returns where a value that is no view has its elements.
func (o *orderer) layout(x *ir.Value) layout.Layout {
	l := LayoutOf(x)
	if axes := o.axes[x]; axes != nil && !o.last[x] {
		at := 1
		for _, k := range slices.Backward(axes) {
			l.Strides[k] = at
			at *= l.Shape[k]
		}
	}
	return l
}

// flat reports whether elements differ along one axis at most.
func flat(l layout.Layout) bool {
	n := 0
	for k, e := range l.Shape {
		if e > 1 && l.Strides[k] != 0 {
			n++
		}
	}
	return n < 2
}

// orderOf returns the axes of a layout in the order of memory. Those along which no element differs come first.
func orderOf(l layout.Layout) []int {
	rank := func(k int) int {
		switch n := l.Strides[k]; {
		case l.Shape[k] == 1 || n == 0:
			return math.MinInt
		default:
			return -max(n, -n)
		}
	}
	axes := axesFrom(0, len(l.Shape))
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return axes
}

// reorder returns v computed in another order and seen in its own.
func (o *orderer) reorder(v *ir.Value) (*ir.Value, error) {
	axes := o.axes[v]
	if axes == nil || o.last[v] || isTapped(v) {
		return v, nil
	}
	a, args := adder{f: o.s.Func, v: v}, slices.Clone(v.Args)
	for i, x := range args {
		if len(x.Type.Shape) > 0 {
			args[i] = a.permuted(a.reshaped(x, slices.Concat(ones(len(axes)-len(x.Type.Shape)), x.Type.Shape)), axes)
		}
	}
	attr := *v.Attr
	if v.Op == ir.OpConcat {
		attr.Axis = slices.Index(axes, attr.Axis)
	}
	y := a.add(v.Op, attr, args...)
	o.s.Ledger.add(plan.Decision{Kind: plan.Rewritten, Op: v.Op, Pos: v.Pos, Reason: "its operands have another order of axes in memory, and so does all that is computed of it"}, y)
	return a.permuted(y, inverse(axes)), a.err
}

// ones returns a shape of so many axes of extent 1.
func ones(rank int) (s ir.Shape) {
	for range rank {
		s = append(s, ir.Fixed(1))
	}
	return s
}

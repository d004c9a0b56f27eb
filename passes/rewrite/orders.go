package rewrite

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Orders computes values with their axes in the order of memory, and stores products and concatenations in the order in
// which products read them (orders_read.go). It permutes elementwise values, and joins of these, to
// the order in which memory holds the product that they are computed from. Example: if windows are the left operand of a
// convolution's product, channels are last in memory. Bias, activation and pooling then run on whole vectors of channels,
// and a join that pads the result stores it between the borders. A convolution of taps is written as a sum along the axes
// of its operand in memory (taps.go).
//
// A value is permuted if its operands agree on an order in memory and every reader is permuted too. Operands that
// vary along at most one axis agree with any order. A reader outside, other than a product that reads windows as fast
// in this order, makes a value the last of its chain; that one is stored in its own order, by a transpose. After a
// 2x2 pooling the transpose moves a quarter of the elements. A join is never the last: transposing it would be one
// more copy.
//
// Requires: views are ops; every convolution is of taps.
// Ensures: values keep their types; readers see a permuted value through a permute; no convolution.
func Orders(s *State) error {
	o := &orderer{s: s, taps: slices.ContainsFunc(s.Func.Body, isTapped)}
	permutes := false
	if !s.NoFuse && Multiplies(s.Func) {
		o.ofTaps, o.last = s.OfTaps(), map[*ir.Value]bool{}
		for o.find() {
		}
		for v := range o.axes {
			permutes = permutes || !o.last[v]
		}
	}
	if o.taps {
		s.Tapped = map[*ir.Value]bool{}
	}
	if o.taps || permutes {
		if err := s.Rewrite(o.reorder); err != nil {
			return err
		}
	}
	return s.storeAsRead()
}

// CheckOrders returns an error if the graph has a convolution.
func CheckOrders(s *State) error {
	for _, v := range s.Func.Body {
		if v.Attr.Conv != nil {
			return fmt.Errorf("%%%d is a %s", v.ID, v.Op)
		}
	}
	return nil
}

// orderer finds the values that Orders permutes: those in axes but not in last.
type orderer struct {
	s      *State
	taps   bool                // the graph has convolutions of taps
	ofTaps ValueMap[bool]      // values computed in the order of a convolution of taps
	axes   map[*ir.Value][]int // by value whose operands have another order in memory: its axes in that order
	last   map[*ir.Value]bool  // stored in their own order: results, and values with a reader that is not permuted
}

// find sets axes and last. It reports whether last has grown; then find must run again, because axes depends on last.
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

// readsInOrder reports whether a product reads its left operand x fast with channels last in memory: x is windows of
// a value with few channels. The elements of one channel are then so close that they do not compete for the same sets
// of the first-level cache.
func (o *orderer) readsInOrder(x *ir.Value) bool {
	v := Viewed(x)
	axes := o.axes[v]
	return axes != nil && viewsBy(x, ir.OpWindow) && LayoutOf(v).Shape[axes[len(axes)-1]]*v.Type.DType.Size() <= channelBytes
}

// end marks the value below the views of x as last, because a reader needs it in its own order. A convolution of taps
// keeps the order of its operand in any case.
func (o *orderer) end(x *ir.Value) {
	if x = Viewed(x); o.axes[x] != nil && !*o.ofTaps.At(x) {
		o.last[x] = true
	}
}

// common returns the axes of v in the order in which its operands lie in memory. It returns nil if this is the order
// of v, or if operands disagree.
func (o *orderer) common(v *ir.Value) (axes []int) {
	args := v.Args
	if isTapped(v) { // a convolution of taps follows its operand, not its weights
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

// Viewed returns the value below the views of x.
func Viewed(x *ir.Value) *ir.Value {
	for x.Op.IsView() {
		x = x.Args[0]
	}
	return x
}

// layout returns the layout of a value that is no view.
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

// flat reports whether elements differ along at most one axis.
func flat(l layout.Layout) bool {
	n := 0
	for k, e := range l.Shape {
		if e > 1 && l.Strides[k] != 0 {
			n++
		}
	}
	return n < 2
}

// orderOf returns the axes of a layout in the order of memory, largest stride first. Axes of extent 1 or stride 0
// come before all others.
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

// reorder returns a permute of v, where v is computed with its axes in the order of memory.
func (o *orderer) reorder(v *ir.Value) (*ir.Value, error) {
	a, axes := adder{f: o.s.Func, v: v}, o.axes[v]
	switch {
	case isTapped(v):
		return o.s.sumOfTaps(&a, OrderInMemory(v.Args[0])), a.err
	case o.taps && v.Op == ir.OpPermute && v.Args[0].Op == ir.OpPermute: // readers in the order of a sum then see no permute
		return a.permuted(v.Args[0], v.Attr.Axes), a.err
	case axes == nil || o.last[v]:
		return v, nil
	}
	args := slices.Clone(v.Args)
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

// ones returns a shape of rank axes of extent 1.
func ones(rank int) (s ir.Shape) {
	for range rank {
		s = append(s, ir.Fixed(1))
	}
	return s
}

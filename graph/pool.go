package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// PoolOptions are the settings of pooling. Each list has a number for each spatial axis; nil means the default.
type PoolOptions struct {
	Size          []int // size of the windows
	Strides       []int // distance between windows, default 1
	Dilations     []int // distance between elements of a window, default 1
	Before, After []int // padding around the operand, default 0; it contributes no elements
	Ceil          bool  // a last window may extend beyond the end if it begins before it
	CountPadding  bool  // AvgPool counts padding in its divisor
}

// MaxPool returns the greatest element of each window of x, [n, c, spatial axes], or NaN if the window contains one.
// Padding is never the greatest. A window without elements gives the least value of the type, such as -Inf. The axes
// are reduced one after the other, so a window of h*w elements takes h+w comparisons.
func (x Node) MaxPool(o PoolOptions) Node {
	y := x.pooled(&o, ir.OpMax, func(x Node) Node {
		if x.Err() != nil {
			return x
		}
		n, known := x.n.typ.Shape[x.Rank()-1].Int()
		if !known || n > shortWindow {
			return x.Max(-1)
		}
		y := x.Index(-1, 0)
		for i := 1; i < n; i++ {
			y = y.Maximum(x.Index(-1, i))
		}
		return y
	})
	return y.ruled(func(y, g Node) []Node { return []Node{x.pullMaxPool(y, g, &o)} }, x)
}

// pullMaxPool divides the cotangent g of each window equally among the elements of the window that are equal to y. The
// comparisons of MaxPool would divide it unequally.
func (x Node) pullMaxPool(y, g Node, o *PoolOptions) Node {
	n := len(o.Size)
	x = Node{x.n.unnamed()}
	padded := o.padded(x)
	windows := padded
	for i := range o.Size {
		windows = windows.Window(2+i, o.Size[i], o.Strides[i], o.Dilations[i])
	}
	if windows.Err() != nil {
		return windows
	}
	taps := upTo(2 + 2*n)[2+n:]
	each := func(y Node) Node { return y.Unsqueeze(taps).BroadcastTo(windows.n.typ.Shape) }
	tie := windows.Eq(each(y))
	elements, _ := ir.ShapeOf(o.Size...).NumElems().Int()
	few := elements <= mostTaps
	count := Node{}
	if few {
		count = x.Scalar(0).as(x.DType().Compute())
		for at := range everyIndex(o.Size) {
			t := windows
			for i, j := range slices.Backward(at) {
				t = t.Index(2+n+i, j)
			}
			count = count.Add(t.Eq(y).Cast(count.DType()))
		}
	} else {
		count = tie.counted(taps)
	}
	share := g.shared(count)
	apart := slices.Equal(o.Strides, o.Size) && !slices.ContainsFunc(o.Dilations, func(d int) bool { return d != 1 })
	switch {
	case apart:
		return VJP(padded, Where(tie, each(share), 0).sideBySide(padded.n.typ.Shape), x)[0]
	case few:
		return VJP(padded, padded.sharesOf(y, share, o), x)[0]
	}
	return VJP(windows, Where(tie, each(share), 0), x)[0]
}

// mostTaps is the most elements of a window for which each element has an expression of its own in the derivative of
// MaxPool.
const mostTaps = 16

// sharesOf returns the sum, for each element of x, of the shares of the windows that reach it and whose greatest
// element y it equals. The windows' results stand strides apart between zeros, so the windows that reach an element as
// their element j are a slice, for each j.
func (x Node) sharesOf(y, share Node, o *PoolOptions) Node {
	for i := range o.Size {
		reach := (o.Size[i] - 1) * o.Dilations[i]
		extent := x.n.typ.Shape[2+i].Add(ir.Fixed(reach))
		y, share = y.place(2+i, ir.Fixed(reach), o.Strides[i], extent), share.place(2+i, ir.Fixed(reach), o.Strides[i], extent)
	}
	sum := Node{}
	for at := range everyIndex(o.Size) {
		a, b := y, share
		for i, j := range at {
			begin := ir.Fixed((o.Size[i] - 1 - j) * o.Dilations[i])
			a, b = a.span(2+i, begin, x.n.typ.Shape[2+i]), b.span(2+i, begin, x.n.typ.Shape[2+i])
		}
		part := Where(x.Eq(a), b, 0)
		if sum.n == nil {
			sum = part
		} else {
			sum = sum.Add(part)
		}
	}
	return sum
}

// sideBySide returns windows [n, c, windows, elements of a window] that do not overlap in the places of an array of the
// given shape, with zeros for elements in no window.
func (x Node) sideBySide(shape Shape) Node {
	n, windows := len(shape)-2, x.Shape()
	order, extents := []int{0, 1}, slices.Clone(windows[:2])
	for i := range n {
		order = append(order, 2+i, 2+n+i)
		extents = append(extents, windows[2+i].Mul(windows[2+n+i]))
	}
	x = x.Permute(order).Reshape(extents)
	for i := range n {
		size, _ := windows[2+n+i].Int()
		x = x.resized(2+i, shape[2+i], size-1)
	}
	return x
}

// padded returns x with the least value as padding.
func (o *PoolOptions) padded(x Node) Node {
	before, after := append([]int{0, 0}, o.Before...), append([]int{0, 0}, o.After...)
	for i := range o.Size {
		if extent, known := x.n.typ.Shape[2+i].Int(); o.Ceil && known {
			after[2+i] += o.overhang(i, extent)
		}
	}
	lowest, _ := ir.OpMax.Info().Identity(x.DType())
	return x.pad(before, after, PadConstant, apply(ir.OpConst, ir.Attr{DType: x.DType(), Bits: lowest}))
}

// shortWindow is the most elements of a window that are compared one after the other in one loop.
const shortWindow = 8

// AvgPool returns the mean of each window of x, [n, c, spatial axes]: of the elements of x, or with CountPadding also
// of the padding. Elements that Ceil adds never count. The mean of no elements is NaN. If windows have different
// counts, because of Ceil or of padding without CountPadding, the spatial extents must be known before the program
// runs.
func (x Node) AvgPool(o PoolOptions) Node {
	return x.inComputeType(func(x Node) Node { return x.avgPool(o) })
}

func (x Node) avgPool(o PoolOptions) Node {
	sums := x.pooled(&o, ir.OpAdd, func(x Node) Node { return x.reduce(ir.OpSum, []any{-1}) })
	if sums.Err() != nil {
		return sums
	}
	if !ir.Reals.Has(sums.DType()) {
		return fail("does not take %s: Cast to a float type", sums.DType())
	}
	for i, size := range o.Size {
		counts, err := o.counts(x.n.typ.Shape, i)
		switch {
		case err != nil:
			return fail("%w", err)
		case counts == nil:
			sums = sums.Div(size)
			continue
		}
		shape := repeated(1, len(o.Size)-i)
		shape[0] = len(counts)
		sums = sums.Div(Const(Of(counts, shape...)).Cast(sums.DType()))
	}
	return sums
}

// LpPool returns the p-norm of each window of x, [n, c, spatial axes]: the p-th root of the sum of the p-th powers of
// the magnitudes. x has a float type.
func (x Node) LpPool(p float64, o PoolOptions) Node {
	return x.inComputeType(func(x Node) Node { return x.lpPool(p, o) })
}

func (x Node) lpPool(p float64, o PoolOptions) Node {
	if x.Err() == nil && !ir.Reals.Has(x.DType()) {
		return fail("does not take %s: Cast to a float type", x.DType())
	}
	powers := x.Abs()
	if p != 1 {
		powers = powers.Pow(p)
	}
	sums := powers.pooled(&o, ir.OpAdd, func(x Node) Node { return x.Sum(-1) })
	if p == 1 {
		return sums
	}
	return sums.Pow(1/p).ruled(func(y, g Node) []Node { return []Node{ratioOr0(y.Mul(g).Mul(1/p), sums)} }, sums)
}

// pooled reduces windows along one spatial axis after the other. Padding is an element that does not change the result.
func (x Node) pooled(o *PoolOptions, by ir.Op, reduce func(Node) Node) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if err := o.check(n.typ.Shape); err != nil {
		return fail("%w: %s", err, n.text())
	}
	neutral, ok := by.Info().Identity(n.typ.DType)
	if by == ir.OpAdd {
		neutral = 0
	}
	if !ok {
		return fail("%w", ir.DoesNotTake(by.Info().Domain, n.typ.DType))
	}
	y := x
	for i := range o.Size {
		before, after := make([]int, len(n.typ.Shape)), make([]int, len(n.typ.Shape))
		before[2+i], after[2+i] = o.Before[i], o.After[i]
		if o.Ceil {
			extent, known := n.typ.Shape[2+i].Int()
			if !known {
				return fail("with Ceil the extent of axis %d of %s must be known before the program runs", 2+i, n.text())
			}
			after[2+i] += o.overhang(i, extent)
		}
		y = y.pad(before, after, PadConstant, apply(ir.OpConst, ir.Attr{DType: n.typ.DType, Bits: neutral}))
		y = reduce(y.Window(2+i, o.Size[i], o.Strides[i], o.Dilations[i]))
	}
	return y
}

// overhang returns how many elements the last window of a spatial axis extends beyond the padded end.
func (o *PoolOptions) overhang(i, extent int) int {
	span := (o.Size[i]-1)*o.Dilations[i] + 1
	room := o.Before[i] + extent + o.After[i] - span
	if room < 0 || room%o.Strides[i] == 0 {
		return 0
	}
	last := (room/o.Strides[i] + 1) * o.Strides[i]
	if last >= o.Before[i]+extent { // the window would begin in the padding after the end
		return 0
	}
	return last - room
}

// counts returns the number of counted elements of each window along a spatial axis, or nil if all windows are full.
func (o *PoolOptions) counts(s Shape, i int) ([]float64, error) {
	padded := o.Before[i]+o.After[i] > 0
	extent, known := s[2+i].Int()
	switch {
	case !known && padded && !o.CountPadding:
		return nil, fmt.Errorf("the extent of axis %d of shape %s must be known before the program runs, to tell what is padding", 2+i, s)
	case !known || !o.Ceil && (!padded || o.CountPadding):
		return nil, nil
	}
	least, end := 0, extent
	if o.CountPadding {
		least, end = -o.Before[i], extent+o.After[i]
	}
	span := (o.Size[i]-1)*o.Dilations[i] + 1
	room := o.Before[i] + extent + o.After[i] - span
	if o.Ceil {
		room += o.overhang(i, extent)
	}
	if room/o.Strides[i] >= mostCounts {
		return nil, fmt.Errorf("%d windows along axis %d with different numbers of elements: the most is %d", room/o.Strides[i]+1, 2+i, mostCounts)
	}
	counts := make([]float64, room/o.Strides[i]+1)
	for w := range counts {
		begin := w*o.Strides[i] - o.Before[i]
		first := max(0, ceilDiv(least-begin, o.Dilations[i]))
		behind := min(o.Size[i], ceilDiv(end-begin, o.Dilations[i]))
		counts[w] = float64(max(0, behind-first))
	}
	return counts, nil
}

// mostCounts is the most numbers that AvgPool captures along an axis.
const mostCounts = 1 << 24

// MaxPoolIndices returns, for each window that MaxPool reduces, the row-major index of its greatest element among all
// elements of x, as Int64; of equal elements the first. The spatial extents must be known before the program runs, and
// a window has at most 4096 elements.
func (x Node) MaxPoolIndices(o PoolOptions) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if err := o.check(n.typ.Shape); err != nil {
		return fail("%w: %s", err, n.text())
	}
	s, ok := n.typ.Shape.Ints()
	if !ok {
		return fail("the extents of %s must be known before the program runs", n.text())
	}
	lowest, _ := ir.OpMax.Info().Identity(n.typ.DType)
	before, after := append([]int{0, 0}, o.Before...), append([]int{0, 0}, o.After...)
	all := Iota(Int64, ir.ShapeOf(s...).NumElems()).Reshape(n.typ.Shape)
	for i := range o.Size {
		if o.Ceil {
			after[2+i] += o.overhang(i, s[2+i])
		}
	}
	y := x.pad(before, after, PadConstant, apply(ir.OpConst, ir.Attr{DType: n.typ.DType, Bits: lowest}))
	all = all.Pad(before, after, PadConstant)
	for i := range o.Size {
		y, all = y.Window(2+i, o.Size[i], o.Strides[i], o.Dilations[i]), all.Window(2+i, o.Size[i], o.Strides[i], o.Dilations[i])
	}
	if y.Err() != nil {
		return y
	}
	if elements, ok := ir.ShapeOf(o.Size...).NumElems().Int(); !ok || elements > mostCompared {
		return fail("windows of size %v: they have up to %d elements", o.Size, mostCompared)
	}
	var best, index Node
	for at := range everyIndex(o.Size) {
		a, b := y, all
		for i, j := range slices.Backward(at) {
			a, b = a.Index(len(s)+i, j), b.Index(len(s)+i, j)
		}
		if best.n == nil {
			best, index = a, b
			continue
		}
		greater := a.Gt(best)
		best, index = Where(greater, a, best), Where(greater, b, index)
	}
	return index
}

// mostCompared limits the elements of a window that are compared one after the other.
const mostCompared = 1 << 12

// GlobalMaxPool returns the greatest elements along the spatial axes of x,
// [n, c, spatial axes], with extents of 1 for those.
func (x Node) GlobalMaxPool() Node { return x.Max(spatialAxes(x), KeepDims) }

// GlobalAvgPool returns the means along the spatial axes of x, [n, c, spatial axes], with
// extents of 1 for those.
func (x Node) GlobalAvgPool() Node { return x.Mean(spatialAxes(x), KeepDims) }

// spatialAxes returns the axes after the first two.
func spatialAxes(x Node) []int { return upTo(max(2, x.Rank()))[2:] }

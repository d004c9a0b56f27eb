package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// ConvOptions are the settings of convolutions. A list has a number for each spatial axis;
// nil stands for the default.
type ConvOptions struct {
	Strides       []int // from one window to the next: 1
	Dilations     []int // from one element of a window to the next: 1
	Before, After []int // zeros round the operand: 0; negative numbers crop it
	Groups        int   // groups of channels that are convolved apart: 1
	ChannelsLast  bool  // operand and result have their channels last, [n, h, w, c]
	Extra         []int // of ConvTranspose: more elements at the end of an axis: 0
}

// mostTaps is up to how many elements a window of one channel is a sum of products, written
// out: it reads the operand once, in one loop.
const mostTaps = 64

// Conv returns the convolution of x, [n, c, spatial axes], with weights
// [m, c/Groups, spatial axes], as ONNX and PyTorch define it: element [n, m, o] is the sum
// of the products of the weights of m with the window of x at o*Strides - Before. The
// result is [n, m, windows]. With ChannelsLast x and the result have their channels last,
// the weights stay [m, c/Groups, spatial axes]. Any number of spatial axes will do. Types are those
// of MatMul, and computed as there: Float16 is multiplied and added in float32, and rounded at the end. ConvInteger is
// for bytes.
//
// The windows are a view: no array of them is made. A depthwise convolution, of
// one channel to one, is a sum of products in one loop. Any other is a product of matrices, which
// reads the windows where they are, or block by block into local memory. One filter alone is added in the order of several, one window
// alone as a column alone by MatMul. Padding copies nothing
// into memory: a block of x and its padding is in the cache while its windows are read, and an x that
// is computed is computed inside its padding. One of Float16 is cast there.
func (x Node) Conv(weights any, o ConvOptions) Node {
	return x.convolution(weights, &o, false, func(x, w Node, o *ConvOptions) (Node, error) {
		if err := takesDot(x.DType()); err != nil {
			return x, err
		}
		return x.conv(w, o, ir.OpDot)
	})
}

// convolution checks the arguments of a convolution and builds its graph, of operands that
// have their channels before the spatial axes.
func (x Node) convolution(weights any, o *ConvOptions, transposed bool, build func(x, w Node, o *ConvOptions) (Node, error)) Node {
	n := x.get()
	w := Node{operand(weights, n.typ.DType)}
	if n.err != nil || w.get().err != nil {
		return apply(ir.OpDot, ir.Attr{}, n, w.get())
	}
	err := o.checkConv(n, w.n, transposed)
	first := x
	if o.ChannelsLast {
		first = x.MoveAxis(-1, 1)
	}
	var y Node
	if err == nil {
		y, err = build(first, w, o)
	}
	if err != nil {
		return fail("%w", err)
	}
	return y
}

// conv is Conv by a product of matrices.
func (x Node) conv(w Node, o *ConvOptions, op ir.Op) (Node, error) {
	s, k := x.n.typ.Shape, w.n.typ.Shape
	spatial := len(s) - 2
	g := ir.Fixed(o.Groups)
	if d := x.DType(); ir.Reals.Has(d) && !d.Native() && isTapped(k, o.Groups) { // widen does the same for products
		y, err := x.Cast(d.Compute()).conv(w.Cast(d.Compute()), o, op)
		return y.Cast(d), err
	}
	if none := []int{0, 0}; o.ChannelsLast && isTapped(k, o.Groups) { // in the order of memory, as windows of single channels are read
		last := x.MoveAxis(1, -1)
		x = last.Pad(slices.Concat(none[:1], o.Before, none[1:]), slices.Concat(none[:1], o.After, none[1:]), PadConstant).MoveAxis(-1, 1)
	} else {
		x = x.Pad(append(none, o.Before...), append(none, o.After...), PadConstant)
	}
	padded, weights := x, w
	for i := range spatial {
		size, _ := k[2+i].Int()
		x = x.Window(2+i, size, o.Strides[i], o.Dilations[i])
	}
	if x.Err() != nil {
		return x, nil
	}
	windows := x.n.typ.Shape[2 : 2+spatial]
	if isTapped(k, o.Groups) {
		return tapped(op, padded, w, windows, o), nil
	}
	x = x.Reshape(s[0], g, k[1], x.n.typ.Shape[2:])
	w = w.Reshape(g, k[0].Div(o.Groups), k[1:])
	one := ir.Reals.Has(x.DType()) && mayBe(k[0].Div(o.Groups), 1) // filter of each group
	if one {
		w = w.Pad(make([]int, w.Rank()), slices.Insert(make([]int, w.Rank()-1), 1, 1), PadConstant)
	}
	if x.Err() != nil || w.Err() != nil {
		return apply(ir.OpDot, ir.Attr{}, x.n, w.n), nil
	}
	y := convolved(op, x, w, spatial, o.ChannelsLast)
	if y.Err() != nil {
		return y, nil
	}
	if one {
		filter := 2
		if o.ChannelsLast {
			filter = y.Rank() - 1
		}
		y = y.crop(filter, 0, 1)
	}
	if taps, known := k[2:].NumElems().Int(); one && known && 0 < taps && taps <= mostTaps && mayBe(k[1], 1) {
		y = unlessDepthwise(op, y, padded, weights, windows, o)
	}
	if out := y.n.typ.Shape; o.ChannelsLast {
		return y.Reshape(out[:1+spatial], k[0]), nil
	}
	return y.Reshape(s[0], k[0], y.n.typ.Shape[3:]), nil
}

// mayBe reports whether an extent is n in some run.
func mayBe(d ir.Dim, n int) bool {
	_, known := d.Int()
	return !known || d.Is(n)
}

// unlessDepthwise returns y, the convolution of x, which is padded, or where the run has one channel and one filter in each
// group what tapped returns for these. Numbers of channels that are symbols then give the same bits as those numbers.
func unlessDepthwise(op ir.Op, y, x, w Node, windows Shape, o *ConvOptions) Node {
	s, k, g, d := x.n.typ.Shape, w.n.typ.Shape, ir.Fixed(o.Groups), x.DType()
	x = x.Reshape(s[0], g, k[1], s[2:]).Sum(2) // of one, or not used
	w = w.Reshape(g, k[0].Div(o.Groups), k[1:]).Sum(1, 2).Unsqueeze(1)
	z, filter := tapped(op, x.Cast(d.Compute()), w.Cast(d.Compute()), windows, o).Cast(d), 2
	if o.ChannelsLast {
		filter = -1
	}
	return Where(single(k[0], k[1], o), z.Unsqueeze(filter), y)
}

// single returns whether there are as many as groups of one extent, and one of the other.
func single(all, each ir.Dim, o *ConvOptions) Node {
	return Node{operand(all, Int64)}.Eq(o.Groups).And(Node{operand(each, Int64)}.Eq(1))
}

// convolved returns the sums of products of x, [n, g, c, windows, their elements], and
// w, [g, m, c, elements]: [n, g, m, windows], or [n, windows, g, m].
func convolved(op ir.Op, x, w Node, spatial int, channelsLast bool) Node {
	letters := func(first byte) string {
		var b []byte
		for i := range spatial {
			b = append(b, first+byte(i))
		}
		return string(b)
	}
	windows, elements := letters('o'), letters('A')
	out := "ngm" + windows
	if channelsLast {
		out = "n" + windows + "gm"
	}
	return einsum(op, "ngc"+windows+elements+",gmc"+elements+"->"+out, x, w)
}

// isTapped reports whether tapped computes a convolution with weights [m, c, elements] and a number of groups.
func isTapped(k Shape, groups int) bool {
	taps, known := k[2:].NumElems().Int()
	return known && k[0].Is(groups) && k[1].Is(1) && taps > 0 && taps <= mostTaps
}

// tapped returns the convolution of x, which is padded, for groups of one channel to one: it adds the products of
// one element of all windows after the other.
func tapped(op ir.Op, x, w Node, windows Shape, o *ConvOptions) Node {
	shape, _ := w.n.typ.Shape[2:].Ints()
	if w.n.frozen { // the channels of each element side by side
		w = w.MoveAxis(0, -1).Materialize().MoveAxis(-1, 0)
	}
	var sum Node
	for at := range everyIndex(shape) {
		a, b := x, w
		for i := len(at) - 1; i >= 0; i-- {
			a, b = a.every(2+i, at[i]*o.Dilations[i], windows[i], o.Strides[i], 1+(shape[i]-1)*o.Dilations[i]), b.Index(2+i, at[i])
		}
		for range len(at) - 1 {
			b = b.Unsqueeze(-1)
		}
		switch product := func() Node { return a.elementwise(op.Info().By, b) }; {
		case sum.n == nil:
			sum = product()
		case ir.Reals.Has(x.DType()):
			sum = a.FMA(b, sum)
		default:
			sum = sum.Add(product())
		}
	}
	if o.ChannelsLast {
		return sum.MoveAxis(1, -1)
	}
	return sum
}

// every returns n elements of an axis, the first of them and each one a step behind: one of each of n windows.
func (x Node) every(axis, first int, n ir.Dim, step, size int) Node {
	return x.view(ir.OpSlice, func(*node) (ir.Attr, bool, error) {
		return ir.Attr{Axis: axis, Begin: ir.Fixed(first), Len: n, Step: step, Note: fmt.Sprintf("windows of %d elements along axis %d", size, axis)}, false, nil
	})
}

// everyIndex yields the indices of a shape in row-major order.
func everyIndex(shape []int) func(yield func(at []int) bool) {
	return func(yield func([]int) bool) {
		if slices.Contains(shape, 0) {
			return
		}
		at := make([]int, len(shape))
		for {
			if !yield(at) {
				return
			}
			k := len(shape) - 1
			for ; k >= 0 && at[k] == shape[k]-1; k-- {
				at[k] = 0
			}
			if k < 0 {
				return
			}
			at[k]++
		}
	}
}

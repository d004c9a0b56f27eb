package graph

import (
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
// reads the windows where they are, or block by block into local memory. One filter alone is added in the order of several, the one
// window of one image as one row by MatMul. Padding copies nothing into memory: a block of x and its padding is in the cache while its windows are read, and an x that
// is computed is computed inside its padding. One of Float16 is cast there.
func (x Node) Conv(weights any, o ConvOptions) Node {
	return x.convolution(weights, &o, false, func(x, w Node, o *ConvOptions) (Node, error) {
		if err := takesDot(x.DType()); err != nil {
			return x, err
		}
		return x.conv(w, o, ir.OpConv), nil
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

// conv is a convolution, of channels before the spatial axes.
func (x Node) conv(w Node, o *ConvOptions, op ir.Op) Node {
	y := apply(op, ir.Attr{Conv: &ir.Conv{Groups: o.Groups, Strides: o.Strides, Dilations: o.Dilations, Before: o.Before, After: o.After}}, x.n, w.n)
	if o.ChannelsLast {
		return y.MoveAxis(1, -1)
	}
	return y
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

package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// ConvOptions are the settings of convolutions. Each list has a number for each spatial axis; nil means the default.
type ConvOptions struct {
	Strides       []int // distance between windows, default 1
	Dilations     []int // distance between elements of a window, default 1
	Before, After []int // zeros around the operand, default 0; negative numbers crop it
	Groups        int   // number of groups of channels that are convolved independently, default 1
	ChannelsLast  bool  // operand and result have their channels last: [n, h, w, c]
	Extra         []int // ConvTranspose only: additional elements at the end of an axis, default 0
}

// Conv returns the convolution of x, [n, c, spatial axes], with weights [m, c/Groups, spatial axes], as ONNX and
// PyTorch define it: element [n, m, o] is the sum of the products of filter m with the window of x at o*Strides -
// Before. The result is [n, m, windows]. x may have any number of spatial axes. With ChannelsLast x and the result have
// their channels last; the weights stay [m, c/Groups, spatial axes]. Types are those of MatMul: Float16, for example,
// is multiplied and added in float32 and rounded at the end. Use ConvInteger for bytes.
//
// The windows are a view and never stored as an array. A depthwise convolution is a sum of products in one loop. Any
// other convolution is a product of matrices that reads windows in place, or block by block into local memory. Padding
// is not copied into memory: a block of x and its padding stays in the cache while its windows are read, and an x that
// the program computes is stored directly inside its padding.
//
// The order of additions does not depend on the number of filters, but a single window of a single image is summed as
// MatMul sums a single row.
func (x Node) Conv(weights any, o ConvOptions) Node {
	return x.convolution(weights, &o, false, func(x, w Node, o *ConvOptions) (Node, error) {
		if err := takesDot(x.DType()); err != nil {
			return x, err
		}
		return x.conv(w, o, ir.OpConv), nil
	})
}

// convolution checks the arguments of a convolution and builds its graph, with channels before the spatial axes.
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

// conv describes a convolution, with channels before the spatial axes.
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

package graph

import (
	"github.com/stridefuse/stridefuse/ir"
)

// Window returns the sliding windows of an axis, as NumPy's sliding_window_view: of an
// axis of n elements the (n-1-(size-1)*dilation)/step+1 windows that begin at 0, step,
// 2*step, ... and end inside it. The axis of the result counts the windows, and a new
// last axis has the elements of each, which are dilation apart:
//
//	x.Window(0, 3, 1, 1).Mean(-1) // the moving average of 3
//	x.Window(0, 50, 1, 1).Max(-1) // the maximum of the last 50, by 6 comparisons for each
//
// It is a view, and windows that overlap share their elements: what reduces them reads
// x itself. An axis with no room for one window is an error, as are a size, step or
// dilation below 1.
func (x Node) Window(axis any, size, step, dilation int) Node {
	return x.view(ir.OpWindow, func(n *node) (ir.Attr, bool, error) {
		k, err := n.axis(axis)
		return ir.Attr{Axis: k, Size: size, Step: step, Dilation: dilation}, false, err
	})
}

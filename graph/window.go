package graph

import (
	"github.com/stridefuse/stridefuse/ir"
)

// Window returns the sliding windows of an axis, as NumPy's sliding_window_view. An axis of n elements has
// (n-1-(size-1)*dilation)/step+1 windows, which begin at 0, step, 2*step, ... and end inside it. The axis of the result
// counts the windows. A new last axis has the elements of each window, which are dilation apart:
//
//	x.Window(0, 3, 1, 1).Mean(-1) // the moving average of 3
//	x.Window(0, 50, 1, 1).Max(-1) // the maximum of the last 50, by 6 comparisons for each
//
// It is a view: overlapping windows share their elements, and a reduction of them reads x itself. An axis too short for
// one window is an error, as is a size, step or dilation below 1.
func (x Node) Window(axis any, size, step, dilation int) Node {
	return x.view(ir.OpWindow, func(n *node) (ir.Attr, bool, error) {
		k, err := n.axis(axis)
		return ir.Attr{Axis: k, Size: size, Step: step, Dilation: dilation}, false, err
	})
}

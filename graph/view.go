package graph

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Views map indices and compute nothing: in a compiled program they are strides. An axis is a number, counted from the
// end if negative, or a name. Where several axes are taken, a slice of them may be given.

// Permute returns x with its axes reordered: axis k of the result is axis
// axes[k] of x. Each axis is named once.
func (x Node) Permute(axes ...any) Node {
	return x.view(ir.OpPermute, func(n *node) (ir.Attr, bool, error) {
		order, err := n.axes(axes)
		if err == nil && len(order) != len(n.typ.Shape) {
			err = fmt.Errorf("%d axes given for %s: name each axis once", len(order), n.text())
		}
		return ir.Attr{Axes: order}, slices.IsSorted(order), err
	})
}

// Transpose returns x with its axes in reverse order.
func (x Node) Transpose() Node {
	return x.permuted(func(axes []int) []int {
		slices.Reverse(axes)
		return axes
	})
}

// T is short for Transpose.
func (x Node) T() Node { return x.Transpose() }

// SwapAxes returns x with two axes exchanged.
func (x Node) SwapAxes(a, b any) Node {
	return x.view(ir.OpPermute, func(n *node) (ir.Attr, bool, error) {
		i, err := n.axis(a)
		if err != nil {
			return ir.Attr{}, false, err
		}
		j, err := n.axis(b)
		order := upTo(len(n.typ.Shape))
		if err == nil {
			order[i], order[j] = j, i
		}
		return ir.Attr{Axes: order}, i == j, err
	})
}

// MoveAxis returns x with one axis moved: it becomes axis to of the result, and the others keep their order. A name as
// to is the place that the axis of that name has in x.
func (x Node) MoveAxis(from, to any) Node {
	return x.view(ir.OpPermute, func(n *node) (ir.Attr, bool, error) {
		i, err := n.axis(from)
		if err != nil {
			return ir.Attr{}, false, err
		}
		j, err := n.axis(to)
		if err != nil {
			return ir.Attr{}, false, err
		}
		order := slices.Delete(upTo(len(n.typ.Shape)), i, i+1)
		return ir.Attr{Axes: slices.Insert(order, j, i)}, i == j, nil
	})
}

// permuted reorders the axes 0, 1, ... as given.
func (x Node) permuted(reorder func(axes []int) []int) Node {
	return x.view(ir.OpPermute, func(n *node) (ir.Attr, bool, error) {
		order := reorder(upTo(len(n.typ.Shape)))
		return ir.Attr{Axes: order}, slices.IsSorted(order), nil
	})
}

// upTo returns 0, 1, ..., n-1.
func upTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Flip returns x with the given axes reversed, all of them if none are given.
func (x Node) Flip(axes ...any) Node {
	return x.view(ir.OpFlip, func(n *node) (ir.Attr, bool, error) {
		if len(axes) == 0 {
			return ir.Attr{Axes: upTo(len(n.typ.Shape))}, len(n.typ.Shape) == 0, nil
		}
		flipped, err := n.axes(axes)
		return ir.Attr{Axes: flipped}, len(flipped) == 0, err
	})
}

// BroadcastTo returns x repeated to a shape, by NumPy's rule: shapes are aligned at the last axis, and extents of 1 and
// missing axes repeat. Binary ops broadcast by themselves; with the option WithoutBroadcast they need this method.
func (x Node) BroadcastTo(extents ...any) Node {
	return x.view(ir.OpExpand, func(n *node) (ir.Attr, bool, error) {
		shape, err := extentsOf(extents)
		if err == nil && slices.Contains(shape, ir.Fixed(-1)) {
			err = fmt.Errorf("shape %s has an extent of -1: give the extent", shape)
		}
		return ir.Attr{Shape: shape}, shape.Equal(n.typ.Shape), err
	})
}

// Expand is BroadcastTo under the name that dumps and errors use.
func (x Node) Expand(extents ...any) Node { return x.BroadcastTo(extents...) }

// Diagonal returns the elements of x whose index along axis b is k more than the index along axis a. The diagonal is a
// new last axis that replaces both.
func (x Node) Diagonal(k int, a, b any) Node {
	return x.view(ir.OpDiagonal, func(n *node) (ir.Attr, bool, error) {
		row, err := n.axis(a)
		if err != nil {
			return ir.Attr{}, false, err
		}
		col, err := n.axis(b)
		return ir.Attr{Axes: []int{row, col}, Step: k}, false, err
	})
}

// Squeeze returns x without the given axes, whose extents must be 1. Without arguments it removes all axes of extent 1,
// but not symbolic ones.
func (x Node) Squeeze(axes ...any) Node {
	return x.view(ir.OpSqueeze, func(n *node) (ir.Attr, bool, error) {
		if len(axes) > 0 {
			dropped, err := n.axes(axes)
			return ir.Attr{Axes: dropped}, len(dropped) == 0, err
		}
		var ones []int
		for k, d := range n.typ.Shape {
			if d.Is(1) {
				ones = append(ones, k)
			}
		}
		return ir.Attr{Axes: ones}, len(ones) == 0, nil
	})
}

// Unsqueeze returns x with axes of extent 1 inserted; the arguments are their numbers in the result.
func (x Node) Unsqueeze(axes ...any) Node {
	return x.view(ir.OpUnsqueeze, func(n *node) (ir.Attr, bool, error) {
		added, err := addedAxes(len(n.typ.Shape), axes...)
		return ir.Attr{Axes: added}, len(added) == 0, err
	})
}

// addedAxes returns the numbers of axes that the result of an op adds to rank others. They are given as ints, or slices
// of ints, and have no names yet.
func addedAxes(rank int, args ...any) ([]int, error) {
	args = flat(args)
	out := make([]int, len(args))
	for i, arg := range args {
		a, ok := arg.(int)
		if !ok {
			return nil, fmt.Errorf("an axis of the result is an int, not %T", arg)
		}
		var err error
		if out[i], err = wrapAxis(a, rank+len(args)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ExpandDims is Unsqueeze under NumPy's name.
func (x Node) ExpandDims(axes ...any) Node { return x.Unsqueeze(axes...) }

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

package graph

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Slice returns a view of x by NumPy's notation: one item for each axis,
// separated by commas. "b:e:s" keeps the indices b, b+s, ... before e, an
// integer drops its axis, "None" inserts one of extent 1, and "..." stands for
// the axes that no item takes. Axes at the end may be left out.
//
//	x.Slice("1:, ::-1, 3, ...")
//
// On an axis of known extent bounds are clipped, as in NumPy. On a symbolic one
// they are expressions, "1:-1" of n has n-2 elements, and are not clipped: a
// size that they do not fit is an error when the program runs, at this line.
func (x Node) Slice(spec string) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	items, err := layout.ParseIndex(spec)
	if err != nil {
		return Node{poison(ir.OpSlice, err, n)}
	}
	axes, err := layout.PlaceIndex(items, x.Rank())
	if err != nil {
		return Node{poison(ir.OpSlice, fmt.Errorf("%q of %s: %w", spec, n.text(), err), n)}
	}
	for i, item := range items {
		switch item.Kind {
		case layout.NewAxis:
			x = x.Unsqueeze(axes[i])
		case layout.PointIndex:
			x = x.Index(axes[i], item.At)
		case layout.RangeIndex:
			x = x.sliced(axes[i], item)
		}
	}
	return x
}

// SliceAxis returns x with the indices begin, begin+step, ... before end of one
// axis, by the rules of Slice: negative bounds count from the end.
// math.MaxInt as the end goes through the last index, and math.MinInt, with a
// negative step, through the first.
func (x Node) SliceAxis(axis any, begin, end, step int) Node {
	first, last := math.MinInt, math.MaxInt
	if step < 0 {
		first, last = last, first
	}
	item := layout.IndexItem{Begin: begin, End: end, Step: step, HasBegin: begin != first, HasEnd: end != last}
	if step == 0 {
		return x.view(ir.OpSlice, func(*node) (ir.Attr, bool, error) {
			return ir.Attr{}, false, fmt.Errorf("a step of 0 never ends")
		})
	}
	return x.sliced(axis, item)
}

func (x Node) sliced(axis any, item layout.IndexItem) Node {
	return x.view(ir.OpSlice, func(n *node) (ir.Attr, bool, error) {
		k, err := n.axis(axis)
		if err != nil {
			return ir.Attr{}, false, err
		}
		d := n.typ.Shape[k]
		attr := ir.Attr{Axis: k, Step: item.Step}
		if extent, fixed := d.Int(); fixed {
			begin, count, step := item.Resolve(extent)
			if count == 0 {
				begin = 0
			}
			attr.Begin, attr.Len, attr.Step = ir.Fixed(begin), ir.Fixed(count), step
		} else {
			attr.Begin, attr.Len = symbolicRange(item, d)
		}
		return attr, attr.Begin.Is(0) && attr.Len == d && attr.Step == 1, nil
	})
}

// symbolicRange returns the first index of a range of an axis of extent d, and
// how many there are: ceil((end-begin)/step).
func symbolicRange(item layout.IndexItem, d Extent) (begin, count Extent) {
	begin, end := ir.Fixed(0), d
	if item.Step < 0 {
		begin, end = d.Sub(ir.Fixed(1)), ir.Fixed(-1)
	}
	if item.HasBegin {
		begin = fromEnd(item.Begin, d)
	}
	if item.HasEnd {
		end = fromEnd(item.End, d)
	}
	length, step := end.Sub(begin), item.Step
	if step < 0 {
		length, step = begin.Sub(end), -max(step, -math.MaxInt)
	}
	count = length.Add(ir.Fixed(step - 1)).Div(step)
	if c, fixed := count.Int(); fixed && c <= 0 {
		return ir.Fixed(0), ir.Fixed(0) // empty whatever the extent
	}
	return begin, count
}

// fromEnd counts a negative bound from the end.
func fromEnd(bound int, d Extent) Extent {
	if bound < 0 {
		return d.Add(ir.Fixed(bound))
	}
	return ir.Fixed(bound)
}

// Index returns x at one index of an axis, which is dropped. A negative index
// counts from the end.
func (x Node) Index(axis any, i int) Node {
	return x.view(ir.OpIndex, func(n *node) (ir.Attr, bool, error) {
		k, err := n.axis(axis)
		if err != nil {
			return ir.Attr{}, false, err
		}
		d := n.typ.Shape[k]
		if extent, fixed := d.Int(); fixed && (i < -extent || i >= extent) {
			return ir.Attr{}, false, fmt.Errorf("index %d is outside axis %d of %s: allowed are %d to %d", i, k, n.text(), -extent, extent-1)
		}
		return ir.Attr{Axis: k, Begin: fromEnd(i, d)}, false, nil
	})
}

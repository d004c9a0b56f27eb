package graph

import (
	"fmt"
	"math"
	"strconv"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Slice returns a view of x in NumPy's notation: one item for each axis, separated by commas. "b:e:s" keeps the indices
// b, b+s, ... before e. An integer drops its axis, "None" inserts an axis of extent 1, and "..." stands for the axes
// without an item. Trailing axes may be left out.
//
//	x.Slice("1:, ::-1, 3, ...")
//
// On an axis of known extent bounds are clipped, as in NumPy. On a symbolic axis they are expressions and not clipped:
// "1:-1" of n has n-2 elements, and a size that does not fit is an error of the run, at this line.
func (x Node) Slice(spec string) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	items, err := layout.ParseIndex(spec)
	if err != nil {
		return Node{poison(err, n)}
	}
	axes, err := layout.PlaceIndex(items, x.Rank())
	if err != nil {
		return Node{poison(fmt.Errorf("%q of %s: %w", spec, n.text(), err), n)}
	}
	for i, item := range items {
		switch item.Kind {
		case layout.NewAxis:
			x = x.Unsqueeze(axes[i])
		case layout.PointIndex:
			x = x.index(axes[i], item.At, spec)
		case layout.RangeIndex:
			var begin, end any
			if item.HasBegin {
				begin = item.Begin
			}
			if item.HasEnd {
				end = item.End
			}
			x = x.sliced(axes[i], begin, end, item.Step, spec)
		}
	}
	return x
}

// SliceAxis returns x with the indices begin, begin+step, ... before end of one axis, by the rules of Slice: negative
// bounds count from the end. A bound is an int, or a Dim that counts from the front. math.MaxInt as end includes the
// last index; with a negative step, math.MinInt includes the first.
func (x Node) SliceAxis(axis, begin, end any, step int) Node {
	first, last := any(math.MinInt), any(math.MaxInt)
	if step < 0 {
		first, last = last, first
	}
	if begin == first {
		begin = nil
	}
	if end == last {
		end = nil
	}
	return x.sliced(axis, begin, end, step, "")
}

// sliced is SliceAxis with nil for bounds that are not given, and the text of the item, if there was one.
func (x Node) sliced(axis, begin, end any, step int, text string) Node {
	return x.view(ir.OpSlice, func(n *node) (ir.Attr, bool, error) {
		if step == 0 {
			return ir.Attr{}, false, fmt.Errorf("a step of 0 never ends")
		}
		k, err := n.axis(axis)
		if err != nil {
			return ir.Attr{}, false, err
		}
		d := n.typ.Shape[k]
		attr := ir.Attr{Axis: k, Step: step, Note: text}
		item := layout.IndexItem{Step: step}
		var known [3]bool
		item.Begin, item.HasBegin, known[0] = number(begin)
		item.End, item.HasEnd, known[1] = number(end)
		extent, fixed := d.Int()
		known[2] = fixed
		if known == [3]bool{true, true, true} {
			begin, count, step := item.Resolve(extent)
			if count == 0 {
				begin = 0
			}
			attr.Begin, attr.Len, attr.Step = ir.Fixed(begin), ir.Fixed(count), step
		} else if attr.Begin, attr.Len, err = symbolicRange(begin, end, step, d); err != nil {
			return ir.Attr{}, false, err
		}
		return attr, attr.Begin.Is(0) && attr.Len == d && attr.Step == 1, nil
	})
}

// number returns a bound that is a number, or that it is not given.
func number(bound any) (n int, given, known bool) {
	switch b := bound.(type) {
	case nil:
		return 0, false, true
	case int:
		return b, true, true
	case Extent:
		n, known = b.Int()
		return n, true, known
	}
	return 0, true, false
}

// symbolicRange returns the first index of a range of an axis of extent d, and
// how many there are: ceil((end-begin)/step).
func symbolicRange(begin, end any, step int, d Extent) (first, count Extent, err error) {
	first, last := ir.Fixed(0), d
	if step < 0 {
		first, last = d.Sub(ir.Fixed(1)), ir.Fixed(-1)
	}
	if first, err = bound(begin, d, first); err != nil {
		return first, last, err
	}
	if last, err = bound(end, d, last); err != nil {
		return first, last, err
	}
	length := last.Sub(first)
	if step < 0 {
		length, step = first.Sub(last), -max(step, -math.MaxInt)
	}
	count = length.Add(ir.Fixed(step - 1)).Div(step)
	if c, fixed := count.Int(); fixed && c <= 0 {
		return ir.Fixed(0), ir.Fixed(0), nil // empty for every extent
	}
	return first, count, nil
}

// bound returns a bound as an extent: the default if it is not given; a negative number counts from the end.
func bound(b any, d, otherwise Extent) (Extent, error) {
	switch b := b.(type) {
	case nil:
		return otherwise, nil
	case int:
		return fromEnd(b, d), nil
	case Extent:
		return b, b.Err()
	}
	return otherwise, fmt.Errorf("a bound is an int or a Dim, not %T", b)
}

// fromEnd counts a negative bound from the end.
func fromEnd(bound int, d Extent) Extent {
	if bound < 0 {
		return d.Add(ir.Fixed(bound))
	}
	return ir.Fixed(bound)
}

// Index returns x at one index of an axis, which is dropped. The index is an int, counted from the end if negative, or
// a Dim.
func (x Node) Index(axis, i any) Node { return x.index(axis, i, "") }

func (x Node) index(axis, i any, text string) Node {
	return x.view(ir.OpIndex, func(n *node) (ir.Attr, bool, error) {
		k, err := n.axis(axis)
		if err != nil {
			return ir.Attr{}, false, err
		}
		d := n.typ.Shape[k]
		extent, fixed := d.Int()
		if at, _, known := number(i); i != nil && known && fixed && (at < -extent || at >= extent) {
			if text != "" {
				text = strconv.Quote(text) + ": "
			}
			return ir.Attr{}, false, fmt.Errorf(text+"index %d is outside axis %d of %s: allowed are %d to %d", at, k, n.text(), -extent, extent-1)
		}
		at, err := bound(i, d, ir.Fixed(0))
		if err == nil && i == nil {
			err = fmt.Errorf("an index is an int or a Dim, not nil")
		}
		return ir.Attr{Axis: k, Begin: at, Note: text}, false, err
	})
}

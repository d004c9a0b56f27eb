package graph

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Set returns x with the elements that x.Slice(spec) reads replaced by value: a Node, a Tensor or a Go number that
// broadcasts to the slice. (To replace elements by a mask use Where(mask, value, x).) A contiguous slice is stored
// beside the rest of x, without a temporary; if the result goes to the memory of an input x, the rest is not touched.
// Along an axis whose extent is not known before the program runs, the elements are scattered.
func (x Node) Set(spec string, value any) Node {
	n := x.get()
	v := Node{operand(value, n.typ.DType)}
	if n.err != nil || v.get().err != nil {
		return apply(ir.OpSelect, ir.Attr{}, Scalar(Bool, true).n, n, v.get())
	}
	items, err := layout.ParseIndex(spec)
	var axes []int
	if err == nil {
		axes, err = layout.PlaceIndex(items, len(n.typ.Shape))
	}
	if err != nil {
		return fail("%q of %s: %w", spec, n.text(), err)
	}
	target := x.Slice(spec)
	if target.Err() != nil {
		return target
	}
	y := v.BroadcastTo(target.n.typ.Shape)
	var ranges []setRange
	shift := 0 // difference between an axis of the slice and its axis of x
	for i, item := range items {
		axis := axes[i] + shift
		switch item.Kind {
		case layout.NewAxis:
			y = y.Squeeze(axis)
			shift--
		case layout.PointIndex:
			y = y.Unsqueeze(axis)
			one := layout.IndexItem{Kind: layout.RangeIndex, Begin: item.At, End: item.At + 1, Step: 1, HasBegin: true, HasEnd: item.At != -1}
			ranges = append(ranges, setRange{axis, one})
			shift++
		case layout.RangeIndex:
			ranges = append(ranges, setRange{axis, item})
		}
	}
	// An axis that is replaced as a whole needs no range. One range stays, so that the result is made from x.
	if part := slices.DeleteFunc(slices.Clone(ranges), func(r setRange) bool { return r.all(n.typ.Shape[r.axis]) }); len(part) > 0 {
		ranges = part
	}
	y, err = x.replaced(ranges, y)
	if err != nil {
		return fail("%w", err)
	}
	return y
}

// setRange is the replaced part of an axis.
type setRange struct {
	axis int
	item layout.IndexItem
}

// all reports whether the range covers the whole axis.
func (r setRange) all(d ir.Dim) bool {
	if !r.item.HasBegin && !r.item.HasEnd && r.item.Step == 1 {
		return true
	}
	extent, known := d.Int()
	if !known {
		return false
	}
	_, count, step := r.item.Resolve(extent)
	return count == extent && step == 1
}

// replaced returns x with the elements in ranges of some axes replaced by y, which has all axes.
func (x Node) replaced(ranges []setRange, y Node) (Node, error) {
	if len(ranges) == 0 || x.Err() != nil || y.Err() != nil {
		return y, nil
	}
	r := ranges[0]
	extent, known := x.n.typ.Shape[r.axis].Int()
	if !known {
		return x.scattered(r, ranges[1:], y)
	}
	var err error
	begin, count, step := r.item.Resolve(extent)
	if count == 0 {
		return x, nil
	}
	if step < 0 {
		begin, step, y = begin+(count-1)*step, -step, y.Flip(r.axis)
	}
	last := begin + (count-1)*step
	if y, err = x.SliceAxis(r.axis, begin, last+1, step).replaced(ranges[1:], y); err != nil {
		return x, err
	}
	switch {
	case count == extent:
		return y, nil
	case step == 1 || count == 1:
		parts := []Node{x.SliceAxis(r.axis, 0, begin, 1), y, x.SliceAxis(r.axis, last+1, extent, 1)}
		return Concat(r.axis, nonempty(parts, begin, count, extent-last-1)...), nil
	}
	return x.interleaved(r.axis, begin, count, step, y), nil
}

// interleaved returns x with count elements of an axis, step apart from begin on, replaced by y. Each block of step
// elements is one element of y and the rest of x, concatenated along a new axis. The last element may be in a partial
// block.
func (x Node) interleaved(axis, begin, count, step int, y Node) Node {
	extent, _ := x.n.typ.Shape[axis].Int()
	blocks := count
	if begin+blocks*step > extent {
		blocks--
	}
	end := begin + blocks*step
	merged := slices.Clone(x.n.typ.Shape)
	merged[axis] = ir.Fixed(blocks * step)
	split := slices.Insert(slices.Clone(merged), axis+1, ir.Fixed(step))
	split[axis] = ir.Fixed(blocks)
	of := x.SliceAxis(axis, begin, end, 1).Reshape(split)
	block := []Node{y.SliceAxis(axis, 0, blocks, 1).Unsqueeze(axis + 1)}
	if step <= fewChannels && axis == x.Rank()-1 { // few enough elements in a row to copy them one by one
		for at := 1; at < step; at++ {
			block = append(block, of.SliceAxis(axis+1, at, at+1, 1))
		}
	} else {
		block = append(block, of.SliceAxis(axis+1, 1, step, 1))
	}
	parts := []Node{x.SliceAxis(axis, 0, begin, 1), Concat(axis+1, block...).Reshape(merged), y.SliceAxis(axis, blocks, count, 1), x.SliceAxis(axis, end+count-blocks, extent, 1)}
	return Concat(axis, nonempty(parts, begin, blocks, count-blocks, extent-end-(count-blocks))...)
}

// fewChannels is the most elements of a block that are separate arrays each.
const fewChannels = 5

// scattered is replaced for an axis of unknown extent: r is its range, rest has the ranges of other axes.
func (x Node) scattered(r setRange, rest []setRange, y Node) (Node, error) {
	var begin, end any // nil means not given
	if r.item.HasBegin {
		begin = r.item.Begin
	}
	if r.item.HasEnd {
		end = r.item.End
	}
	first, count, err := symbolicRange(begin, end, r.item.Step, x.n.typ.Shape[r.axis])
	if err != nil {
		return x, err
	}
	if y, err = x.sliced(r.axis, begin, end, r.item.Step, "").replaced(rest, y); err != nil || y.Err() != nil {
		return y, err
	}
	lined := repeated(ir.Fixed(1), x.Rank())
	lined[r.axis] = count
	i := Iota(Int64, count).Mul(r.item.Step).Add(first).Reshape(Shape(lined)).BroadcastTo(y.n.typ.Shape)
	return x.Scatter(r.axis, i, y, ScatterSet), nil
}

// At returns the element of x at an index of each axis, as a scalar. Negative ones count
// from the end.
func (x Node) At(index ...int) Node {
	n := x.get()
	if n.err != nil {
		return x
	}
	if len(index) != len(n.typ.Shape) {
		return fail("%d indices for the %d axes of %s", len(index), len(n.typ.Shape), n.text())
	}
	for _, i := range index {
		x = x.Index(0, i)
	}
	return x
}

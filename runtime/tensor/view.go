package tensor

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// view applies one step of the layout algebra. The result shares t's container.
func (t *Tensor) view(op string, step func(layout.Layout) (layout.Layout, error)) *Tensor {
	if !t.Valid() {
		return t.passOn(op)
	}
	l, err := step(t.layout)
	if err != nil {
		return Failf("%v", err)
	}
	return within(t.dtype, l, t.base, t.life)
}

// Permute returns a view whose axis k is axis axes[k] of t. Each axis must be
// named once; negative ones count from the end.
func (t *Tensor) Permute(axes ...int) *Tensor {
	return t.view("permute", func(l layout.Layout) (layout.Layout, error) { return l.Permute(axes...) })
}

// Window returns a view of the sliding windows of an axis: of size elements each, dilation apart, that begin at 0,
// step, 2*step, ... and end inside the axis. The axis counts the windows, and a new last axis has their elements.
func (t *Tensor) Window(axis, size, step, dilation int) *Tensor {
	return t.view("window", func(l layout.Layout) (layout.Layout, error) { return l.Window(axis, size, step, dilation) })
}

// Transpose returns a view with the axes in reverse order.
func (t *Tensor) Transpose() *Tensor {
	return t.view("transpose", func(l layout.Layout) (layout.Layout, error) {
		axes := make([]int, l.Rank())
		for k := range axes {
			axes[k] = l.Rank() - 1 - k
		}
		return l.Permute(axes...)
	})
}

// T is short for Transpose.
func (t *Tensor) T() *Tensor { return t.Transpose() }

// Slice returns a view in NumPy's notation, with one item for each axis, separated by commas. "b:e:s" keeps the indices
// b, b+s, ... before e. An integer drops its axis, "None" inserts an axis of extent 1, and "..." stands for all axes
// without an item. Trailing axes may be left out. Example: t.Slice("1:, ::-1, 3, ...").
func (t *Tensor) Slice(spec string) *Tensor {
	return t.view("slice", func(l layout.Layout) (layout.Layout, error) {
		items, err := layout.ParseIndex(spec)
		if err != nil {
			return layout.Layout{}, fmt.Errorf("slice: %w", err)
		}
		axes, err := layout.PlaceIndex(items, l.Rank())
		if err != nil {
			return layout.Layout{}, fmt.Errorf("slice: %q of %s: %w", spec, t.typeText(), err)
		}
		for i, item := range items {
			switch item.Kind {
			case layout.NewAxis:
				l, err = l.Unsqueeze(axes[i])
			case layout.PointIndex:
				l, err = l.Index(axes[i], item.At)
			case layout.RangeIndex:
				begin, n, step := item.Resolve(l.Shape[axes[i]])
				l, err = l.Slice(axes[i], begin, n, step)
			}
			if err != nil {
				return layout.Layout{}, err
			}
		}
		return l, nil
	})
}

// SliceAxis returns a view that keeps the indices begin, begin+step, ... before end of one axis, as "begin:end:step" in
// Slice. As in NumPy, negative bounds count from the end and bounds outside are clipped: math.MaxInt as end includes
// the last index; with a negative step, math.MinInt includes the first.
func (t *Tensor) SliceAxis(axis, begin, end, step int) *Tensor {
	return t.view("slice", func(l layout.Layout) (layout.Layout, error) {
		k := wrapIndex(axis, l.Rank())
		if k < 0 || k >= l.Rank() || step == 0 {
			return l.Slice(axis, 0, 0, step) // returns the error for a step of 0
		}
		item := layout.IndexItem{Begin: begin, End: end, Step: step, HasBegin: true, HasEnd: true}
		first, n, step := item.Resolve(l.Shape[k])
		return l.Slice(k, first, n, step)
	})
}

// Index returns the view at index i of an axis, which is dropped. A negative i counts from the end.
func (t *Tensor) Index(axis, i int) *Tensor {
	return t.view("index", func(l layout.Layout) (layout.Layout, error) { return l.Index(axis, i) })
}

// Flip returns a view with the given axes reversed, or all axes if none are given, as numpy.flip.
func (t *Tensor) Flip(axes ...int) *Tensor {
	return t.view("flip", func(l layout.Layout) (layout.Layout, error) {
		if len(axes) > 0 {
			return l.Flip(axes...)
		}
		all := make([]int, l.Rank())
		for k := range all {
			all[k] = k
		}
		return l.Flip(all...)
	})
}

// Expand returns a view of that shape by NumPy's broadcasting: shapes are aligned at the last axis, extents of 1 and
// missing axes repeat. A repeated element exists once: a write through the view shows at every repeat. Clone makes
// separate elements.
func (t *Tensor) Expand(shape ...int) *Tensor {
	return t.view("expand", func(l layout.Layout) (layout.Layout, error) { return l.Expand(shape...) })
}

// BroadcastTo is Expand under NumPy's name.
func (t *Tensor) BroadcastTo(shape ...int) *Tensor { return t.Expand(shape...) }

// Diagonal returns a view of the elements whose index along axis b is k more than the index along axis a. The diagonal
// is a new last axis that replaces both.
func (t *Tensor) Diagonal(k, a, b int) *Tensor {
	return t.view("diagonal", func(l layout.Layout) (layout.Layout, error) { return l.Diagonal(a, b, k) })
}

// Squeeze returns a view without the given axes, whose extents must be 1. Without arguments it removes all axes of
// extent 1.
func (t *Tensor) Squeeze(axes ...int) *Tensor {
	return t.view("squeeze", func(l layout.Layout) (layout.Layout, error) { return l.Squeeze(axes...) })
}

// Unsqueeze returns a view with axes of extent 1 inserted; the arguments are their numbers in the result.
func (t *Tensor) Unsqueeze(axes ...int) *Tensor {
	return t.view("unsqueeze", func(l layout.Layout) (layout.Layout, error) { return l.Unsqueeze(axes...) })
}

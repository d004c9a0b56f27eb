package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// InExtents returns the extents over which an input moves: those of the axes, or in a step on lines the input's own extent along
// the line.
func (s *Step) InExtents(a Access) []int {
	out := s.Extents()
	if a.Line != 0 && s.OnLines() {
		out[s.Along()] = a.Line
	}
	return out
}

// access returns the error text for an access over the given extents, or "".
func (v *planVerifier) access(i int, a Access, extents []int, want ir.DType) string {
	if a.Buffer < 0 || a.Buffer >= len(v.p.Buffers) {
		return "there is no such buffer"
	}
	if a.Line < 0 {
		return "a line of no length"
	}
	if len(a.Strides) != len(extents) {
		return fmt.Sprintf("%d strides for %d axes", len(a.Strides), len(extents))
	}
	b := &v.p.Buffers[a.Buffer]
	if b.DType != want {
		return fmt.Sprintf("the buffer has %s, the kernel %s", b.DType, want)
	}
	if msg := v.scratch(i, a); msg != "" {
		return msg
	}
	if b.Kind == ScratchBuffer {
		extents = v.blockExtents(i, extents)
	}
	if !a.fits(b.DType.Size()) {
		return "its offset or a stride passes int in bytes"
	}
	l, ok := a.Layout(extents)
	if !ok {
		return "the panel is not one of an axis"
	}
	first, last := b.bounds()
	if lo, hi := l.Bounds(); lo <= hi && (lo < first || hi > last) {
		return fmt.Sprintf("elements %d to %d are outside the buffer, which has %d to %d", lo, hi, first, last)
	}
	return ""
}

// fits reports whether the offset and all strides, also of axes of one index, and their negatives are within int when counted in
// bytes.
func (a Access) fits(size int) bool {
	within := func(n int) bool { return n <= math.MaxInt/size && n >= -math.MaxInt/size }
	if a.Panel != nil && !within(a.Panel.Stride) {
		return false
	}
	return within(a.Offset) && !slices.ContainsFunc(a.Strides, func(n int) bool { return !within(n) })
}

// Layout returns the layout of an access over the given extents. An axis with a panel becomes two axes, one of panels and one within
// them, and the last panel counts as complete.
func (a Access) Layout(extents []int) (layout.Layout, bool) {
	l := layout.Layout{Shape: extents, Strides: a.Strides, Offset: a.Offset}
	p := a.Panel
	if p == nil {
		return l, true
	}
	if p.Axis < 0 || p.Axis >= len(extents) || p.Size < 1 {
		return l, false
	}
	n := extents[p.Axis]
	cut := func(at []int, outer, inner int) []int {
		out := append([]int{}, at[:p.Axis]...)
		return append(append(out, outer, inner), at[p.Axis+1:]...)
	}
	l.Shape = cut(extents, n/p.Size+min(1, n%p.Size), min(n, p.Size))
	l.Strides = cut(a.Strides, p.Stride, a.Strides[p.Axis])
	return l, true
}

// blockExtents returns the extents of step i restricted to one block of rows.
func (v *planVerifier) blockExtents(i int, extents []int) []int {
	one := v.oneBlock(i)
	out := append([]int{}, extents...)
	for _, k := range one.ParallelAxes() {
		out[k] = one.Axes[k].Extent
	}
	return out
}

// outLayout returns the layout of output o, in scratch memory that of one block.
func (v *planVerifier) outLayout(i, o int) layout.Layout {
	s := &v.p.Steps[i]
	a, extents := s.Out[o].Access, s.OutExtents(o)
	if v.p.Buffers[a.Buffer].Kind == ScratchBuffer {
		extents = v.blockExtents(i, extents)
	}
	l, _ := a.Layout(extents)
	return l
}

package plan

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Traffic returns the number of bytes that step i reads from memory and stores to it, each element counted once. The scratch
// memory of row groups does not count.
func (p *Plan) Traffic(i int) (read, written int) {
	p.eachAccess(i, func(_, bytes int, stores bool) {
		if stores {
			written += bytes
		} else {
			read += bytes
		}
	})
	return read, written
}

// CountBytes adds to touched, by buffer, the bytes that step i reads and stores, counted as in Traffic.
func (p *Plan) CountBytes(i int, touched []int) {
	p.eachAccess(i, func(buffer, bytes int, _ bool) { touched[buffer] += bytes })
}

// eachAccess calls f for each access of step i.
func (p *Plan) eachAccess(i int, f func(buffer, bytes int, stores bool)) {
	s := &p.Steps[i]
	for _, a := range s.In {
		bytes := p.Bytes(a, s.InExtents(a))
		if a.Line != 0 && s.Gathers() { // of the table it reads an element for each index
			read := p.Buffers[a.Buffer].DType.Size()
			for _, e := range s.Extents() {
				read *= e
			}
			bytes = min(bytes, read)
		}
		f(a.Buffer, bytes, false)
	}
	for o, out := range s.Out {
		f(out.Buffer, p.Bytes(out.Access, s.OutExtents(o)), true)
	}
}

// Bytes returns the size of the elements that an access touches over the given extents, or 0 for scratch memory.
func (p *Plan) Bytes(a Access, extents []int) int {
	b := &p.Buffers[a.Buffer]
	if b.Kind == ScratchBuffer {
		return 0
	}
	n := b.DType.Size()
	for k, e := range extents {
		if e > 1 && a.Strides[k] != 0 || e == 0 {
			n *= e
		}
	}
	return min(n, b.Size()*b.DType.Size()) // windows share elements
}

// Part returns the range of indices, from to to-1 along each axis of the buffer, that step i stores of its output o. In scratch memory it
// is the range of one block. ok is false if the elements do not form such a box.
func (p *Plan) Part(i, o int) (from, to []int, ok bool) {
	s := &p.Steps[i]
	a := s.Out[o].Access
	b := &p.Buffers[a.Buffer]
	if b.Kind == ScratchBuffer {
		for _, g := range p.Rows {
			if g.First <= i && i <= g.Last {
				s = g.OneBlock(s, i)
			}
		}
	}
	if s == nil || a.Panel != nil {
		return nil, nil, false
	}
	at := layout.Layout{Offset: a.Offset}
	for k, e := range s.OutExtents(o) {
		switch {
		case e == 0:
			return nil, nil, false
		case e > 1:
			at.Shape, at.Strides = append(at.Shape, e), append(at.Strides, a.Strides[k])
		}
	}
	first, last := at.Bounds()
	from, err := layout.Unravel(b.Shape, first)
	if err != nil {
		return nil, nil, false
	}
	if to, err = layout.Unravel(b.Shape, last); err != nil {
		return nil, nil, false
	}
	box := layout.RowMajor(b.Shape...)
	for k := range to {
		to[k]++
		box.Shape[k] = max(0, to[k]-from[k])
	}
	return from, to, inOrder(at).Equal(inOrder(box))
}

// inOrder returns a layout of the same elements in the order of memory, starting at 0.
func inOrder(l layout.Layout) layout.Layout {
	axes := make([][2]int, 0, len(l.Shape)) // stride and extent
	for k, n := range l.Shape {
		axes = append(axes, [2]int{max(l.Strides[k], -l.Strides[k]), n})
	}
	slices.SortStableFunc(axes, func(a, b [2]int) int { return cmp.Compare(b[0], a[0]) })
	var out layout.Layout
	for _, a := range axes {
		out.Shape, out.Strides = append(out.Shape, a[1]), append(out.Strides, a[0])
	}
	return out.Collapse()
}

package plan

import (
	"cmp"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Traffic returns the number of bytes that step i reads from memory and stores to it: see Moves.
func (p *Plan) Traffic(i int) (read, written int) {
	p.Moves(i, func(_, bytes int, stores bool) {
		if stores {
			written += bytes
		} else {
			read += bytes
		}
	})
	return read, written
}

// CountBytes adds to touched, by buffer, the bytes that step i reads and stores: see Moves.
func (p *Plan) CountBytes(i int, touched []int) {
	p.Moves(i, func(buffer, bytes int, _ bool) { touched[buffer] += bytes })
}

// Moves calls f for each buffer that step i reads, then for each that it stores to, with the bytes of the elements. An element counts once,
// however often the step reads it. What an earlier step of its row group has read is in the caches and counts no more. The scratch memory
// of row groups does not count. Where elements of several accesses are in common, their number is an estimate: never less than the
// right one, and exact for slices along one axis.
func (p *Plan) Moves(i int, f func(buffer, bytes int, stores bool)) {
	s, first := &p.Steps[i], i
	for _, g := range p.Rows {
		if g.First <= i && i <= g.Last {
			first = g.First
		}
	}
	var met []int
	for _, a := range s.In {
		if p.Buffers[a.Buffer].Kind == ScratchBuffer || slices.Contains(met, a.Buffer) {
			continue
		}
		met = append(met, a.Buffer)
		var read []region
		before := 0
		for k := first; k <= i; k++ {
			if k == i {
				before = p.bytesOf(a.Buffer, read)
			}
			for _, in := range p.Steps[k].In {
				if in.Buffer == a.Buffer {
					read = append(read, p.readRegion(&p.Steps[k], in))
				}
			}
		}
		f(a.Buffer, max(0, p.bytesOf(a.Buffer, read)-before), false)
	}
	met = met[:0]
	for _, out := range s.Out {
		if p.Buffers[out.Buffer].Kind == ScratchBuffer || slices.Contains(met, out.Buffer) {
			continue
		}
		met = append(met, out.Buffer)
		var stored []region
		for o := range s.Out {
			if s.Out[o].Buffer == out.Buffer {
				stored = append(stored, p.regionOf(s.Out[o].Access, s.OutExtents(o)))
			}
		}
		f(out.Buffer, p.bytesOf(out.Buffer, stored), true)
	}
}

// region is the elements of a buffer that an access touches.
type region struct {
	elems  int
	lo, hi int           // the first and the last
	at     layout.Layout // of the access in the order of memory; the same for accesses of the same elements
	box    [][2]int      // the least range of indices, along each axis of the buffer, that holds all elements; nil if it is not known
}

// readRegion returns the elements that an input of a step reads. Of a table that it gathers from these are at most one for each index.
func (p *Plan) readRegion(s *Step, a Access) region {
	r := p.regionOf(a, s.InExtents(a))
	if a.Line != 0 && s.Gathers() {
		r.elems = min(r.elems, Indices(s.Axes))
	}
	return r
}

func (p *Plan) regionOf(a Access, extents []int) region {
	b := &p.Buffers[a.Buffer]
	r := region{elems: 1, lo: a.Offset, hi: a.Offset}
	for k, e := range extents {
		if e == 0 {
			return region{}
		}
		if n := a.Strides[k]; e > 1 && n != 0 {
			r.elems *= e
			r.lo, r.hi = r.lo+min(0, (e-1)*n), r.hi+max(0, (e-1)*n)
			r.at.Shape, r.at.Strides = append(r.at.Shape, e), append(r.at.Strides, n)
		}
	}
	r.at.Offset = r.lo
	if a.Panel != nil { // its elements are elsewhere: see Panel
		r.lo, r.hi, r.elems = 0, b.Size()-1, min(r.elems, b.Size())
		return r
	}
	r.at = inOrder(r.at)
	r.at.Offset = r.lo
	r.box = boxOf(b, r.lo, r.at)
	r.elems = min(r.elems, r.within(), b.Size()) // windows share elements
	return r
}

// boxOf returns the range of indices along each axis of a buffer of the elements of a layout whose first element is lo, or nil if they pass
// from one line to the next.
func boxOf(b *Buffer, lo int, at layout.Layout) [][2]int {
	whole := layout.RowMajor(b.Shape...)
	if b.At != nil {
		whole = *b.At
	}
	order := make([]int, 0, len(whole.Shape)) // axes, the one with the greatest stride first
	for k, n := range whole.Shape {
		if n > 1 {
			order = append(order, k)
		}
		if n > 1 && whole.Strides[k] <= 0 {
			return nil
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(whole.Strides[b], whole.Strides[a]) })
	box, rest := make([][2]int, len(whole.Shape)), lo-whole.Offset
	for _, k := range order {
		box[k][0] = rest / whole.Strides[k]
		box[k][1] = box[k][0]
		rest %= whole.Strides[k]
	}
	for i, n := range at.Strides {
		axis := slices.IndexFunc(order, func(k int) bool { return n%whole.Strides[k] == 0 && n >= whole.Strides[k] })
		if axis < 0 {
			return nil
		}
		k := order[axis]
		if box[k][1] += n / whole.Strides[k] * (at.Shape[i] - 1); box[k][1] >= whole.Shape[k] {
			return nil
		}
	}
	if rest != 0 {
		return nil
	}
	return box
}

// within returns the greatest number of elements that the region can have by its bounds.
func (r *region) within() int {
	n := r.hi - r.lo + 1
	if r.box != nil {
		all := 1
		for _, b := range r.box {
			all *= b[1] - b[0] + 1
		}
		n = min(n, all)
	}
	return n
}

// bytesOf returns the size of the elements of a buffer that are in some region.
func (p *Plan) bytesOf(buffer int, regions []region) int {
	b := &p.Buffers[buffer]
	var apart []region
next:
	for _, r := range regions {
		for i := range apart {
			a := &apart[i]
			if r.lo == a.lo && r.hi == a.hi && r.elems == a.elems && r.at.Equal(a.at) {
				continue next
			}
			both := region{lo: min(a.lo, r.lo), hi: max(a.hi, r.hi)}
			if a.box != nil && r.box != nil {
				for k := range a.box {
					both.box = append(both.box, [2]int{min(a.box[k][0], r.box[k][0]), max(a.box[k][1], r.box[k][1])})
				}
			}
			if both.elems = both.within(); both.elems <= a.elems+r.elems {
				*a = both
				continue next
			}
		}
		apart = append(apart, r)
	}
	elems := 0
	for i := range apart {
		elems += apart[i].elems
	}
	return min(elems, b.Size()) * b.DType.Size()
}

// Local returns the number of bytes that step i reads from the scratch memory of its row group and stores there, each element counted
// once.
func (p *Plan) Local(i int) (bytes int) {
	s := &p.Steps[i]
	add := func(a Access, extents []int) {
		if p.Buffers[a.Buffer].Kind == ScratchBuffer {
			bytes += p.touched(a, extents)
		}
	}
	for _, a := range s.In {
		add(a, s.InExtents(a))
	}
	for o, out := range s.Out {
		add(out.Access, s.OutExtents(o))
	}
	return bytes
}

// touched returns the size of the elements that an access touches over the given extents, where elements of windows count each time.
func (p *Plan) touched(a Access, extents []int) int {
	n := p.Buffers[a.Buffer].DType.Size()
	for k, e := range extents {
		if e > 1 && a.Strides[k] != 0 || e == 0 {
			n *= e
		}
	}
	return n
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

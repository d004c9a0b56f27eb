package plan

import "github.com/stridefuse/stridefuse/ir/layout"

// Traffic returns the bytes that step i reads from memory and stores to it, each
// element counted once. What stays in the scratch memory of a row group counts nothing.
func (p *Plan) Traffic(i int) (read, written int) {
	s := &p.Steps[i]
	for _, a := range s.In {
		read += p.Bytes(a, s.InExtents(a))
	}
	for o, out := range s.Out {
		written += p.Bytes(out.Access, s.OutExtents(o))
	}
	return read, written
}

// CountBytes adds to each buffer's number of bytes those that step i reads and stores, as Traffic has them.
func (p *Plan) CountBytes(i int, of []int) {
	s := &p.Steps[i]
	for _, a := range s.In {
		of[a.Buffer] += p.Bytes(a, s.InExtents(a))
	}
	for o, out := range s.Out {
		of[out.Buffer] += p.Bytes(out.Access, s.OutExtents(o))
	}
}

// Bytes returns the size of the elements that an access touches over some extents: 0 in
// scratch memory.
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

// Part returns from which index to before which one of each axis of its buffer output o of step i stores, in scratch memory
// that of one block. It is not ok if the elements are not next to each other.
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
	first, last, n := a.Offset, a.Offset, 1
	for k, e := range s.OutExtents(o) {
		if e > 1 {
			first, last, n = first+min(0, (e-1)*a.Strides[k]), last+max(0, (e-1)*a.Strides[k]), n*e
		}
		if e == 0 {
			return nil, nil, false
		}
	}
	from, err := layout.Unravel(b.Shape, first)
	if err != nil {
		return nil, nil, false
	}
	if to, err = layout.Unravel(b.Shape, last); err != nil {
		return nil, nil, false
	}
	for k := range to {
		if to[k]++; to[k] <= from[k] || n%(to[k]-from[k]) != 0 {
			return nil, nil, false
		}
		n /= to[k] - from[k]
	}
	return from, to, n == 1
}

package plan

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

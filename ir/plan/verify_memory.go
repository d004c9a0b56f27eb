package plan

import "slices"

// share checks two temporaries, or two scratch buffers of a row group, that have bytes in common: one must be dead, or
// die, where the other is written.
func (v *planVerifier) share(i, j int) {
	a, b := &v.p.Buffers[i], &v.p.Buffers[j]
	if a.Kind != b.Kind || a.Kind != TempBuffer && a.Kind != ScratchBuffer || v.first[i] == never || v.first[j] == never {
		return
	}
	if a.Kind == ScratchBuffer && v.group[v.first[i]] != v.group[v.first[j]] {
		return
	}
	if !a.SharesBytes(b) {
		return
	}
	if v.first[i] < v.first[j] {
		i, j = j, i // i is written later
	}
	dies, born := max(v.last[j], v.first[j]), v.first[i]
	if g := v.group[dies]; g != nil && a.Kind == TempBuffer && g.Last > g.First { // its steps take turns
		dies = g.Last
	}
	if g := v.group[born]; g != nil && a.Kind == TempBuffer && g.Last > g.First {
		born = g.First
	}
	switch {
	case dies < born:
	case dies == born && v.first[j] < born && v.inPlace(born, j, i):
	default:
		v.fail(v.p.bufferLine(i), "shares bytes with %%%d, which is live until step %d", j, dies)
	}
}

// SharesBytes reports whether two buffers of one kind, temporaries or scratch, have bytes
// in common.
func (b *Buffer) SharesBytes(c *Buffer) bool {
	bEnd, cEnd := b.Offset+b.Size()*b.DType.Size(), c.Offset+c.Size()*c.DType.Size()
	return b.Offset < cEnd && c.Offset < bEnd && b.Offset < bEnd && c.Offset < cEnd
}

// inPlace reports whether a step reads each element that it needs of one
// buffer exactly where it writes one of another.
func (v *planVerifier) inPlace(step, from, to int) bool {
	a, b := &v.p.Buffers[from], &v.p.Buffers[to]
	s := &v.p.Steps[step]
	if a.Offset != b.Offset || a.DType.Size() != b.DType.Size() || !s.InPlace() {
		return false
	}
	written := func(in Access) bool {
		return slices.ContainsFunc(s.Out, func(o Output) bool { return o.Buffer == to && sameElements(s.Extents(), in, o.Access) })
	}
	return !slices.ContainsFunc(s.In, func(in Access) bool { return in.Buffer == from && !written(in) })
}

// sameElements reports whether two accesses are at the same place at each index.
// An axis of one index has no say.
func sameElements(extents []int, a, b Access) bool {
	for k, n := range extents {
		if n > 1 && a.Strides[k] != b.Strides[k] {
			return false
		}
	}
	return a.Offset == b.Offset
}

package plan

import "slices"

// lifetimes checks temporaries, and scratch buffers of a row group, that have bytes in
// common: one must be dead, or die, where the other is written.
func (v *planVerifier) lifetimes() {
	temporaries, scratch := []Life(nil), map[*RowGroup][]Life{}
	for i := range v.p.Buffers {
		if v.first[i] == never {
			continue
		}
		life := Life{i, v.first[i], max(v.last[i], v.first[i])}
		switch v.p.Buffers[i].Kind {
		case ScratchBuffer:
			g := v.group[life.Born]
			scratch[g] = append(scratch[g], life)
		case TempBuffer: // the steps of a group take turns
			if g := v.group[life.Dies]; g != nil && g.Last > g.First {
				life.Dies = g.Last
			}
			if g := v.group[life.Born]; g != nil && g.Last > g.First {
				life.Born = g.First
			}
			temporaries = append(temporaries, life)
		}
	}
	Together(v.p.Buffers, temporaries, v.share)
	for k := range v.p.Rows {
		Together(v.p.Buffers, scratch[&v.p.Rows[k]], v.share)
	}
}

// share checks two buffers that share bytes while both are live.
func (v *planVerifier) share(early, late Life) {
	at := early.Dies
	if at > late.Born || v.first[early.Buffer] >= at || !v.inPlace(at, early.Buffer, late.Buffer) {
		v.fail(v.p.bufferLine(late.Buffer), "shares bytes with %%%d, which is live until step %d", early.Buffer, at)
	}
}

// SharesBytes reports whether two buffers of one kind, temporaries or scratch, have bytes
// in common.
func (b *Buffer) SharesBytes(c *Buffer) bool {
	bEnd, cEnd := b.Offset+b.Size()*b.DType.Size(), c.Offset+c.Size()*c.DType.Size()
	return b.Offset < cEnd && c.Offset < bEnd && b.Offset < bEnd && c.Offset < cEnd
}

// inPlace reports whether a step reads each element that it needs of one buffer exactly
// where it writes one of another: each output in the one has the access of each input in
// the other, so that no output is stored over an element that another index reads.
func (v *planVerifier) inPlace(step, from, to int) bool {
	a, b := &v.p.Buffers[from], &v.p.Buffers[to]
	s := &v.p.Steps[step]
	if a.Offset != b.Offset || a.DType.Size() != b.DType.Size() || !s.InPlace() {
		return false
	}
	for _, in := range s.In {
		for _, out := range s.Out {
			if in.Buffer == from && out.Buffer == to && !sameElements(s.Extents(), in, out.Access) {
				return false
			}
		}
	}
	return slices.ContainsFunc(s.Out, func(o Output) bool { return o.Buffer == to })
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

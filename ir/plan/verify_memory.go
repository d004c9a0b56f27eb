package plan

import "slices"

// lifetimes checks temporaries, and scratch buffers of a row group, that share bytes: one must be dead, or die, when the other is
// written.
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

// SharesBytes reports whether two buffers of one kind, temporaries or scratch, share bytes.
func (b *Buffer) SharesBytes(c *Buffer) bool {
	bEnd, cEnd := b.Offset+b.Size()*b.DType.Size(), c.Offset+c.Size()*c.DType.Size()
	return b.Offset < cEnd && c.Offset < bEnd && b.Offset < bEnd && c.Offset < cEnd
}

// inPlace reports whether a step stores one buffer over another as it reads it.
func (v *planVerifier) inPlace(step, from, to int) bool {
	a, b := &v.p.Buffers[from], &v.p.Buffers[to]
	s := &v.p.Steps[step]
	return a.Offset == b.Offset && a.DType.Size() == b.DType.Size() && s.InPlace(from, to) &&
		slices.ContainsFunc(s.Out, func(o Output) bool { return o.Buffer == to })
}

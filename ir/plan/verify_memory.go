package plan

import (
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

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
		v.fail(buffer(late.Buffer), "shares bytes with %%%d, which is live until step %d", early.Buffer, at)
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

// VerifyBuffers checks only the buffers.
func VerifyBuffers(buffers []Buffer, arena int) error {
	v := &planVerifier{p: &Plan{Buffers: buffers, Arena: arena}, placed: true}
	if arena < 0 {
		v.fail(arenaPlace, "it is below 0")
	}
	for i := range buffers {
		v.buffer(i)
	}
	return errors.Join(v.errs...)
}

func (v *planVerifier) buffer(i int) {
	b := &v.p.Buffers[i]
	at := buffer(i)
	if err := b.DType.Check(); err != nil {
		v.fail(at, "%v", err)
	}
	n, err := layout.NumElems(b.Shape)
	bytes, ok := layout.MulInt(n, b.DType.Size())
	if err != nil || !ok || len(b.Shape) > layout.MaxRank {
		v.fail(at, "the shape passes the greatest rank or int")
		return
	}
	v.memory(at, b, bytes)
	if b.Kind > IotaBuffer {
		v.fail(at, "there is no such kind of buffer")
	}
	if b.Kind == IotaBuffer && (len(b.Shape) != 1 || !ir.Ints.Has(b.DType) || n > 0 && ir.ElementOf(b.DType, n-1) != uint64(n-1)) {
		v.fail(at, "an iota is a list of integers, all elements of its type")
	}
	if b.Kind == ConstBuffer && (n != 1 || !ir.IsElement(b.DType, b.Bits)) {
		v.fail(at, "a constant is one element of its type")
	}
	if b.Kind <= ResultBuffer && b.Index != v.kinds[b.Kind] {
		v.fail(at, "the position is %d, want %d", b.Index, v.kinds[b.Kind])
	}
	if b.Kind <= IotaBuffer {
		v.kinds[b.Kind]++
	}
}

// memory checks the places of a buffer's elements.
func (v *planVerifier) memory(at place, b *Buffer, bytes int) {
	if b.At != nil && b.Kind != ParamBuffer {
		v.fail(at, "only a param has a layout")
	} else if b.At != nil {
		p := &ir.Value{Type: ir.Type{DType: b.DType, Shape: ir.ShapeOf(b.Shape...)}, Attr: &ir.Attr{At: b.At}}
		if err := ir.CheckParamLayout(p); err != nil {
			v.fail(at, "%v", err)
		}
	}
	if !v.placed {
		return
	}
	end, ok := layout.AddInt(b.Offset, bytes)
	if b.Kind == ScratchBuffer && (b.Offset%64 != 0 || b.Offset < 0 || !ok) {
		v.fail(at, "it begins at byte %d, want a multiple of 64", b.Offset)
	}
	if b.Kind == TempBuffer && (b.Offset%64 != 0 || b.Offset < 0 || !ok || end > v.p.Arena) {
		v.fail(at, "bytes %d to %d, want a multiple of 64 and an end within the arena's %d", b.Offset, end, v.p.Arena)
	}
}

// bounds returns the least and the greatest location of a buffer's elements.
func (b *Buffer) bounds() (lo, hi int) {
	if b.At != nil {
		return b.At.Bounds()
	}
	return 0, b.Size() - 1
}

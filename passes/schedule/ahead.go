package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Reading ahead. The first step of a row group waits for memory; the others find the block in the cache
// and leave memory idle. So what the next block reads is prefetched as soon as the first step is done.

// ahead collects the calls that prefetch what the next block of a row group reads from memory.
type ahead struct {
	w     *groupWriter
	known []int // buffers that need no call, or have one
	bytes int   // that may still be prefetched
	calls []nest.Item
}

// newAhead returns the collector for a part of count blocks: nil if nothing is prefetched.
func (w *groupWriter) newAhead(count int) *ahead {
	engine, ok := w.s.t.lib.Engine(kernel.ReadAhead.Signature())
	if !ok || engine == portable || count == 1 || w.g.First == w.g.Last {
		return nil
	}
	a := &ahead{w: w, bytes: w.s.t.PrefetchBytes}
	for i := w.g.First; i <= w.g.Last; i++ {
		for _, o := range w.s.plan.Steps[i].Out {
			a.known = append(a.known, o.Buffer)
		}
	}
	return a
}

// reads adds what a step reads for a block of rows.
func (a *ahead) reads(one *plan.Step, outer []outside) {
	if a == nil {
		return
	}
	for k, in := range one.In {
		b, o := &a.w.s.t.buffers[in.Buffer], &outer[k]
		next := o.strides[len(o.strides)-1] * b.DType.Size()
		large := b.Size()*b.DType.Size() >= a.w.s.t.PrefetchFrom || a.w.s.t.Blocks > 0
		if b.Kind != plan.ParamBuffer && b.Kind != plan.TempBuffer || next == 0 || !large || slices.Contains(a.known, in.Buffer) {
			continue
		}
		at, ok := in.Layout(one.InExtents(in))
		if !ok || at.Size() == 0 {
			continue
		}
		lo, hi := at.Bounds()
		bytes := (hi - lo + 1) * b.DType.Size()
		if bytes > a.bytes || hi-lo >= 2*at.Size() {
			continue
		}
		a.bytes -= bytes
		a.known = append(a.known, in.Buffer)
		arg := nest.Arg{Slot: a.w.slotOf(nest.Buffer(in.Buffer, b.DType)), Offset: o.offset + lo, Strides: o.strides}
		a.calls = append(a.calls, call(kernel.ReadAhead, nest.Fixed(1), nest.Fixed(bytes), []nest.Arg{arg}, nest.Fixed(next)))
	}
}

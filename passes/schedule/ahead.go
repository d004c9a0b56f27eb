package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Reading ahead. The first step of a row group waits for memory; the others find the block in the cache and leave memory idle.
// So what the next block reads is prefetched as soon as the first step is done.

// prefetcher collects the calls that prefetch what the next block of a row group reads.
type prefetcher struct {
	w     *groupWriter
	known []int // buffers that need no call, or have one
	bytes int   // that may still be prefetched
	calls []nest.Item
}

// newPrefetcher returns the prefetcher of a part of count blocks: nil if nothing is prefetched.
func (w *groupWriter) newPrefetcher(count int) *prefetcher {
	if w.s.t.isPortable(kernel.ReadAhead) || count == 1 || w.g.First == w.g.Last || !w.s.fromMemory(w.g) {
		return nil
	}
	p := &prefetcher{w: w, bytes: w.s.t.PrefetchBytes}
	for i := range w.steps() {
		for _, o := range w.steps()[i].Out {
			p.known = append(p.known, o.Buffer)
		}
	}
	return p
}

// fromMemory reports whether a row group reads a large array, for which its blocks wait.
func (s *scheduler) fromMemory(g *plan.RowGroup) bool {
	return slices.ContainsFunc(s.plan.Steps[g.First:g.Last+1], func(step plan.Step) bool {
		return slices.ContainsFunc(step.In, func(a plan.Access) bool {
			b := &s.t.buffers[a.Buffer]
			return b.Kind != plan.ScratchBuffer && b.Size()*b.DType.Size() >= s.t.PrefetchFrom
		})
	})
}

// reads adds what a step reads for a block of rows: some lines of the caches or more, most of whose elements are read.
func (p *prefetcher) reads(one *plan.Step, outer []outside) {
	if p == nil {
		return
	}
	for k, in := range one.In {
		b, o := &p.w.s.t.buffers[in.Buffer], &outer[k]
		next := o.strides[len(o.strides)-1] * b.DType.Size()
		if b.Kind != plan.ParamBuffer && b.Kind != plan.TempBuffer || next == 0 || slices.Contains(p.known, in.Buffer) {
			continue
		}
		at, ok := in.Layout(one.InExtents(in))
		if !ok || at.Size() == 0 {
			continue
		}
		lo, hi := at.Bounds()
		bytes := (hi - lo + 1) * b.DType.Size()
		if bytes < p.w.s.t.PrefetchLeast || bytes > p.bytes || hi-lo >= 2*at.Size() {
			continue
		}
		p.bytes -= bytes
		p.known = append(p.known, in.Buffer)
		arg := nest.Arg{Slot: p.w.slotOf(nest.Buffer(in.Buffer, b.DType)), Offset: o.offset + lo, Strides: o.strides}
		p.calls = append(p.calls, call(kernel.ReadAhead, nest.Fixed(1), nest.Fixed(bytes), []nest.Arg{arg}, nest.Fixed(next)))
	}
}

package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// nontemporal stores large outputs past the caches: memory is not read before it is written, and other data stays in the caches.
// Kernels of short bodies with one output have a loop for that, with wide vectors also those of functions (kernel.NonTemporal). For
// other short bodies the micro-kernel store_nt copies out tiles that are computed in the first-level cache.
func (e *elemWriter) nontemporal() (offer, string) {
	large := e.passCaches(e.t.NonTemporalRow)
	if large == nil {
		return offer{}, e.t.because("no output of %d bytes or more is read by no step and lies in whole lines of the caches: the step has %d elements", e.t.NonTemporalFrom, elems(e.step))
	}
	if e.t.isPortable(kernel.CopyNT) {
		return offer{}, "no kernel stores past the caches"
	}
	for i := range e.step.In {
		if c := e.ops[i].class; c == strided || c == transposed {
			return offer{}, "an operand is copied into local memory"
		}
	}
	as := nonTemporal
	if one, _ := e.oneKernel(); one == nil || !one.nonTemporal(e.t) {
		as = nonTemporalTile
		if e.cacheWork() > e.t.NonTemporalWork {
			return offer{}, e.t.because("the body costs %d additions an element within the caches, takes at most %d", int(e.cacheWork()), int(e.t.NonTemporalWork))
		}
		if large = e.passCaches(e.t.NonTemporalTileRow); large == nil {
			return offer{}, e.t.because("rows of %d elements do not begin where lines of the caches do, and have fewer than %d bytes", e.step.Axes[e.col].Extent, e.t.NonTemporalTileRow)
		}
	}
	for _, i := range large {
		e.stages[i] = as
	}
	return e.offer(e.t.BodyWork(e.step), e.compute), ""
}

// nonTemporal reports whether the kernel has a loop that stores past the caches.
func (c *oneKernel) nonTemporal(t *target) bool {
	return c.engine != portable && kernel.NonTemporal(c.k, t.lib.Vector(c.engine))
}

// passCaches lists the outputs that are stored past the caches: large ones that no step reads. Their rows must begin where
// lines of the caches do, or have at least leastRow bytes, because each part of a line is stored to memory separately.
func (e *elemWriter) passCaches(leastRow int) (operands []int) {
	if e.t.InPlace {
		return nil
	}
	for i := range e.step.Out {
		k := len(e.step.In) + i
		out, o := e.step.Out[i].Buffer, &e.ops[k]
		if e.t.buffers[out].Kind == plan.ScratchBuffer || e.t.read[out] {
			continue
		}
		lines := e.step.Axes[e.row].Extent <= 1 || o.row*o.size()%cacheLine == 0 || e.step.Axes[e.col].Extent*o.size() >= leastRow
		if lines && elems(e.step)*o.size() >= e.t.NonTemporalFrom {
			operands = append(operands, k)
		}
	}
	return operands
}

// cacheWork returns the cost of one index within the caches, in additions.
func (e *elemWriter) cacheWork() float64 {
	work := tuning.OpWork(e.step)
	for i := range e.step.In {
		if !e.splats[i] {
			work++
		}
	}
	return work
}

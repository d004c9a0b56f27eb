package schedule

import (
	"math"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// nontemporal stores large outputs past the caches. A tile of them is computed in local
// memory, which stays in the first-level cache, and the micro-kernel store_nt copies it out:
// memory then is not read before it is written, and what else is in the caches stays.
// There is no second form of each kernel for that, as copying from the first-level cache
// costs little against memory.
var nontemporal = strategy{name: "nontemporal", offer: offerNonTemporal}

func offerNonTemporal(t *target, s *plan.Step) (offer, string) {
	e, why := newElementwise(t, s)
	if e == nil {
		return offer{}, why
	}
	most := t.NonTemporalWork
	if t.Blocks > 0 {
		most = math.Inf(1)
	}
	if engine, _ := t.lib.Engine(storeNT.Signature()); engine == "" || engine == portable {
		return offer{}, "no kernel stores past the caches"
	}
	if e.cacheWork() > most {
		return offer{}, "the body takes longer than memory does"
	}
	for i := range s.In {
		if c := e.ops[i].class; c == strided || c == transposed {
			return offer{}, "an operand is copied into local memory"
		}
	}
	any := false
	for i := range s.Out {
		if e.passesCaches(i) {
			e.stages[len(s.In)+i], any = nonTemporal, true
		}
	}
	if !any {
		return offer{}, "no output is large, read by no step and aligned"
	}
	return e.offer(t.BodyWork(s), e.compute), ""
}

// passesCaches reports whether an output is stored past the caches: it is large, no step
// reads it, and its rows begin where lines of the caches do, as a part of a line goes to
// memory alone. For tests, Machine.Blocks makes it all outputs that no step reads.
func (e *elementwise) passesCaches(i int) bool {
	out, o := &e.step.Out[i], &e.ops[len(e.step.In)+i]
	if e.InCaches || e.buffers[out.Buffer].Kind == plan.ScratchBuffer || e.read[out.Buffer] {
		return false
	}
	aligned := e.step.Axes[e.row].Extent <= 1 || o.row*o.size()%cacheLine == 0
	return e.Blocks > 0 || aligned && elems(e.step)*o.size() >= e.NonTemporalFrom
}

// cacheWork returns what one index costs within the caches, in additions.
func (e *elementwise) cacheWork() float64 {
	work := tuning.OpWork(e.step)
	for i := range e.step.In {
		if !e.splats[i] {
			work++
		}
	}
	return work
}

package passes

import (
	"fmt"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// Params that never change are frozen. A step that depends only on frozen params, such as one that packs a weight matrix
// into panels, or only on numbers, runs once for all runs of a program; its outputs are kept between runs. This file marks
// these steps (plan.Step.Once).
//
// Steps of row groups are never marked, because their rows stay in the cache. If the plan is one of many for different
// sizes (State.Sized), each of them keeps its own buffers. A kept buffer is then at most keptTimes as large as the frozen
// params it is computed from; each run computes larger ones.
//
// Input: a plan, and which params are frozen. Output: the marks.

// markOnce marks the steps that run once. It marks none if no other step reads what they would store.
func markOnce(s *State) {
	p, fixed := s.Plan, s.Plan.Fixed(s.IsFrozen)
	if !slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return fixed[s.Out[0].Buffer] }) {
		return
	}
	once := make([]bool, len(p.Steps))
	for i := range p.Steps {
		once[i] = fixed[p.Steps[i].Out[0].Buffer]
	}
	if s.Sized {
		boundKept(p, once)
	}
	for i := range p.Steps {
		p.Steps[i].Once = once[i]
	}
	if len(keptBuffers(p)) == 0 { // for example because the result is empty
		for i := range p.Steps {
			p.Steps[i].Once = false
		}
	}
}

// keptTimes is the greatest ratio of a kept buffer's bytes to those of the frozen params it is computed from, in a
// plan for one of many sizes. The panels of a matrix of few columns are padded, so the ratio is large.
const keptTimes = 64

// boundKept unmarks steps whose kept buffers would exceed keptTimes, and the steps that write or read the same outputs.
func boundKept(p *plan.Plan, once []bool) {
	uses := p.Uses()
	below := make([]int, len(p.Buffers)) // by buffer: the bytes of the params that it is computed from
	for b := range p.Buffers {
		if buf := &p.Buffers[b]; buf.Kind == plan.ParamBuffer {
			below[b] = bytesOf(buf)
		}
	}
	for i := range p.Steps {
		of := 0
		for _, a := range p.Steps[i].In {
			of = min(of+below[a.Buffer], math.MaxInt/2/keptTimes)
		}
		for _, o := range p.Steps[i].Out {
			below[o.Buffer] = min(below[o.Buffer]+of, math.MaxInt/2/keptTimes)
		}
	}
	var waiting []int // unmarked steps whose operands and outputs are not yet looked at
	looked := make([]bool, len(p.Steps))
	unmark := func(steps ...int) {
		for _, i := range steps {
			if once[i] = false; !looked[i] {
				looked[i] = true
				waiting = append(waiting, i)
			}
		}
	}
	for i := range p.Steps {
		if !once[i] {
			unmark(i)
		}
	}
	for len(waiting) > 0 {
		s := &p.Steps[waiting[len(waiting)-1]]
		waiting = waiting[:len(waiting)-1]
		for _, a := range s.In {
			if bytesOf(&p.Buffers[a.Buffer]) > keptTimes*below[a.Buffer] {
				unmark(uses.Writers(a.Buffer)...)
			}
		}
		for _, o := range s.Out {
			unmark(uses.Writers(o.Buffer)...)
			unmark(uses.Readers(o.Buffer)...)
		}
	}
}

func bytesOf(b *plan.Buffer) int {
	return min(b.Size(), math.MaxInt/b.DType.Size()) * b.DType.Size()
}

// keptBuffers returns the names of the buffers that steps marked once write and others read.
func keptBuffers(p *plan.Plan) map[int]string {
	uses, kept := p.Uses(), map[int]string{}
	for b := range p.Buffers {
		w := uses.Writers(b)
		if len(w) > 0 && p.Steps[w[0]].Once && slices.ContainsFunc(uses.Readers(b), func(i int) bool { return !p.Steps[i].Once }) {
			kept[b] = freeName(p, fmt.Sprintf("kept%d", len(kept)))
		}
	}
	return kept
}

// freeName appends _ to a name until no param has it.
func freeName(p *plan.Plan, name string) string {
	for slices.ContainsFunc(p.Buffers, func(b plan.Buffer) bool { return b.Kind == plan.ParamBuffer && b.Name == name }) {
		name += "_"
	}
	return name
}

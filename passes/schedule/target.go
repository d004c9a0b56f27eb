package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// target is the input of strategies besides the step: the machine, the library, and facts about buffers. No strategy changes
// it. Writers of drafts keep it, and one another, in named fields: embedded, the compiler would make a method of each of them
// for each type around it, which was half the time to compile this package.
type target struct {
	*tuning.Machine
	Options
	lib     Library
	buffers []plan.Buffer
	read    []bool // by buffer: whether a step reads it
	// inGroup is set for one block of rows of a row group: the loops of the group are outside, and one goroutine runs the step.
	inGroup bool
	whole   *plan.Step // in a row group: the step that this one is a block of
}

// drafting returns a draft with the slots of the step's operands, most of whose work one kernel does.
func (t *target) drafting(s *plan.Step, k kernel.Code, engine string, cost float64) *Draft {
	d := newDraft(t, s)
	d.Choice = nest.Choice{Kernel: k.Signature(), Engine: engine, Kernels: 1, Cost: cost}
	return d
}

// engine returns the engine that has a kernel, or why there is none.
func (t *target) engine(k kernel.Code) (engine, why string) {
	engine, ok := t.lib.Engine(k.Signature())
	if !ok {
		return "", "no kernel is registered for " + k.Signature()
	}
	return engine, ""
}

// lacks returns which of some kernels is missing, or "".
func (t *target) lacks(kernels ...kernel.Code) (why string) {
	for _, k := range kernels {
		if _, why = t.engine(k); why != "" {
			return why
		}
	}
	return ""
}

// isPortable reports whether the library has at most a portable kernel.
func (t *target) isPortable(k kernel.Code) bool {
	engine, why := t.engine(k)
	return why != "" || engine == portable
}

// pieces returns the least number of pieces that so much work is divided into.
func (t *target) pieces(work float64) int { return t.Pieces(t.Workers, work) }

// mostElems returns the greatest number of elements of a block of a step that gives work to several goroutines.
func (t *target) mostElems(s *plan.Step) int {
	return min(t.BlockElems, ((elems(s)-1)/t.pieces(t.Work(s))+64)&^63)
}

// callElems returns the greatest number of elements of one kernel call: fewer of an expensive body.
func (t *target) callElems(s *plan.Step) int {
	return max(t.LeastCallElems, int(float64(t.CallElems)/max(1, tuning.OpWork(s)/t.CheapWork))&^63)
}

// block returns the extents of a block of a step's rows and columns, as wide as possible.
func (t *target) block(s *plan.Step, row, col int) (rows, cols int) {
	limit, most := t.callElems(s), t.mostElems(s)
	cols = min(s.Axes[col].Extent, limit, most)
	return max(1, min(s.Axes[row].Extent, limit/cols, most/cols)), cols
}

// evenly returns the length of pieces of n elements, at most so many each and about equally long. Pieces begin at multiples of
// unit if possible.
func evenly(n, most, unit int) int {
	if n <= most {
		return n
	}
	pieces := (n-1)/most + 1
	each := (n-1)/pieces + 1
	return min(most, (each+unit-1)/unit*unit)
}

// slowdown returns the time of an engine divided by that of the best one.
func (t *target) slowdown(engine string) float64 {
	if engine == portable {
		return t.PortableWork
	}
	return 1
}

// portable is the engine that is slower.
const portable = "portable"

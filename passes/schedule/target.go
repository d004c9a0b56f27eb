package schedule

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// target is what strategies look at besides the step: the machine, the library, and what is known of buffers. No strategy
// changes it. Writers of drafts have it, and one another, in named fields: if they were embedded, the compiler would make a
// method of each of them for each type around it, which was half the time to compile this package.
type target struct {
	*tuning.Machine
	Options
	lib     Library
	buffers []plan.Buffer
	read    []bool // by buffer: whether a step reads it
	// inGroup says that the step is one block of rows of a row group: its loops are inside those of the group, and one
	// goroutine runs them all.
	inGroup bool
	whole   *plan.Step // that it is a block of, in a row group
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

// pieces returns into how many pieces so much work is divided at least.
func (t *target) pieces(work float64) int { return t.Pieces(t.Workers, work) }

// mostElems returns how many elements a block of a step has at most, to give work to several goroutines.
func (t *target) mostElems(s *plan.Step) int {
	return min(t.BlockElems, ((elems(s)-1)/t.pieces(t.Work(s))+64)&^63)
}

// callElems returns how many elements of a step one kernel call handles at most: fewer of an expensive body.
func (t *target) callElems(s *plan.Step) int {
	return max(t.LeastCallElems, int(float64(t.CallElems)/max(1, tuning.OpWork(s)/t.CheapWork))&^63)
}

// block returns the extents of a block of a step's rows and columns: as wide as can be.
func (t *target) block(s *plan.Step, row, col int) (rows, cols int) {
	limit, most := t.callElems(s), t.mostElems(s)
	cols = min(s.Axes[col].Extent, limit, most)
	return max(1, min(s.Axes[row].Extent, limit/cols, most/cols)), cols
}

// evenly returns the length of the pieces of n elements, at most so many each, of which none is much shorter than the others.
// Pieces begin at multiples of unit if that is possible.
func evenly(n, most, unit int) int {
	if n <= most {
		return n
	}
	pieces := (n-1)/most + 1
	each := (n-1)/pieces + 1
	return min(most, (each+unit-1)/unit*unit)
}

// slowdown returns by how much an engine is slower than the better one.
func (t *target) slowdown(engine string) float64 {
	if engine == portable {
		return t.PortableWork
	}
	return 1
}

// portable is the engine that is slower.
const portable = "portable"

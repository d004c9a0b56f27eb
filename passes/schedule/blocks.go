package schedule

import (
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// Blocks: how a step is divided for several goroutines, and so that no kernel call runs for long. Sizes follow from the
// extents, the body and the machine.

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

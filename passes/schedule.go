package passes

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// blockElems is how many elements of ops of up to cheapWork one kernel call handles:
// some twenty microseconds. Assembly cannot be preempted, and a longer call would hold up
// the garbage collector.
const (
	blockElems = 32 << 10
	cheapWork  = 64 // in additions, an element
)

// schedule divides each step into blocks. They follow from the extents and the
// kernel alone, never from the number of workers.
//
// Requires: loops.
// Ensures: 1 <= Rows, Cols; a block takes tens of microseconds at most.
func schedule(s *State) error {
	for i := range s.Plan.Steps {
		step := &s.Plan.Steps[i]
		limit := max(1024, int(blockElems/max(1, cost(step.Kernel)/cheapWork))&^63)
		rank := len(step.Extents)
		step.Cols = min(step.Extents[rank-1], limit)
		if step.Kernel.Fold != nil && step.Cols < step.Extents[rank-1] {
			step.Cols = max(step.Cols/ir.FoldChunk, 1) * ir.FoldChunk // whole chunks
		}
		step.Rows = max(1, min(step.Extents[rank-2], limit/step.Cols))
	}
	return nil
}

// cost returns the time of one element in additions.
func cost(k *kernel.Kernel) float64 {
	c := 0.0
	for _, in := range k.Body {
		c += in.Op.Info().Cost
	}
	return c
}

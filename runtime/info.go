package runtime

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// StepInfo says how a step of a plan is run.
type StepInfo struct {
	Signature string          // of the body
	Compiled  string          // "kernel" if one kernel computes the body, or "tiling of 5"
	Engine    string          // "avx2", "portable", or "avx2+portable" for a tiling of both
	Strategy  string          // by which the step is computed
	Cost      float64         // of that, in float32 additions
	Rejected  []nest.Rejected // the other strategies
	Packed    []int           // operands that are copied into scratch: tile by tile or block by block, or once if a tile repeats
	Streamed  []int           // operands, outputs all, that are written by non-temporal stores
	Blocks    int             // that can be computed at the same time
	Chunks    int             // into which the blocks are cut
	Elements  int             // of the index space
	Read      int             // bytes, each element counted once
	Written   int             // bytes
	Group     int             // the row group that it belongs to, or -1
	Block     int             // rows of a block of that
	Pos       ir.Pos
}

// describe describes the steps of a task.
func describe(t *nest.Task, blocks, chunks int) []StepInfo {
	var infos []StepInfo
	for i := range t.Choices {
		c := &t.Choices[i]
		x := StepInfo{Signature: c.Kernel, Compiled: "kernel", Engine: c.Engine, Strategy: c.Strategy, Cost: c.Cost,
			Rejected: c.Rejected, Packed: c.Packed, Streamed: c.Streamed, Blocks: blocks, Chunks: chunks, Group: -1}
		if c.Kernels > 1 {
			x.Compiled = fmt.Sprintf("tiling of %d", c.Kernels)
		}
		if len(t.Choices) == 1 {
			x.Elements = t.Elems
		}
		infos = append(infos, x)
	}
	return infos
}

package runtime

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// foldParts cuts a step that folds its columns into steps whose rows are one
// chunk each, as kernels take them: one step for the whole chunks, which are an
// axis of their own, and one for the rest. Any other step is its own only part,
// and so is one of long rows.
func foldParts(in *plan.FlatStep) []*plan.FlatStep {
	last := len(in.Extents) - 1
	n := in.Extents[last]
	switch {
	case in.Kernel.Fold == nil || in.Scan != plan.NoScan:
		return []*plan.FlatStep{in}
	case n <= ir.FoldChunk:
		return []*plan.FlatStep{foldPart(in, 0, n)}
	case hasLongRows(in):
		return []*plan.FlatStep{in}
	case n < 2*ir.FoldChunk:
		return []*plan.FlatStep{foldPart(in, 0, ir.FoldChunk), foldPart(in, ir.FoldChunk, n-ir.FoldChunk)}
	}
	parts := []*plan.FlatStep{foldChunks(in, n/ir.FoldChunk)}
	if rest := n % ir.FoldChunk; rest > 0 {
		parts = append(parts, foldPart(in, n-rest, rest))
	}
	return parts
}

// foldPart returns the step over n columns from the given one on, a chunk.
func foldPart(in *plan.FlatStep, from, n int) *plan.FlatStep {
	part := *in
	last := len(in.Extents) - 1
	part.Extents = slices.Clone(in.Extents)
	part.Extents[last] = n
	part.Rows, part.Cols = max(1, min(in.Rows, in.Extents[last-1])*min(in.Cols, in.Extents[last])/max(1, n)), n
	part.Operands = slices.Clone(in.Operands)
	for i := range part.Operands {
		o := &part.Operands[i]
		if folded(in, i) {
			o.Offset += from / ir.FoldChunk * o.Inner()
			o.Strides = slices.Clone(o.Strides)
			o.Strides[last] = 0
		} else {
			o.Offset += from * o.Inner()
		}
	}
	return &part
}

// foldChunks returns the step over the first n chunks, which become the rows.
func foldChunks(in *plan.FlatStep, n int) *plan.FlatStep {
	part := *in
	last := len(in.Extents) - 1
	part.Extents = append(slices.Clone(in.Extents[:last]), n, ir.FoldChunk)
	part.Rows, part.Cols = max(1, in.Cols/ir.FoldChunk), ir.FoldChunk
	part.Operands = slices.Clone(in.Operands)
	for i := range part.Operands {
		o := &part.Operands[i]
		chunk, col := o.Inner()*ir.FoldChunk, o.Inner()
		if folded(in, i) {
			chunk, col = o.Inner(), 0
		}
		o.Strides = append(slices.Clone(o.Strides[:last]), chunk, col)
	}
	return &part
}

// folded reports whether operand o of a step is an output that the kernel folds.
func folded(in *plan.FlatStep, o int) bool {
	o -= len(in.Kernel.In)
	return o >= 0 && in.Kernel.FoldOf(o) != ir.OpInvalid
}

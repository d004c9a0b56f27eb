package eval

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// evalReduce folds group after group.
func evalReduce(v *ir.Value, out Array, x Array) (Array, error) {
	if v.Op == ir.OpReduceChunks {
		return evalReduceChunks(v, out, x)
	}
	by, d := v.Op.Info().By, x.DType
	if v.Op.IsArgReduction() && len(x.Data) > 0 {
		lines, _, err := linesOf(x, v.Attr.Axes)
		for _, line := range lines {
			out.Data = append(out.Data, ir.ReduceRow(v.Op, d, line))
		}
		return out, err
	}
	if len(x.Data) == 0 {
		n, err := layout.NumElems(out.Shape)
		out.Data = slices.Repeat([]uint64{ir.EmptyReduction(by, d)}, n)
		return out, err
	}
	for i, group := range ir.ReduceGroups(x.Shape, v.Attr.Axes) {
		lines, kept, err := linesOf(x, group)
		if err != nil {
			return out, err
		}
		folded := Array{DType: x.DType, Shape: kept}
		if i > 0 {
			folded.DType = ir.PartialType(by, d)
		}
		at := folded.DType
		for _, line := range lines {
			ir.CastAll(x.DType, at, line)
			bits, to := ir.ReduceLine(by, at, ir.PartialType(by, d), line)
			folded.Data, folded.DType = append(folded.Data, bits), to
		}
		x = folded
	}
	out.Data = slices.Clone(x.Data)
	ir.CastAll(x.DType, d, out.Data)
	return out, nil
}

// linesOf returns the elements along axes for each index of the others, and the
// extents of those.
func linesOf(x Array, axes []int) (lines [][]uint64, kept []int, err error) {
	var order []int
	for i, n := range x.Shape {
		if !slices.Contains(axes, i) {
			order, kept = append(order, i), append(kept, n)
		}
	}
	n := 1
	for _, i := range axes {
		n *= x.Shape[i]
	}
	l, err := layout.RowMajor(x.Shape...).Permute(append(order, axes...)...)
	if err != nil {
		return nil, nil, err
	}
	data := make([]uint64, 0, len(x.Data))
	for at := range l.All() {
		data = append(data, x.Data[at])
	}
	return slices.Collect(slices.Chunk(data, n)), kept, nil
}

// evalReduceChunks folds each line's chunks: those of the first chunk, then of the next.
func evalReduceChunks(v *ir.Value, out Array, x Array) (Array, error) {
	lines, _, err := linesOf(x, []int{len(x.Shape) - 1})
	for c := 0; err == nil && len(lines) > 0 && c < len(lines[0]); c += ir.ReduceChunk {
		for _, line := range lines {
			out.Data = append(out.Data, ir.ReduceRow(v.Attr.By, x.DType, line[c:min(len(line), c+ir.ReduceChunk)]))
		}
	}
	return out, err
}

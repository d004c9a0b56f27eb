package ir

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// The definitions of the reductions, in terms of the tree of ReduceLine.

// evalReduce reduces along one group of axes after another.
func evalReduce(v *Value, args [][]uint64) []uint64 {
	by, d, x := v.Op.Info().By, v.Args[0].Type.DType, args[0]
	if len(x) == 0 {
		return slices.Repeat([]uint64{EmptyReduction(by, d)}, v.Type.Shape.size())
	}
	shape, _ := v.Args[0].Type.Shape.Ints()
	if ScalesProducts(by, d) {
		return evalProduct(shape, v.Attr.Axes, x)
	}
	at, upper := d, PartialType(by, d)
	for i, group := range ReduceGroups(shape, v.Attr.Axes) {
		if i > 0 {
			x = slices.Clone(x)
			Defined.CastAll(at, upper, x)
			at = upper
		}
		var partial []uint64
		to := at
		for _, line := range linesAlong(ShapeOf(shape...), group) {
			bits, t := Defined.ReduceLine(by, at, upper, pick(x, line))
			partial, to = append(partial, bits), t
		}
		x, at = partial, to
		shape = without(shape, group)
	}
	x = slices.Clone(x)
	Defined.CastAll(at, d, x)
	return x
}

// evalArgReduce returns the position of the selected element of each line.
func evalArgReduce(v *Value, args [][]uint64) []uint64 {
	var out []uint64
	for _, line := range linesAlong(v.Args[0].Type.Shape, v.Attr.Axes) {
		out = append(out, Defined.ReduceRow(v.Op, v.Args[0].Type.DType, pick(args[0], line)))
	}
	return out
}

// evalReduceChunks reduces each line's chunks: those of the first chunk, then of the next.
func evalReduceChunks(v *Value, args [][]uint64) []uint64 {
	x := v.Args[0].Type
	var out []uint64
	lines := linesAlong(x.Shape, []int{len(x.Shape) - 1})
	for c := 0; len(lines) > 0 && c < len(lines[0]); c += ReduceChunk {
		for _, line := range lines {
			out = append(out, Defined.ReduceRow(v.Attr.By, x.DType, pick(args[0], line[c:min(len(line), c+ReduceChunk)])))
		}
	}
	return out
}

// linesAlong returns, for each index of the other axes, the positions of a row-major array along the given axes. Lines without elements
// are omitted.
func linesAlong(s Shape, axes []int) [][]int {
	shape, _ := s.Ints()
	all := make([]int, len(shape))
	n := 1
	for i := range all {
		all[i] = i
	}
	for _, i := range axes {
		n *= shape[i]
	}
	l, err := layout.RowMajor(shape...).Permute(append(without(all, axes), axes...)...)
	if err != nil {
		panic(err)
	}
	return slices.Collect(slices.Chunk(slices.Collect(l.All()), max(1, n)))
}

// without returns a list without the items at some positions.
func without(list, positions []int) []int {
	var out []int
	for i, x := range list {
		if !slices.Contains(positions, i) {
			out = append(out, x)
		}
	}
	return out
}

// pick returns the elements at some positions.
func pick(x []uint64, at []int) []uint64 {
	out := make([]uint64, len(at))
	for i, k := range at {
		out[i] = x[k]
	}
	return out
}

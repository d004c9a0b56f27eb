package ir

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Ops on ragged rows. A line consists of contiguous rows of different lengths. Offsets are the beginnings of the rows and the end of the
// last one: they ascend from 0 to the extent of the line. Each row is combined to one element, in the order of its elements.

// CheckOffsets panics with an IndexError unless the first offset is 0 and the last one is the extent of the line. The index of the error is
// an offset outside the line; -1 if there are elements before the first row; or the number of rows if there are elements behind
// the last row.
func CheckOffsets(first, last int64, rows, extent int) {
	switch {
	case first > 0:
		panic(&IndexError{-1, rows})
	case last >= 0 && last < int64(extent):
		panic(&IndexError{int64(rows), rows})
	}
	LineIndex(first, extent+1)
	LineIndex(last, extent+1)
}

// CheckRow panics with an IndexError unless a row is within a line of the given extent.
func CheckRow(begin, end int64, extent int) {
	LineIndex(begin, extent+1)
	LineIndex(end, extent+1)
	if end < begin {
		panic(&IndexError{end - begin, 1})
	}
}

// inferRagged returns the type of the combined rows of x along an axis.
func inferRagged(op Op, a Attr, args []Type) (Type, error) {
	return raggedType(op, a, args[0], args[1], args[0])
}

// inferRaggedProducts returns the type of the sums of products of ragged rows.
func inferRaggedProducts(op Op, a Attr, args []Type) (Type, error) {
	x, offsets, index, weights := args[0], args[1], args[2], args[3]
	if err := checkIndices(op, a, x, index); err != nil {
		return Type{}, err
	}
	if err := checkWeights(x, index, weights); err != nil {
		return Type{}, err
	}
	return raggedType(op, a, x, offsets, weights)
}

// raggedType returns the type of combined rows of elements of a type.
func raggedType(op Op, a Attr, x, offsets, elements Type) (Type, error) {
	if err := layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape)); err != nil {
		return Type{}, err
	}
	if err := takesIndices(op, offsets.DType); err != nil {
		return Type{}, err
	}
	if !op.Info().Domain.Has(x.DType) {
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	t := Type{x.DType, append(Shape{}, elements.Shape...)}
	if len(offsets.Shape) == len(t.Shape) {
		t.Shape[a.Axis] = offsets.Shape[a.Axis]
	}
	switch {
	case !t.Shape.Equal(offsets.Shape):
		return Type{}, fmt.Errorf("offsets of shape %s for shape %s: they may differ along axis %d alone", offsets.Shape, elements.Shape, a.Axis)
	case t.Shape[a.Axis].Is(0):
		return Type{}, fmt.Errorf("offsets of shape %s: there must be one more than there are rows", offsets.Shape)
	}
	t.Shape[a.Axis] = t.Shape[a.Axis].Sub(Fixed(1))
	if n, known := elements.Shape.NumElems().Int(); known && n > 0 && t.Shape[a.Axis].Is(0) {
		return Type{}, fmt.Errorf("offsets of shape %s for shape %s: there is no row for the elements", offsets.Shape, elements.Shape)
	}
	return t, t.Shape.Check()
}

func raggedLine(f Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	x, offsets, by := in[0], in[1], op.Info().By
	rows := len(offsets) - 1
	CheckOffsets(int64(offsets[0]), int64(offsets[rows]), rows, len(x))
	out := make([]uint64, rows)
	for r := range out {
		begin, end := offsets[r], offsets[r+1]
		CheckRow(int64(begin), int64(end), len(x))
		out[r] = EmptyReduction(by, d)
		for _, e := range x[begin:end] {
			out[r] = f.Combine(by, d, out[r], e)
		}
	}
	return out
}

func raggedProductLine(f Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	products := gatherProducts(f, op, d, in[0], in[2], in[3])
	return raggedLine(f, op, d, [][]uint64{products, in[1]})
}

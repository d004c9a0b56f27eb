package ir

import (
	"slices"
	"sort"
)

// evalLine computes a value line by line.
func evalLine(v *Value, args [][]uint64) []uint64 {
	lines := make([][][]int, len(args))
	for k, a := range v.Args {
		lines[k] = linesAlong(a.Type.Shape, []int{v.Attr.Axis})
	}
	out := make([]uint64, v.Type.Shape.size())
	in := make([][]uint64, len(args))
	for j, line := range linesAlong(v.Type.Shape, []int{v.Attr.Axis}) {
		for k := range in {
			if in[k] = nil; j < len(lines[k]) {
				in[k] = pick(args[k], lines[k][j])
			}
		}
		for i, e := range v.Op.Info().Line(Defined, v.Op, v.Args[0].Type.DType, in)[:len(line)] {
			out[line[i]] = e
		}
	}
	return out
}

func gatherLine(_ Arithmetic, _ Op, _ DType, in [][]uint64) []uint64 {
	out := make([]uint64, len(in[1]))
	for i, index := range in[1] {
		out[i] = in[0][LineIndex(int64(index), len(in[0]))]
	}
	return out
}

func gatherReduceLine(f Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	return []uint64{f.ReduceRow(op.Info().By, d, gatherLine(f, op, d, in))}
}

// gatherProducts returns the products of gathered elements and weights.
func gatherProducts(f Arithmetic, op Op, d DType, x, index, weights []uint64) []uint64 {
	products := gatherLine(f, op, d, [][]uint64{x, index})
	for i, w := range weights {
		products[i] = f.Combine(OpMul, d, products[i], w)
	}
	return products
}

func gatherProductLine(f Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	return []uint64{f.ReduceRow(op.Info().By, d, gatherProducts(f, op, d, in[0], in[1], in[2]))}
}

// scatterLine stores the updates one after the other, in the order of the indices.
func scatterLine(f Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	out := slices.Clone(in[0])
	for i, index := range in[1] {
		e := &out[LineIndex(int64(index), len(out))]
		if by := op.Info().By; by == OpInvalid {
			*e = in[2][i]
		} else {
			*e = f.Combine(by, d, *e, in[2][i])
		}
	}
	return out
}

// Places returns the positions of the elements of a line in sorted order: ascending, or descending if down. Equal elements keep their
// order, and NaNs come last. +0 and -0 are equal.
func Places(d DType, x []uint64, down bool) []int {
	places := make([]int, len(x))
	for i := range places {
		places[i] = i
	}
	sort.SliceStable(places, func(i, j int) bool {
		a, b := x[places[i]], x[places[j]]
		if nan, other := IsNaN(d, a), IsNaN(d, b); nan || other {
			return !nan && other
		}
		if down {
			a, b = b, a
		}
		return order(d, a, b) < 0
	})
	return places
}

func sortLine(_ Arithmetic, op Op, d DType, in [][]uint64) []uint64 {
	places := Places(d, in[0], op.Info().Descending)
	if !op.Info().Places {
		return pick(in[0], places)
	}
	out := make([]uint64, len(places))
	for i, place := range places {
		out[i] = uint64(place)
	}
	return out
}

package ir

import "slices"

// Scans. A line is cut into chunks of FoldChunk elements, as a reduction's is. In
// a chunk, a running value combines the one before it with the next element, in
// the type of the elements. From the second chunk on, the result is the carry
// combined with the running value. The carry is what the chunks before fold to,
// one after the other, in PartialType, and rounded for each result. So chunks can
// be computed apart, and the error of a long float32 line does not grow with its
// length.

// ScanLine returns the running values of a line. An exclusive scan leaves out the
// element itself: it begins with EmptyFold, and the last running value goes.
func ScanLine(by Op, d DType, x []uint64, exclusive bool) []uint64 {
	ref, wide := by.Info().Ref, PartialType(by, d)
	cast := func(from, to DType, v uint64) uint64 { return refCast(from, to, [3]uint64{v}) }
	out := make([]uint64, 0, len(x)+1)
	if exclusive {
		out = append(out, EmptyFold(by, d))
	}
	var carry, run uint64
	for i, v := range x {
		if i%FoldChunk != 0 {
			v = ref(d, d, [3]uint64{run, v})
		} else if i == FoldChunk {
			carry = cast(d, wide, run)
		} else if i > 0 {
			carry = ref(wide, wide, [3]uint64{carry, cast(d, wide, run)})
		}
		if run = v; i >= FoldChunk {
			v = ref(d, d, [3]uint64{cast(wide, d, carry), run})
		}
		out = append(out, v)
	}
	return out[:len(x)]
}

// evalScan computes the running values along an axis.
func evalScan(v *Value, out Array, x Array) (Array, error) {
	l, err := RowMajor(x.Shape...).Permute(lastAxis(len(x.Shape), v.Attr.Axis)...)
	if err != nil {
		return out, err
	}
	out.Data = make([]uint64, len(x.Data))
	at := slices.Collect(l.All())
	for line := range slices.Chunk(at, max(1, x.Shape[v.Attr.Axis])) {
		elems := make([]uint64, len(line))
		for i, k := range line {
			elems[i] = x.Data[k]
		}
		for i, e := range ScanLine(v.Op.Info().By, x.DType, elems, v.Attr.Exclusive) {
			out.Data[line[i]] = e
		}
	}
	return out, nil
}

// lastAxis returns the axes in order, but for one, which is last.
func lastAxis(rank, axis int) []int {
	order := make([]int, 0, rank)
	for k := range rank {
		if k != axis {
			order = append(order, k)
		}
	}
	return append(order, axis)
}

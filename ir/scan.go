package ir

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Scans. A line is cut into chunks of ReduceChunk elements, as a reduction's is. In
// a chunk, a running value combines the one before it with the next element, in
// the type of the elements. From the second chunk on, the result is the carry
// combined with the running value. The carry is what the chunks before reduce to,
// one after the other, in PartialType, and rounded for each result. So chunks can
// be computed apart, and the error of a long float32 line does not grow with its
// length.
//
// The running value of a chunk can overflow where the results don't, and a product can
// also vanish. Both stay so until the end of the line. So a line of more than one chunk
// whose last result is not finite, or is a product of 0, is scanned again without chunks
// (Rescan).

// ScanLine returns the running values of a line. An exclusive scan leaves out the
// element itself: it begins with EmptyReduction, and the last running value goes.
func ScanLine(by Op, d DType, x []uint64, exclusive bool) []uint64 {
	if len(x) == 0 {
		return nil
	}
	var head []uint64
	if exclusive {
		head, x = append(head, EmptyReduction(by, d)), x[:len(x)-1]
	}
	out := scanChunks(by, d, x)
	if n := len(x); n > ReduceChunk && RescansLine(by, d, out[n-1]) {
		out = Rescan(by, d, x)
	}
	return append(head, out...)
}

// scanChunks returns the running values of a line chunk by chunk.
func scanChunks(by Op, d DType, x []uint64) []uint64 {
	ref, wide := by.Info().Ref, PartialType(by, d)
	cast := func(from, to DType, v uint64) uint64 { return RefCast(from, to, [3]uint64{v}) }
	out := make([]uint64, 0, len(x)+1)
	var carry, run uint64
	for i, v := range x {
		if i%ReduceChunk != 0 {
			v = ref(d, d, [3]uint64{run, v})
		} else if i == ReduceChunk {
			carry = cast(d, wide, run)
		} else if i > 0 {
			carry = ref(wide, wide, [3]uint64{carry, cast(d, wide, run)})
		}
		if run = v; i >= ReduceChunk {
			v = ref(d, d, [3]uint64{cast(wide, d, carry), run})
		}
		out = append(out, v)
	}
	return out
}

// Rescans reports whether there are lines that are scanned again.
func Rescans(by Op, d DType) bool {
	return (d == Float32 || d == Float64) && (by == OpAdd || by == OpMul)
}

// RescansLine reports whether a line of more than one chunk is scanned again, given its
// last result.
func RescansLine(by Op, d DType, last uint64) bool {
	if !Rescans(by, d) {
		return false
	}
	v := ToFloat(d, last)
	return v-v != 0 || by == OpMul && v == 0
}

// Rescan returns the running values of a line, which combines one element after the other in
// PartialType. Each is rounded, and none overflows but where the exact one is near the end
// of PartialType's range.
func Rescan(by Op, d DType, x []uint64) []uint64 {
	wide := PartialType(by, d)
	out := slices.Clone(x)
	CastAll(d, wide, out)
	for i := range len(out) - 1 {
		out[i+1] = by.Info().Ref(wide, wide, [3]uint64{out[i], out[i+1]})
	}
	CastAll(wide, d, out)
	return out
}

// ScannedBy returns the scan that combines elements with op, OpInvalid if there
// is none.
func (op Op) ScannedBy() Op {
	for scan := OpCumSum; scan <= OpCumMax; scan++ {
		if scan.Info().By == op {
			return scan
		}
	}
	return OpInvalid
}

// inferScan returns the type of a scan: that of its operand.
func inferScan(op Op, a Attr, args []Type) (Type, error) {
	x := args[0]
	if !op.Info().Domain.Has(x.DType) {
		return Type{}, doesNotTake(op, x.DType)
	}
	return x, layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape))
}

// evalScan computes the running values along an axis.
func evalScan(v *Value, args [][]uint64) []uint64 {
	x, out := v.Args[0].Type, make([]uint64, len(args[0]))
	for _, line := range linesAlong(x.Shape, []int{v.Attr.Axis}) {
		for i, e := range ScanLine(v.Op.Info().By, x.DType, pick(args[0], line), v.Attr.Exclusive) {
			out[line[i]] = e
		}
	}
	return out
}

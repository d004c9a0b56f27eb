package ir

import "github.com/stridefuse/stridefuse/ir/layout"

// Scans. A line is cut into chunks of ReduceChunk elements, as a reduction's is. In
// a chunk, a running value combines the one before it with the next element, in
// the type of the elements. From the second chunk on, the result is the carry
// combined with the running value. The carry is what the chunks before reduce to,
// one after the other, in PartialType, and rounded for each result. So chunks can
// be computed apart, and the error of a long float32 line does not grow with its
// length.

// ScanLine returns the running values of a line. An exclusive scan leaves out the
// element itself: it begins with EmptyReduction, and the last running value goes.
func ScanLine(by Op, d DType, x []uint64, exclusive bool) []uint64 {
	ref, wide := by.Info().Ref, PartialType(by, d)
	cast := func(from, to DType, v uint64) uint64 { return RefCast(from, to, [3]uint64{v}) }
	out := make([]uint64, 0, len(x)+1)
	if exclusive {
		out = append(out, EmptyReduction(by, d))
	}
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
	return out[:len(x)]
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

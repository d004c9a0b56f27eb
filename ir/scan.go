package ir

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Scans. Products of floats are computed one element after the other in PartialType, each rounded: the product of a chunk could leave the
// range of numbers where the results do not.
//
// In any other scan, a line is divided into chunks of ReduceChunk elements, as in a reduction. The running values of a chunk combine its
// elements in order, from its first one, in the type of the elements. A result is the carry combined with the running value. The
// carry is the combination of the reduced chunks before, in order, in PartialType; it is rounded for each result. So chunks can be
// computed independently, and the error of a long float32 line does not grow with its length.
//
// The running values of a chunk of floats can overflow where the sums of the line do not. If the last one is not finite and the line has
// several chunks, the chunk is scanned again with smaller elements (HalfRuns), and its results are carry + half + half in
// PartialType (Rescan).

// ScanLine returns the running values of a line. An exclusive scan excludes the element itself: it begins with EmptyReduction and omits
// the last running value.
func (f Arithmetic) ScanLine(by Op, d DType, x []uint64, exclusive bool) []uint64 {
	if len(x) == 0 {
		return nil
	}
	out, again := make([]uint64, 0, len(x)), RescansChunks(by, d, len(x))
	if exclusive {
		out, x = append(out, EmptyReduction(by, d)), x[:len(x)-1]
	}
	wide := PartialType(by, d)
	if ScansInOrder(by, d) {
		x = slices.Clone(x)
		f.CastAll(d, wide, x)
		x = f.runs(by, wide, x)
		f.CastAll(wide, d, x)
		return append(out, x...)
	}
	carry, _ := by.Info().Identity(wide)
	x, _ = f.scanChunks(by, d, x, carry, again)
	return append(out, x...)
}

// Rescan recomputes the results of some chunks of a scan of sums: chunks whose last running value is not finite, and chunks whose carry then
// differs from the one in before. The chunks' carries follow one another, beginning with before[0]. It returns the carry behind
// all of them.
func (f Arithmetic) Rescan(d DType, x, last, before, out []uint64) (next uint64) {
	wide := PartialType(OpAdd, d)
	next = before[0]
	for k, run := range last {
		if IsFinite(d, run) && (next == before[k] || IsNaN(wide, next) && IsNaN(wide, before[k])) {
			next = f.Combine(OpAdd, wide, next, f.Cast(d, wide, run))
			continue
		}
		from, to := k*ReduceChunk, min((k+1)*ReduceChunk, len(x))
		results, carry := f.scanChunk(OpAdd, d, x[from:to], next, true)
		copy(out[from:to], results)
		next = carry
	}
	return next
}

func (f Arithmetic) scanChunks(by Op, d DType, x []uint64, carry uint64, again bool) (out []uint64, next uint64) {
	for chunk := range slices.Chunk(x, ReduceChunk) {
		chunk, carry = f.scanChunk(by, d, chunk, carry, again)
		out = append(out, chunk...)
	}
	return out, carry
}

// scanChunk returns the results of a chunk and the carry behind it, given the carry before it. again says that the chunk may have to be
// scanned again.
func (f Arithmetic) scanChunk(by Op, d DType, x []uint64, carry uint64, again bool) (out []uint64, next uint64) {
	wide := PartialType(by, d)
	out = f.runs(by, d, x)
	last := out[len(out)-1]
	if again && !IsFinite(d, last) {
		for i, h := range f.HalfRuns(d, x) {
			next = f.Combine(by, wide, f.Combine(by, wide, carry, h), h)
			out[i] = f.Cast(wide, d, next)
		}
		return out, next
	}
	rounded := f.Cast(wide, d, carry)
	for i, run := range out {
		out[i] = f.Combine(by, d, rounded, run)
	}
	return out, f.Combine(by, wide, carry, f.Cast(d, wide, last))
}

// runs returns the running values, starting with the first element.
func (f Arithmetic) runs(by Op, d DType, x []uint64) []uint64 {
	out := slices.Clone(x)
	for i := range len(out) - 1 {
		out[i+1] = f.Combine(by, d, out[i], out[i+1])
	}
	return out
}

// The factors of HalfRuns. The product of both is 1/2.
const (
	HalfRunsBefore = 0x1p-11 // 1024 elements times this are in range
	HalfRunsAfter  = 0x1p10
)

// HalfRuns returns half of the sum of a chunk up to each element, in PartialType. Elements are multiplied by HalfRunsBefore and
// added one after the other, and each sum is multiplied by HalfRunsAfter. Sums of at least twice the range are infinite.
func (f Arithmetic) HalfRuns(d DType, x []uint64) []uint64 {
	wide := PartialType(OpAdd, d)
	out := make([]uint64, len(x))
	for i, v := range x {
		out[i] = f.Combine(OpMul, d, v, FromFloat(d, HalfRunsBefore))
	}
	out = f.runs(OpAdd, d, out)
	f.CastAll(d, wide, out)
	for i, v := range out {
		out[i] = f.Combine(OpMul, wide, v, FromFloat(wide, HalfRunsAfter))
	}
	return out
}

// ScansInOrder reports whether a scan is computed without chunks.
func ScansInOrder(by Op, d DType) bool { return by == OpMul && (Floats & Native).Has(d) }

// RunType returns the type of the running values of a scan.
func RunType(by Op, d DType) DType {
	if ScansInOrder(by, d) {
		return PartialType(by, d)
	}
	return d
}

// RescansChunks reports whether chunks of lines of n elements are scanned again if their last running value is not finite.
func RescansChunks(by Op, d DType, n int) bool {
	return by == OpAdd && (Floats & Native).Has(d) && n > ReduceChunk
}

// ScannedBy returns the scan that combines elements with op, or OpInvalid.
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
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
	}
	return x, layout.CheckAxes([]int{a.Axis}, 0, len(x.Shape))
}

// evalScan computes the running values along an axis.
func evalScan(v *Value, args [][]uint64) []uint64 {
	x, out := v.Args[0].Type, make([]uint64, len(args[0]))
	for _, line := range linesAlong(x.Shape, []int{v.Attr.Axis}) {
		for i, e := range Defined.ScanLine(v.Op.Info().By, x.DType, pick(args[0], line), v.Attr.Exclusive) {
			out[line[i]] = e
		}
	}
	return out
}

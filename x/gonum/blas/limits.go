package blas

// Where a routine of this package takes less time than gonum's, and the sizes of blocks. Every number was found by timing both beside each
// other for shapes of 1 to 256 rows, columns and pairs, all transpositions and alpha = ±1, on a Zen 4 (AVX-512) with one thread, 2026-11. A
// limit is the size from which on no shape was slower than gonum's by more than 3 %. (Rows of 130 elements, a vector and two elements, took
// 1.1 times as long in Gemv and Ger, so their rows have 192 or more.)

import "gonum.org/v1/gonum/blas"

// limits are those of one element type.
type limits struct {
	// Gemm pays from so many pairs on, if m*k*(n+10) is gemmWork or more: gonum's time for m*k rows of n. If B is transposed, gonum
	// sums m*n rows of k instead, and B must be transposed: Gemm pays from so many rows, columns, results and multiplications on.
	gemmPairs, gemmWork                       int
	sumsRows, sumsCols, sumsResults, sumsWork int
	// Gemm of complex elements pays from so many rows, columns and multiplications on.
	complexSide, complexWork int
	// Syrk and Syr2k pay from so many rows of C and columns of A on, Symm from so many rows and columns of both operands on.
	rankRows, rankCols, symmSide int
	// Trmm and Trsm pay from so many rows and columns of B on, if the elements of B times the order of A are triangleWork or more.
	triangleSide, triangleWork int
	// Gemv pays from so many rows and columns on if A has so many elements; then the same for a transposed A; then Ger.
	rows, transposed, outer rectangle
	// Symv and Trsv pay from so many rows on, Nrm2 and Asum from so many elements on.
	symv, trsv, norm int

	// A goroutine of its own computes at least so many multiplications: 10 µs.
	part int
	// Rows of B are packed if they are farBytes apart or more and packRows rows of A or more read them; then few of them would be in the
	// first-level cache at once. Rows of A are packed if setBytes divides their distance: all would be in one set.
	packRows, farBytes, setBytes int
	// The packed parts of A and B, in the caches.
	leftBytes, rightBytes int
}

// rectangle is the least size of a matrix.
type rectangle struct{ rows, cols, elems int }

func (r rectangle) holds(m, n int) bool { return m >= r.rows && n >= r.cols && m*n >= r.elems }

var float64Limits = limits{
	gemmPairs: 4, gemmWork: 1600, sumsRows: 4, sumsCols: 8, sumsResults: 64, sumsWork: 1024,
	complexSide: 2, complexWork: 512, rankRows: 12, rankCols: 16, symmSide: 10, triangleSide: 16, triangleWork: 33000,
	rows: rectangle{8, 192, 8192}, transposed: rectangle{32, 128, 32 << 10}, outer: rectangle{16, 192, 16 << 10},
	symv: 160, trsv: 192, norm: 64,
	part: 256 << 10, packRows: 32, farBytes: 2048, setBytes: 4096, leftBytes: 128 << 10, rightBytes: 512 << 10,
}

var float32Limits = func() limits {
	l := float64Limits
	l.rows, l.transposed = rectangle{8, 32, 2048}, rectangle{64, 64, 4096}
	return l
}()

// gemmPays reports whether Gemm is faster than gonum's. Whatever the arguments are, only time depends on it.
func (l *limits) gemmPays(m, n, k int, sums bool) bool {
	if sums {
		return k >= l.gemmPairs && m >= l.sumsRows && n >= l.sumsCols && m*n >= l.sumsResults && m*n*k >= l.sumsWork
	}
	return k >= l.gemmPairs && m*k*(n+10) >= l.gemmWork
}

// complexPays is the same for Gemm of complex elements.
func (l *limits) complexPays(m, n, k int) bool {
	return min(m, n) >= l.complexSide && m*n*k >= l.complexWork
}

// trianglePays is the same for Trmm and Trsm.
func (l *limits) trianglePays(s blas.Side, m, n int) bool {
	return m >= l.triangleSide && n >= l.triangleSide && m*n*order(s, m, n) >= l.triangleWork
}

// gemvPays is the same for Gemv.
func (l *limits) gemvPays(tA blas.Transpose, m, n int) bool {
	if tA == blas.NoTrans {
		return l.rows.holds(m, n)
	}
	return l.transposed.holds(m, n)
}

// callElems is the greatest number of elements that one call of an elementwise kernel computes: about 10 µs.
const callElems = 32 << 10

// lightWork is the number of multiplications below which a call has vectors of 32 bytes on processors of Intel before Ice Lake. There one
// instruction on 64 bytes lowers the clock for two thirds of a millisecond: loops of lapack around such a call took 1.15 times as long.
const lightWork = 128 << 10

// vectorWork is the time of a multiplication by a vector, where that of a multiplication of matrices is 1.
const vectorWork = 4

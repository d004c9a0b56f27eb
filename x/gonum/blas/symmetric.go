package blas

// Products with a symmetric result or operand: Syrk, Syr2k and Symm.
//
// A symmetric result is divided into bands of rows, one for each worker, each a rectangle and a triangle. A triangle is two smaller ones
// and a square; the smallest are computed as squares, in local memory, of which one half counts. A symmetric operand is written out, some rows
// at a time: by symmetry these also serve as columns.

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// triangleRows is the number of rows of the smallest triangles.
const triangleRows = 48

// rankK is Syrk of BLAS, or Syr2k if there is a b. It returns false, and does nothing, if the arguments are wrong, or there is nothing to
// multiply.
func (e *engine[T]) rankK(uplo blas.Uplo, tA blas.Transpose, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	trans, ok := transposed(tA)
	if !ok || uplo != blas.Upper && uplo != blas.Lower || !holds(len(c), n, n, ldc) {
		return false
	}
	rows, cols := n, k
	if trans {
		rows, cols = k, n
	}
	if !holds(len(a), rows, cols, lda) || b != nil && !holds(len(b), rows, cols, ldb) {
		return false
	}
	work := n * n * k / 2
	if b != nil {
		work *= 2
	}
	w := e.of(work).worker()
	w.task = task[T]{do: e.rankKPart, n: n, k: k, alpha: alpha, beta: beta, lower: uplo == blas.Lower,
		a: rowMajor(a, lda, trans), c: rowMajor(c, ldc, false)}
	if b != nil {
		w.task.b = rowMajor(b, ldb, trans)
	}
	w.compute(work)
	return true
}

// rankKPart computes a worker's band of rows.
func rankKPart[T float](w *worker[T]) {
	t := &w.task
	from, to := band(t.n, w.part, w.parts, t.lower), band(t.n, w.part+1, w.parts, t.lower)
	if from == to {
		return
	}
	begin, end := 0, from // of the rectangle's columns
	if !t.lower {
		begin, end = to, t.n
	}
	if t.beta != 0 && t.beta != 1 {
		for i := from; i < to; i++ {
			if t.lower {
				w.rescale(1, i+1, t.beta, t.c.from(i, 0))
			} else {
				w.rescale(1, t.n-i, t.beta, t.c.from(i, i))
			}
		}
	}
	w.rankKTriangle(to-from, from)
	if begin < end {
		w.rankKRectangle(from, begin, to-from, end-begin)
	}
}

// band returns the row where a band of a triangle of n rows begins. All bands have about as many elements.
func band(n, part, parts int, lower bool) int {
	if !lower {
		return n - band(n, parts-part, parts, true)
	}
	return int(math.Round(float64(n) * math.Sqrt(float64(part)/float64(parts))))
}

// rankKTriangle computes the triangle of n rows from row and column i on.
func (w *worker[T]) rankKTriangle(n, i int) {
	if half := n / 2; n > triangleRows {
		w.rankKTriangle(half, i)
		w.rankKTriangle(n-half, i+half)
		if w.task.lower {
			w.rankKRectangle(i+half, i, n-half, half)
		} else {
			w.rankKRectangle(i, i+half, half, n-half)
		}
		return
	}
	// In the square, C's elements take the same sums in the same order as in a rectangle.
	t := &w.task
	square := view[T]{scratch(&w.block, n*n), n, 1}
	clear(square.data)
	for r := range n {
		from, to := t.half(r, n)
		copy(square.data[r*n+from:r*n+to], t.c.from(i+r, i).data[from:to])
	}
	w.rankKBlock(i, i, n, n, square, t.beta != 0)
	for r := range n {
		from, to := t.half(r, n)
		copy(t.c.from(i+r, i).data[from:to], square.data[r*n+from:r*n+to])
	}
}

// half returns the columns of row r in the triangle of n rows.
func (t *task[T]) half(r, n int) (from, to int) {
	if t.lower {
		return 0, r + 1
	}
	return r, n
}

// rankKRectangle computes the rectangle of m rows and n columns from element i, j on.
func (w *worker[T]) rankKRectangle(i, j, m, n int) {
	w.rankKBlock(i, j, m, n, w.task.c.from(i, j), w.task.beta != 0)
}

// rankKBlock computes alpha*A*Aᵀ, or alpha*A*Bᵀ + alpha*B*Aᵀ, for m rows and n columns from i, j on.
func (w *worker[T]) rankKBlock(i, j, m, n int, c view[T], add bool) {
	t := &w.task
	if t.b.data == nil {
		w.gemm(m, n, t.k, t.alpha, t.a.from(i, 0), t.a.from(j, 0).t(), c, add)
		return
	}
	w.gemm(m, n, t.k, t.alpha, t.a.from(i, 0), t.b.from(j, 0).t(), c, add)
	w.gemm(m, n, t.k, t.alpha, t.b.from(i, 0), t.a.from(j, 0).t(), c, true)
}

// symmetricRows is the number of rows of a symmetric operand that are written out at a time.
const symmetricRows = 192

// symm is Symm of BLAS. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) symm(side blas.Side, uplo blas.Uplo, m, n int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	if side != blas.Left && side != blas.Right || uplo != blas.Upper && uplo != blas.Lower || !holds(len(b), m, n, ldb) || !holds(len(c), m, n, ldc) {
		return false
	}
	// With A on the right the transposes are computed: Cᵀ = alpha*A*Bᵀ + beta*Cᵀ.
	right := side == blas.Right
	if right {
		m, n = n, m
	}
	if !holds(len(a), m, m, lda) {
		return false
	}
	w := e.of(m * m * n).worker()
	w.task = task[T]{do: e.symmPart, m: m, n: n, alpha: alpha, beta: beta, lower: uplo == blas.Lower,
		a: rowMajor(a, lda, false), b: rowMajor(b, ldb, right), c: rowMajor(c, ldc, right)}
	w.compute(m * m * n)
	return true
}

// symmPart computes a worker's rows of C.
func symmPart[T float](w *worker[T]) {
	t := &w.task
	i, end := share(t.m, 12, w.part, w.parts)
	for ; i < end; i += symmetricRows {
		rows := min(symmetricRows, end-i)
		if c := t.c.from(i, 0); t.beta != 0 && t.beta != 1 {
			w.rescale(rows, t.n, t.beta, c)
		}
		a := w.writeOut(i, rows)
		w.gemm(rows, t.n, t.m, t.alpha, a, t.b, t.c.from(i, 0), t.beta != 0)
	}
}

// writeOut returns all elements of some rows of the symmetric operand, of which one triangle is stored.
func (w *worker[T]) writeOut(i, rows int) view[T] {
	n, a, end := w.task.m, w.task.a, i+rows
	to := view[T]{scratch(&w.block, rows*n), n, 1}
	if w.task.lower { // its transpose has the upper triangle
		a = a.t()
	}
	if i > 0 {
		w.copy(rows, i, 1, a.from(0, i).t(), to)
	}
	for r := range rows {
		for c := range r {
			to.data[r*n+i+c] = a.data[(i+c)*a.row+(i+r)*a.col]
		}
		for c := r; c < rows; c++ {
			to.data[r*n+i+c] = a.data[(i+r)*a.row+(i+c)*a.col]
		}
	}
	if end < n {
		w.copy(rows, n-end, 1, a.from(i, end), to.from(0, end))
	}
	return to
}

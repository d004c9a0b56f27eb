package blas

// Products of a symmetric matrix and a vector, and triangular systems: Symv and Trsv. A matrix is cut into blocks of rows: a small one on the
// diagonal, and a rectangle beside it. Symv reads that for the rows and, while it is in the cache, for the columns.

import "gonum.org/v1/gonum/blas"

// diagonalRows is the number of rows of a block.
const diagonalRows = 16

// symv is Symv of BLAS. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) symv(uplo blas.Uplo, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	if uplo != blas.Upper && uplo != blas.Lower || !holds(len(a), n, n, lda) || !holdsVector(len(x), n, incX) || !holdsVector(len(y), n, incY) {
		return false
	}
	w := e.of(n * n * vectorWork).worker()
	vy := vector[T]{y, incY}
	xs, ys := read(&w.left, vector[T]{x, incX}, n, 0, n), read(&w.right, vy, n, 0, n)
	w.rescaleVector(beta, ys)
	for i := 0; i < n; i += diagonalRows {
		end := min(n, i+diagonalRows)
		addSymmetric(uplo == blas.Lower, rowMajor(a, lda, false).from(i, i), alpha, xs[i:end], ys[i:end])
		from, to := end, n
		if uplo == blas.Lower {
			from, to = 0, i
		}
		if from < to {
			beside := rowMajor(a, lda, false).from(i, from)
			w.addProducts(beside, alpha, xs[from:to], ys[i:end])
			w.addRows(beside, alpha, xs[i:end], ys[from:to])
		}
	}
	write(ys, vy, n, 0)
	w.release()
	return true
}

// addSymmetric adds alpha*A*x to y, for a small A of which one triangle is stored.
func addSymmetric[T float](lower bool, a view[T], alpha T, x, y []T) {
	if lower {
		a = a.t()
	}
	for i := range x {
		sum := a.data[i*(a.row+a.col)] * x[i]
		for j := i + 1; j < len(x); j++ {
			v := a.data[i*a.row+j*a.col]
			sum += v * x[j]
			y[j] += alpha * x[i] * v
		}
		y[i] += alpha * sum
	}
}

// trsv is Trsv of BLAS. It returns false, and does nothing, if the arguments are wrong.
func (e *engine[T]) trsv(uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, n int, a []T, lda int, x []T, incX int) bool {
	trans, ok := transposed(tA)
	if !ok || uplo != blas.Upper && uplo != blas.Lower || diag != blas.Unit && diag != blas.NonUnit || !holds(len(a), n, n, lda) || !holdsVector(len(x), n, incX) || !e.ready() {
		return false
	}
	w := e.of(n * n * vectorWork).worker()
	vx := vector[T]{x, incX}
	xs := read(&w.left, vx, n, 0, n)
	t, lower := rowMajor(a, lda, trans), (uplo == blas.Lower) != trans
	for s := 0; s < n; s += diagonalRows {
		from, end := s, min(n, s+diagonalRows)
		done, others := [2]int{0, from}, [2]int{end, n} // elements before and after
		if !lower {
			from, end = n-end, n-from
			done, others = [2]int{end, n}, [2]int{0, from}
		}
		if done[0] < done[1] && t.col == 1 {
			w.addProducts(t.from(from, done[0]), -1, xs[done[0]:done[1]], xs[from:end])
		}
		solve(lower, diag == blas.Unit, t.from(from, from), xs[from:end])
		if others[0] < others[1] && t.col != 1 {
			w.addRows(t.from(others[0], from).t(), -1, xs[from:end], xs[others[0]:others[1]])
		}
	}
	write(xs, vx, n, 0)
	w.release()
	return true
}

// solve solves a small triangular system.
func solve[T float](lower, unit bool, t view[T], x []T) {
	for s := range x {
		i, from, to := s, 0, s
		if !lower {
			i = len(x) - 1 - s
			from, to = i+1, len(x)
		}
		row := t.from(i, 0)
		for j := from; j < to; j++ {
			x[i] -= row.data[j*row.col] * x[j]
		}
		if !unit {
			x[i] /= row.data[i*row.col]
		}
	}
}

package blas

// The routines of levels 1 and 2 that come before gonum's.

import (
	"math"

	"gonum.org/v1/gonum/blas"
)

// few is the number of elements below which a call of another function would take longer than their sum.
const few = 32

// magnitudes returns the sum of the magnitudes of a few elements. It is inlined.
func magnitudes[T float32 | float64](x []T) (sum T) {
	for _, v := range x {
		sum += T(math.Abs(float64(v)))
	}
	return sum
}

// Sgemv computes y = alpha*op(A)*x + beta*y.
func (i *implementation) Sgemv(tA blas.Transpose, m, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if !i.single.gemvPays(tA, m, n) || !i.single.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		i.Implementation.Sgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Sger adds alpha*x*yᵀ to A.
func (i *implementation) Sger(m, n int, alpha float32, x []float32, incX int, y []float32, incY int, a []float32, lda int) {
	if !i.single.outer.holds(m, n) || !i.single.ger(m, n, alpha, x, incX, y, incY, a, lda) {
		i.Implementation.Sger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Ssymv computes y = alpha*A*x + beta*y for a symmetric A.
func (i *implementation) Ssymv(ul blas.Uplo, n int, alpha float32, a []float32, lda int, x []float32, incX int, beta float32, y []float32, incY int) {
	if n < i.single.limits.symv || !i.single.symv(ul, n, alpha, a, lda, x, incX, beta, y, incY) {
		i.Implementation.Ssymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Strsv solves op(A)*x = b for a triangular A, where x holds b before.
func (i *implementation) Strsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float32, lda int, x []float32, incX int) {
	if n < i.single.limits.trsv || !i.single.trsv(ul, tA, d, n, a, lda, x, incX) {
		i.Implementation.Strsv(ul, tA, d, n, a, lda, x, incX)
	}
}

// Snrm2 returns the Euclidean norm of x.
func (i *implementation) Snrm2(n int, x []float32, incX int) float32 {
	if n == 1 && incX == 1 && len(x) > 0 {
		return float32(math.Abs(float64(x[0])))
	}
	if norm, ok := i.single.nrm2(n, x, incX); ok {
		return norm
	}
	return i.Implementation.Snrm2(n, x, incX)
}

// Sasum returns the sum of the magnitudes of x.
func (i *implementation) Sasum(n int, x []float32, incX int) float32 {
	if n > 0 && n < few && incX == 1 && n <= len(x) {
		return magnitudes(x[:n])
	}
	if sum, ok := i.single.asum(n, x, incX); ok {
		return sum
	}
	return i.Implementation.Sasum(n, x, incX)
}

// Dgemv computes y = alpha*op(A)*x + beta*y.
func (i *implementation) Dgemv(tA blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if !i.double.gemvPays(tA, m, n) || !i.double.gemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY) {
		i.Implementation.Dgemv(tA, m, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dger adds alpha*x*yᵀ to A.
func (i *implementation) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if !i.double.outer.holds(m, n) || !i.double.ger(m, n, alpha, x, incX, y, incY, a, lda) {
		i.Implementation.Dger(m, n, alpha, x, incX, y, incY, a, lda)
	}
}

// Dsymv computes y = alpha*A*x + beta*y for a symmetric A.
func (i *implementation) Dsymv(ul blas.Uplo, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	if n < i.double.limits.symv || !i.double.symv(ul, n, alpha, a, lda, x, incX, beta, y, incY) {
		i.Implementation.Dsymv(ul, n, alpha, a, lda, x, incX, beta, y, incY)
	}
}

// Dtrsv solves op(A)*x = b for a triangular A, where x holds b before.
func (i *implementation) Dtrsv(ul blas.Uplo, tA blas.Transpose, d blas.Diag, n int, a []float64, lda int, x []float64, incX int) {
	if n < i.double.limits.trsv || !i.double.trsv(ul, tA, d, n, a, lda, x, incX) {
		i.Implementation.Dtrsv(ul, tA, d, n, a, lda, x, incX)
	}
}

// Dnrm2 returns the Euclidean norm of x.
func (i *implementation) Dnrm2(n int, x []float64, incX int) float64 {
	if n == 1 && incX == 1 && len(x) > 0 {
		return math.Abs(x[0])
	}
	if norm, ok := i.double.nrm2(n, x, incX); ok {
		return norm
	}
	return i.Implementation.Dnrm2(n, x, incX)
}

// Dasum returns the sum of the magnitudes of x.
func (i *implementation) Dasum(n int, x []float64, incX int) float64 {
	if n > 0 && n < few && incX == 1 && n <= len(x) {
		return magnitudes(x[:n])
	}
	if sum, ok := i.double.asum(n, x, incX); ok {
		return sum
	}
	return i.Implementation.Dasum(n, x, incX)
}

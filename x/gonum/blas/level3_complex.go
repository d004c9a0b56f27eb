package blas

// The routines of level 3 of complex matrices that come before gonum's.

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// newBlocks sets the routines that blocks are made of.
func (i *implementation) newBlocks(c cut) {
	g := gonum.Implementation{}
	i.blocks64 = &blocks[complex64]{cut: c, gemm: i.Cgemm, trmm: g.Ctrmm, trsm: g.Ctrsm, hemm: g.Chemm, symm: g.Csymm, syrk: g.Csyrk,
		herk: func(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, beta complex64, c []complex64, ldc int) {
			g.Cherk(ul, t, n, k, real(alpha), a, lda, real(beta), c, ldc)
		}}
	i.blocks128 = &blocks[complex128]{cut: c, gemm: i.Zgemm, trmm: g.Ztrmm, trsm: g.Ztrsm, hemm: g.Zhemm, symm: g.Zsymm, syrk: g.Zsyrk,
		herk: func(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
			g.Zherk(ul, t, n, k, real(alpha), a, lda, real(beta), c, ldc)
		}}
}

// Cgemm computes C = alpha*op(A)*op(B) + beta*C.
func (i *implementation) Cgemm(tA, tB blas.Transpose, m, n, k int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	if !i.single.complexPays(m, n, k) || !i.single.complexGemm(tA, tB, m, n, k, [2]float32{real(alpha), imag(alpha)}, reals[float32](a), lda, reals[float32](b), ldb, [2]float32{real(beta), imag(beta)}, reals[float32](c), ldc) {
		i.Implementation.Cgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ctrmm computes B = alpha*op(A)*B or B = alpha*B*op(A) for a triangular A.
func (i *implementation) Ctrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int) {
	i.blocks64.triangular(false, s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// Ctrsm solves op(A)*X = alpha*B or X*op(A) = alpha*B for a triangular A, and stores X in B.
func (i *implementation) Ctrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int) {
	i.blocks64.triangular(true, s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// Csymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a symmetric A.
func (i *implementation) Csymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	i.blocks64.symmetric(blas.Trans, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Chemm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a Hermitian A.
func (i *implementation) Chemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex64, a []complex64, lda int, b []complex64, ldb int, beta complex64, c []complex64, ldc int) {
	i.blocks64.symmetric(blas.ConjTrans, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Csyrk computes a triangle of C = alpha*op(A)*op(A)ᵀ + beta*C.
func (i *implementation) Csyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex64, a []complex64, lda int, beta complex64, c []complex64, ldc int) {
	i.blocks64.rankK(blas.Trans, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Cherk computes a triangle of C = alpha*op(A)*op(A)ᴴ + beta*C.
func (i *implementation) Cherk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float32, a []complex64, lda int, beta float32, c []complex64, ldc int) {
	i.blocks64.rankK(blas.ConjTrans, ul, t, n, k, complex(alpha, 0), a, lda, complex(beta, 0), c, ldc)
}

// Zgemm computes C = alpha*op(A)*op(B) + beta*C.
func (i *implementation) Zgemm(tA, tB blas.Transpose, m, n, k int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	if !i.double.complexPays(m, n, k) || !i.double.complexGemm(tA, tB, m, n, k, [2]float64{real(alpha), imag(alpha)}, reals[float64](a), lda, reals[float64](b), ldb, [2]float64{real(beta), imag(beta)}, reals[float64](c), ldc) {
		i.Implementation.Zgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
	}
}

// Ztrmm computes B = alpha*op(A)*B or B = alpha*B*op(A) for a triangular A.
func (i *implementation) Ztrmm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	i.blocks128.triangular(false, s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// Ztrsm solves op(A)*X = alpha*B or X*op(A) = alpha*B for a triangular A, and stores X in B.
func (i *implementation) Ztrsm(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int) {
	i.blocks128.triangular(true, s, ul, t, d, m, n, alpha, a, lda, b, ldb)
}

// Zsymm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a symmetric A.
func (i *implementation) Zsymm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	i.blocks128.symmetric(blas.Trans, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zhemm computes C = alpha*A*B + beta*C or C = alpha*B*A + beta*C for a Hermitian A.
func (i *implementation) Zhemm(s blas.Side, ul blas.Uplo, m, n int, alpha complex128, a []complex128, lda int, b []complex128, ldb int, beta complex128, c []complex128, ldc int) {
	i.blocks128.symmetric(blas.ConjTrans, s, ul, m, n, alpha, a, lda, b, ldb, beta, c, ldc)
}

// Zsyrk computes a triangle of C = alpha*op(A)*op(A)ᵀ + beta*C.
func (i *implementation) Zsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha complex128, a []complex128, lda int, beta complex128, c []complex128, ldc int) {
	i.blocks128.rankK(blas.Trans, ul, t, n, k, alpha, a, lda, beta, c, ldc)
}

// Zherk computes a triangle of C = alpha*op(A)*op(A)ᴴ + beta*C.
func (i *implementation) Zherk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []complex128, lda int, beta float64, c []complex128, ldc int) {
	i.blocks128.rankK(blas.ConjTrans, ul, t, n, k, complex(alpha, 0), a, lda, complex(beta, 0), c, ldc)
}

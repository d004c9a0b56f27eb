package blas

// The other routines of complex matrices, in halves: a triangle or a symmetric matrix is two smaller ones and a square, whose part is a product.
// gonum's routine computes the smallest.
//
// blocks has these of one type. Arguments are checked before the first half is computed, as gonum's routine would panic between two.

import "gonum.org/v1/gonum/blas"

// blocks computes by products, and by gonum's routines for orders of up to order, or if the other operand has fewer than least rows or columns.
type blocks[C complex64 | complex128] struct {
	cut
	gemm       func(tA, tB blas.Transpose, m, n, k int, alpha C, a []C, lda int, b []C, ldb int, beta C, c []C, ldc int)
	trmm, trsm func(s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha C, a []C, lda int, b []C, ldb int)
	hemm, symm func(s blas.Side, ul blas.Uplo, m, n int, alpha C, a []C, lda int, b []C, ldb int, beta C, c []C, ldc int)
	syrk       func(ul blas.Uplo, t blas.Transpose, n, k int, alpha C, a []C, lda int, beta C, c []C, ldc int)
	herk       func(ul blas.Uplo, t blas.Transpose, n, k int, alpha C, a []C, lda int, beta C, c []C, ldc int) // alpha and beta are real
}

// cut says what is cut into blocks.
type cut struct{ order, least int }

// measuredCut was measured as the limits are.
var measuredCut = cut{32, 8}

// splits reports whether a call with a triangle or a symmetric matrix on a side is computed in halves.
func (b *blocks[C]) splits(s blas.Side, ul blas.Uplo, m, n, lenA, lda, lenB, ldb int, alpha C) bool {
	k := order(s, m, n)
	return k > b.order && m+n-k >= b.least && (s == blas.Left || s == blas.Right) && (ul == blas.Lower || ul == blas.Upper) && alpha != 0 &&
		holds(lenA, k, k, lda) && holds(lenB, m, n, ldb)
}

// triangular is Trsm of BLAS, or Trmm.
func (b *blocks[C]) triangular(solve bool, s blas.Side, ul blas.Uplo, t blas.Transpose, d blas.Diag, m, n int, alpha C, a []C, lda int, x []C, ldx int) {
	_, valid := transposed(t)
	leaf := b.trmm
	if solve {
		leaf = b.trsm
	}
	if !valid || d != blas.Unit && d != blas.NonUnit || !b.splits(s, ul, m, n, len(a), lda, len(x), ldx, alpha) {
		leaf(s, ul, t, d, m, n, alpha, a, lda, x, ldx)
		return
	}
	k := order(s, m, n)
	half := k / 2
	square, second := a[half:], a[half*(lda+1):] // the part of A beside its triangles, and the second triangle
	if ul == blas.Lower {
		square = a[half*lda:]
	}
	next := ldx // the distance from one row of T·X to the next, or of X·T from one column
	if s == blas.Right {
		next = 1
	}
	x2 := x[half*next:]
	// part computes a half of X by its triangle. product adds to a half what the square gives of the other one.
	part := func(first bool, alpha C) {
		tri, to, size := second, x2, k-half
		if first {
			tri, to, size = a, x, half
		}
		if s == blas.Left {
			b.triangular(solve, s, ul, t, d, size, n, alpha, tri, lda, to, ldx)
		} else {
			b.triangular(solve, s, ul, t, d, m, size, alpha, tri, lda, to, ldx)
		}
	}
	product := func(first bool, alpha, beta C) {
		to, from, size := x2, x, k-half
		if first {
			to, from, size = x, x2, half
		}
		if s == blas.Left {
			b.gemm(t, blas.NoTrans, size, n, k-size, alpha, square, lda, from, ldx, beta, to, ldx)
		} else {
			b.gemm(blas.NoTrans, t, m, size, k-size, alpha, from, ldx, square, lda, beta, to, ldx)
		}
	}
	// The half that takes a product is the second for a lower triangle on the left, and for an upper one on the right.
	takes := ((ul == blas.Lower) != (t != blas.NoTrans)) == (s == blas.Right) // whether it is the first
	if solve {
		part(!takes, alpha)
		product(takes, -1, alpha)
		part(takes, 1)
	} else {
		part(takes, alpha)
		product(takes, alpha, 1)
		part(!takes, alpha)
	}
}

// symmetric is Symm of BLAS, or Hemm if conj is ConjTrans.
func (b *blocks[C]) symmetric(conj blas.Transpose, s blas.Side, ul blas.Uplo, m, n int, alpha C, a []C, lda int, x []C, ldx int, beta C, c []C, ldc int) {
	leaf := b.symm
	if conj == blas.ConjTrans {
		leaf = b.hemm
	}
	if !b.splits(s, ul, m, n, len(a), lda, len(x), ldx, alpha) || !holds(len(c), m, n, ldc) {
		leaf(s, ul, m, n, alpha, a, lda, x, ldx, beta, c, ldc)
		return
	}
	k := order(s, m, n)
	half := k / 2
	square, above, below := a[half:], blas.NoTrans, conj // the stored square, and how it is above and below the diagonal
	if ul == blas.Lower {
		square, above, below = a[half*lda:], conj, blas.NoTrans
	}
	second := a[half*(lda+1):]
	if s == blas.Left {
		x2, c2 := x[half*ldx:], c[half*ldc:]
		b.symmetric(conj, s, ul, half, n, alpha, a, lda, x, ldx, beta, c, ldc)
		b.symmetric(conj, s, ul, m-half, n, alpha, second, lda, x2, ldx, beta, c2, ldc)
		b.gemm(above, blas.NoTrans, half, n, m-half, alpha, square, lda, x2, ldx, 1, c, ldc)
		b.gemm(below, blas.NoTrans, m-half, n, half, alpha, square, lda, x, ldx, 1, c2, ldc)
		return
	}
	x2, c2 := x[half:], c[half:]
	b.symmetric(conj, s, ul, m, half, alpha, a, lda, x, ldx, beta, c, ldc)
	b.symmetric(conj, s, ul, m, n-half, alpha, second, lda, x2, ldx, beta, c2, ldc)
	b.gemm(blas.NoTrans, below, m, half, n-half, alpha, x2, ldx, square, lda, 1, c, ldc)
	b.gemm(blas.NoTrans, above, m, n-half, half, alpha, x, ldx, square, lda, 1, c2, ldc)
}

// rankK is Syrk of BLAS, or Herk if conj is ConjTrans; then alpha and beta are real.
func (b *blocks[C]) rankK(conj blas.Transpose, ul blas.Uplo, t blas.Transpose, n, k int, alpha C, a []C, lda int, beta C, c []C, ldc int) {
	leaf := b.syrk
	if conj == blas.ConjTrans {
		leaf = b.herk
	}
	rows, cols, next := n, k, lda // next is the distance from one row of C to the next, in A
	if t != blas.NoTrans {
		rows, cols, next = k, n, 1
	}
	if n <= b.order || k < b.least || t != blas.NoTrans && t != conj || ul != blas.Lower && ul != blas.Upper || alpha == 0 || !holds(len(a), rows, cols, lda) || !holds(len(c), n, n, ldc) {
		leaf(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	half := n / 2
	a2 := a[half*next:]
	b.rankK(conj, ul, t, half, k, alpha, a, lda, beta, c, ldc)
	b.rankK(conj, ul, t, n-half, k, alpha, a2, lda, beta, c[half*(ldc+1):], ldc)
	left, right := blas.NoTrans, conj
	if t != blas.NoTrans {
		left, right = conj, blas.NoTrans
	}
	if ul == blas.Lower {
		b.gemm(left, right, n-half, half, k, alpha, a2, lda, a, lda, beta, c[half*ldc:], ldc)
	} else {
		b.gemm(left, right, half, n-half, k, alpha, a, lda, a2, lda, beta, c[half:], ldc)
	}
}

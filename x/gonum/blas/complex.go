package blas

// Products of complex matrices, as products of real ones. A row of A is real and imaginary parts by turns, as it is in memory. Each row of B
// becomes two: the row, and i times it.
//
//	(a + ib)·(c + id) = a·(c + id) + b·(-d + ic)
//
// So a product of m by k and k by n complex elements is one of m by 2k and 2k by 2n real elements. alpha is multiplied into B as it is
// packed.

import (
	"unsafe"

	"gonum.org/v1/gonum/blas"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// reals returns complex elements as their parts.
func reals[T float, C complex64 | complex128](s []C) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), 2*len(s))
}

// complexMajor is rowMajor of complex elements, as parts: element i, j is the two parts from data[i*row+j*col] on.
func complexMajor[T float](data []T, ld int, t blas.Transpose) view[T] {
	v := view[T]{data, 2 * ld, 2}
	if t != blas.NoTrans {
		return v.t()
	}
	return v
}

// complexGemm is Gemm of BLAS for complex elements, given as their parts. It returns false, and does nothing, if the arguments are wrong, or
// there is nothing to multiply.
func (e *engine[T]) complexGemm(tA, tB blas.Transpose, m, n, k int, alpha [2]T, a []T, lda int, b []T, ldb int, beta [2]T, c []T, ldc int) bool {
	if alpha == [2]T{} || !e.ready() {
		return false
	}
	aT, ok := transposed(tA)
	bT, ok2 := transposed(tB)
	if !ok || !ok2 || !holds(len(c)/2, m, n, ldc) {
		return false
	}
	if aT && !holds(len(a)/2, k, m, lda) || !aT && !holds(len(a)/2, m, k, lda) || bT && !holds(len(b)/2, n, k, ldb) || !bT && !holds(len(b)/2, k, n, ldb) {
		return false
	}
	work := 4 * m * n * k
	w := e.of(work).worker()
	w.task = task[T]{do: e.complexGemmPart, m: m, n: n, k: k, alpha: alpha[0], alphaIm: alpha[1], beta: beta[0], betaIm: beta[1],
		conjA: tA == blas.ConjTrans, conjB: tB == blas.ConjTrans,
		a: complexMajor(a, lda, tA), b: complexMajor(b, ldb, tB), c: complexMajor(c, ldc, blas.NoTrans)}
	w.compute(work)
	return true
}

// complexGemmPart computes a worker's part of C, as gemm does.
func complexGemmPart[T float](w *worker[T]) {
	t := &w.task
	i0, j0, m, n := 0, 0, t.m, t.n
	if w.parts > 1 {
		if i0, j0, m, n = w.rectangle(m, n); m == 0 || n == 0 {
			return
		}
	}
	a, b, c := t.a.from(i0, 0), t.b.from(0, j0), t.c.from(i0, j0)
	rescaleComplex(m, n, t.beta, t.betaIm, c)
	packLeft := t.conjA || a.col != 2 || a.row*size[T]()%w.setBytes == 0
	for p := 0; p < t.k; p += ir.DotChunk / 2 {
		pairs := min(ir.DotChunk/2, t.k-p)
		rows := max(1, w.leftBytes/size[T]()/(2*pairs)/(2*kernel.DotRows)) * 2 * kernel.DotRows
		most := max(1, w.rightBytes/size[T]()/(4*pairs)/w.width) * w.width
		for j := 0; j < n; j += most {
			cols := min(most, n-j)
			right := w.packRightComplex(pairs, cols, b.from(p, j))
			for i := 0; i < m; i += rows {
				count := min(rows, m-i)
				left := a.from(i, p)
				left.col = 1
				if packLeft {
					left = w.packLeftComplex(count, pairs, a.from(i, p))
				}
				to := c.from(i, j)
				to.col = 1
				w.multiply(count, 2*cols, 2*pairs, left, right, 2*pairs, 2*pairs*w.width, to, p > 0 || t.beta != 0 || t.betaIm != 0)
			}
		}
	}
}

// packRightComplex packs a chunk of columns of B into panels, two rows for each of its rows.
func (w *worker[T]) packRightComplex(pairs, cols int, b view[T]) view[T] {
	width, t := w.width, &w.task
	conj := T(1)
	if t.conjB {
		conj = -1
	}
	to := view[T]{scratch(&w.right, 2*pairs*((2*cols+width-1)/width*width)), width, 1}
	for j := 0; j < cols; j += width / 2 {
		panel, count := to.data[4*pairs*j:], min(width/2, cols-j)
		for p := range pairs {
			first, second := panel[2*p*width:][:2*count], panel[(2*p+1)*width:][:2*count]
			at := p*b.row + j*b.col
			for q := 0; q < 2*count; q += 2 {
				x, y := b.data[at], conj*b.data[at+1]
				x, y = t.alpha*x-t.alphaIm*y, t.alpha*y+t.alphaIm*x
				first[q], first[q+1] = x, y
				second[q], second[q+1] = -y, x
				at += b.col
			}
		}
	}
	return to
}

// packLeftComplex copies rows of A, of which conjA says whether they are conjugates.
func (w *worker[T]) packLeftComplex(rows, pairs int, a view[T]) view[T] {
	conj := T(1)
	if w.task.conjA {
		conj = -1
	}
	step := kernel.DotPackedStep(w.dtype)
	to := view[T]{scratch(&w.left, rows*step), step, 1}
	for p := range pairs {
		at := p * a.col
		for i := range rows {
			to.data[i*step+2*p], to.data[i*step+2*p+1] = a.data[at], conj*a.data[at+1]
			at += a.row
		}
	}
	return to
}

// rescaleComplex multiplies C by beta, unless that is 0 or 1.
func rescaleComplex[T float](m, n int, re, im T, c view[T]) {
	if im == 0 && (re == 0 || re == 1) {
		return
	}
	for i := range m {
		row := c.data[i*c.row:][:2*n]
		for j := 0; j < len(row); j += 2 {
			x, y := row[j], row[j+1]
			row[j], row[j+1] = re*x-im*y, re*y+im*x
		}
	}
}

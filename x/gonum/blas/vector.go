package blas

// Products of a matrix and a vector: Gemv and Ger.
//
// A vector whose elements are apart is copied before, and stored after. Rows times a vector are sums of rows; a transposed matrix adds four of
// its rows at a time to the result.

import (
	"gonum.org/v1/gonum/blas"

	"github.com/stridefuse/stridefuse/ir"
)

// vector is a vector of BLAS: its elements are inc apart. If inc is negative, the last element is first.
type vector[T any] struct {
	data []T
	inc  int
}

// first returns the place of the first of n elements.
func (v vector[T]) first(n int) int {
	if v.inc < 0 {
		return (1 - n) * v.inc
	}
	return 0
}

// read returns elements of a vector of n that follow one another: its own if they do, or a copy.
func read[T float](kept *[]T, v vector[T], n, from, to int) []T {
	if v.inc == 1 {
		return v.data[from:to]
	}
	out := scratch(kept, to-from)
	place := v.first(n) + from*v.inc
	for i := range out {
		out[i] = v.data[place]
		place += v.inc
	}
	return out
}

// write stores what read returned.
func write[T float](elems []T, v vector[T], n, from int) {
	if v.inc == 1 {
		return
	}
	place := v.first(n) + from*v.inc
	for _, x := range elems {
		v.data[place] = x
		place += v.inc
	}
}

// gemv is Gemv of BLAS. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) gemv(tA blas.Transpose, m, n int, alpha T, a []T, lda int, x []T, incX int, beta T, y []T, incY int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	trans, ok := transposed(tA)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	if !ok || !holds(len(a), m, n, lda) || !holdsVector(len(x), lenX, incX) || !holdsVector(len(y), lenY, incY) {
		return false
	}
	w := e.of(m * n * vectorWork).worker()
	w.task = task[T]{do: e.gemvPart, m: m, n: n, alpha: alpha, beta: beta, trans: trans, a: rowMajor(a, lda, false), x: vector[T]{x, incX}, y: vector[T]{y, incY}}
	w.compute(m * n * vectorWork)
	return true
}

// gemvPart computes a worker's elements of y.
func gemvPart[T float](w *worker[T]) {
	t := &w.task
	lenX, lenY := t.n, t.m
	if t.trans {
		lenX, lenY = t.m, t.n
	}
	from, to := share(lenY, w.width, w.part, w.parts)
	if from == to {
		return
	}
	x, y := read(&w.left, t.x, lenX, 0, lenX), read(&w.right, t.y, lenY, from, to)
	w.rescaleVector(t.beta, y)
	if t.trans {
		w.addRows(t.a.from(0, from), t.alpha, x, y)
	} else {
		w.addProducts(t.a.from(from, 0), t.alpha, x, y)
	}
	write(y, t.y, lenY, from)
}

// rescaleVector multiplies elements by beta. If that is 0, they need not be numbers.
func (w *worker[T]) rescaleVector(beta T, y []T) {
	switch beta {
	case 0:
		clear(y)
	case 1:
	default:
		w.rescale(1, len(y), beta, view[T]{y, len(y), 1})
	}
}

// addProducts adds alpha*A*x to y, for as many rows as y has elements.
func (w *worker[T]) addProducts(a view[T], alpha T, x, y []T) {
	f, k := &w.frame, &w.kernels.dots
	most := max(1, callElems/min(len(x), ir.ReduceChunk))
	sums := scratch(&w.block, min(most, len(y)))
	for i := 0; i < len(y); i += most {
		rows := min(most, len(y)-i)
		for j := 0; j < len(x); j += ir.ReduceChunk {
			f.Rows, f.Cols = rows, min(ir.ReduceChunk, len(x)-j)
			f.Ptr[k.in[0]], f.Ptr[k.in[1]], f.Ptr[k.out] = at(a.data[i*a.row+j:]), at(x[j:]), at(sums)
			f.Step[k.in[0]], f.Step[k.in[1]], f.Step[k.out] = a.row*size[T](), 0, size[T]()
			call(k.call, f)
			for r, s := range sums[:rows] {
				y[i+r] += alpha * s
			}
		}
	}
}

// rowCols is the number of elements of y to which all rows are added before the next ones: they stay in the first-level cache.
const rowCols = 1024

// addRows adds alpha*Aᵀ*x to y, for as many rows of A as x has elements.
func (w *worker[T]) addRows(a view[T], alpha T, x, y []T) {
	scaled := scratch(&w.block, len(x))
	for i, v := range x {
		scaled[i] = alpha * v
	}
	f, k := &w.frame, &w.kernels.axpy4
	for j := 0; j < len(y); j += rowCols {
		part := y[j:min(len(y), j+rowCols)]
		i := 0
		for ; i+4 <= len(x); i += 4 {
			f.Rows, f.Cols = 1, len(part)
			for r := range 4 {
				f.Ptr[k.in[2*r]], f.Ptr[k.in[2*r+1]] = at(scaled[i+r:]), at(a.data[(i+r)*a.row+j:])
			}
			f.Ptr[k.in[8]], f.Ptr[k.out] = at(part), at(part)
			call(k.call, f)
		}
		for ; i < len(x); i++ {
			w.rankOne(1, len(part), view[T]{scaled[i:], 1, 1}, a.from(i, j), view[T]{part, len(part), 1})
		}
	}
}

// ger is Ger of BLAS. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) ger(m, n int, alpha T, x []T, incX int, y []T, incY int, a []T, lda int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	if !holds(len(a), m, n, lda) || !holdsVector(len(x), m, incX) || !holdsVector(len(y), n, incY) {
		return false
	}
	w := e.of(m * n * vectorWork).worker()
	w.task = task[T]{do: e.gerPart, m: m, n: n, alpha: alpha, a: rowMajor(a, lda, false), x: vector[T]{x, incX}, y: vector[T]{y, incY}}
	w.compute(m * n * vectorWork)
	return true
}

// gerPart computes a worker's rows of A.
func gerPart[T float](w *worker[T]) {
	t := &w.task
	from, to := share(t.m, w.width, w.part, w.parts)
	if from == to {
		return
	}
	x, y := read(&w.left, t.x, t.m, from, to), read(&w.right, t.y, t.n, 0, t.n)
	scaled := scratch(&w.block, len(x))
	for i, v := range x {
		scaled[i] = t.alpha * v
	}
	rows := max(1, callElems/t.n)
	for i := 0; i < len(x); i += rows {
		for j := 0; j < t.n; j += callElems {
			w.rankOne(min(rows, len(x)-i), min(callElems, t.n-j), view[T]{scaled[i:], 1, 1}, view[T]{y[j:], 0, 1}, t.a.from(from+i, j))
		}
	}
}

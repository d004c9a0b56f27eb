package blas

// Products of matrices: C = alpha*A*B + beta*C.
//
//	for each chunk of ir.DotChunk pairs
//	  for each block of columns of B
//	    pack the chunk of the block into panels, if its rows lie badly
//	    for each block of rows of A
//	      pack the chunk of the rows, if they lie badly
//	      for each panel of columns
//	        dot
//
// The chunk of the rows stays in the second-level cache while panel after panel of B passes, and the panel's chunk stays in the first-level
// cache while all rows pass. An element of C is beta*C, to which the sums of the chunks are added in their order, so its bits depend neither on
// the blocks nor on the number of workers.

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"gonum.org/v1/gonum/blas"
)

// transposed reports whether t is a valid transposition, and which, for real matrices.
func transposed(t blas.Transpose) (is, valid bool) {
	return t != blas.NoTrans, t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

// gemm is Gemm of BLAS. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) gemm(tA, tB blas.Transpose, m, n, k int, alpha T, a []T, lda int, b []T, ldb int, beta T, c []T, ldc int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	aT, ok := transposed(tA)
	bT, ok2 := transposed(tB)
	if !ok || !ok2 || !holds(len(c), m, n, ldc) {
		return false
	}
	if aT && !holds(len(a), k, m, lda) || !aT && !holds(len(a), m, k, lda) || bT && !holds(len(b), n, k, ldb) || !bT && !holds(len(b), k, n, ldb) {
		return false
	}
	w := e.of(m * n * k).worker()
	w.task = task[T]{do: e.gemmPart, m: m, n: n, k: k, alpha: alpha, beta: beta,
		a: rowMajor(a, lda, aT), b: rowMajor(b, ldb, bT), c: rowMajor(c, ldc, false)}
	w.compute(m * n * k)
	return true
}

// gemmPart computes a worker's part of C.
func gemmPart[T float](w *worker[T]) {
	t := &w.task
	i, j, m, n := 0, 0, t.m, t.n
	if w.parts > 1 {
		if i, j, m, n = w.rectangle(m, n); m == 0 || n == 0 {
			return
		}
	}
	c := t.c.from(i, j)
	if t.beta != 0 && t.beta != 1 {
		w.rescale(m, n, t.beta, c)
	}
	w.gemm(m, n, t.k, t.alpha, t.a.from(i, 0), t.b.from(0, j), c, t.beta != 0)
}

// rectangle returns the worker's part of an m by n matrix, where it begins and its size. Parts are as square as they can be.
func (w *worker[T]) rectangle(m, n int) (i, j, rows, cols int) {
	down := 1 // how many workers share the rows; others have the same rows of other columns
	for d := 1; d <= w.parts; d++ {
		if w.parts%d == 0 && m/d+n/(w.parts/d) < m/down+n/(w.parts/down) {
			down = d
		}
	}
	across := w.parts / down
	i, iEnd := share(m, 2*kernel.DotRows, w.part/across, down)
	j, jEnd := share(n, w.width, w.part%across, across)
	return i, j, iEnd - i, jEnd - j
}

// gemm computes C = alpha*A*B, added to C if add is set. C may be transposed.
func (w *worker[T]) gemm(m, n, k int, alpha T, a, b, c view[T], add bool) {
	if c.col != 1 {
		a, b, c = b.t(), a.t(), c.t()
		m, n = n, m
	}
	l := w.limits
	// alpha is multiplied into B, as m and the packing of A depend on the number of workers, and rounding must not. A sign is exact.
	packRight := b.col != 1 || alpha != 1 && alpha != -1 || m >= l.packRows && b.row*size[T]() >= l.farBytes
	packLeft := n > w.width && (a.col != 1 || a.row*size[T]()%l.setBytes == 0) || alpha != 1 && !packRight
	for p := 0; p < k; p += ir.DotChunk {
		pairs := min(ir.DotChunk, k-p)
		rows := max(1, l.leftBytes/size[T]()/pairs/(2*kernel.DotRows)) * 2 * kernel.DotRows
		most := max(1, l.rightBytes/size[T]()/pairs/w.width) * w.width
		for j := 0; j < n; j += most {
			cols := min(most, n-j)
			right, panel := b.from(p, j), 1 // panel is the distance of panels, in elements, for each column of one
			next := w.width
			if packRight {
				right, panel = w.packRight(pairs, cols, alpha, right), pairs
				next *= pairs
			}
			for i := 0; i < m; i += rows {
				count := min(rows, m-i)
				left := a.from(i, p)
				if packLeft {
					left = w.packLeft(count, pairs, alpha, !packRight, left)
				}
				w.multiply(count, cols, pairs, left, right, panel, next, c.from(i, j), add || p > 0)
			}
		}
	}
}

// multiply multiplies rows of A by the panels of a block of B.
func (w *worker[T]) multiply(m, n, pairs int, a, b view[T], panel, next int, c view[T], add bool) {
	f, k := &w.frame, &w.kernels.dot
	f.Rows = m
	f.Ptr[0] = at(a.data)
	f.Step[0], f.Step[1], f.Step[2] = a.row*size[T](), b.row*size[T](), c.row*size[T]()
	f.Step[3+kernel.DotAcross], f.Step[3+kernel.DotPairs], f.Step[3+kernel.DotNext] = a.col*size[T](), pairs, next*size[T]()
	f.Step[3+kernel.DotAdds] = 0
	if add {
		f.Step[3+kernel.DotAdds] = 1
	}
	for j := 0; j < n; j += w.width {
		f.Cols = min(w.width, n-j)
		f.Ptr[1], f.Ptr[2] = at(b.data[j*panel:]), at(c.data[j:])
		call(k.call, f)
	}
}

// packRight copies alpha times a chunk of columns of B into panels of width columns, in which each pair is a row.
func (w *worker[T]) packRight(pairs, cols int, alpha T, b view[T]) view[T] {
	to := view[T]{scratch(&w.right, pairs*((cols+w.width-1)/w.width*w.width)), w.width, 1}
	for j := 0; j < cols; j += w.width {
		w.copy(pairs, min(w.width, cols-j), alpha, b.from(0, j), to.from(pairs*j/w.width, 0))
	}
	return to
}

// packLeft copies rows of A, times alpha if scaled is set, as rows whose elements follow one another.
func (w *worker[T]) packLeft(rows, pairs int, alpha T, scaled bool, a view[T]) view[T] {
	step := kernel.DotPackedStep(w.dtype)
	to := view[T]{scratch(&w.left, rows*step), step, 1}
	if !scaled {
		alpha = 1
	}
	w.copy(rows, pairs, alpha, a, to)
	return to
}

// copy stores alpha times a matrix as another one with contiguous rows.
func (w *worker[T]) copy(m, n int, alpha T, from, to view[T]) {
	if from.col == 1 {
		w.scale(m, n, alpha, from, to)
		return
	}
	f, k := &w.frame, &w.kernels.transpose
	f.Cols = n
	f.Step[0], f.Step[1], f.Step[2] = from.col*size[T](), to.row*size[T](), from.row*size[T]()
	rows := max(1, callElems/n)
	for i := 0; i < m; i += rows {
		f.Rows = min(rows, m-i)
		f.Ptr[0], f.Ptr[1] = at(from.data[i*from.row:]), at(to.data[i*to.row:])
		call(k.call, f)
	}
	if alpha != 1 {
		w.scale(m, n, alpha, to, to)
	}
}

// rescale multiplies a matrix by beta.
func (w *worker[T]) rescale(m, n int, beta T, c view[T]) {
	if c.col != 1 {
		m, n, c = n, m, c.t()
	}
	w.scale(m, n, beta, c, c)
}

// scale stores alpha times a matrix with contiguous rows as another one.
func (w *worker[T]) scale(m, n int, alpha T, from, to view[T]) {
	f, k := &w.frame, &w.kernels.scale
	w.alpha[0] = alpha
	f.Ptr[k.in[1]] = at(w.alpha[:])
	f.Step[k.in[0]], f.Step[k.in[1]], f.Step[k.out] = from.row*size[T](), 0, to.row*size[T]()
	for j := 0; j < n; j += callElems {
		f.Cols = min(callElems, n-j)
		rows := max(1, callElems/f.Cols)
		for i := 0; i < m; i += rows {
			f.Rows = min(rows, m-i)
			f.Ptr[k.in[0]], f.Ptr[k.out] = at(from.data[i*from.row+j:]), at(to.data[i*to.row+j:])
			call(k.call, f)
		}
	}
}

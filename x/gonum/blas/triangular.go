package blas

// Triangular matrices: Trsm solves T·X = alpha*B, Trmm computes T·B, both in place. T is divided into two triangles and a square, whose part
// is a product. A triangle on the right is one on the left of the transposes.
//
// The smallest triangles are multiplied with strips of B, whose columns are contiguous or made so. Eight rows of a strip at a time take the
// product of the rows that are done (or, of Trmm, those that are not), then one another's.

import "gonum.org/v1/gonum/blas"

// leafRows is the number of rows of the smallest triangles. stripBytes is the size of a row of a strip, stepRows the number of its rows
// that are computed together.
const (
	leafRows   = 64
	stepRows   = 8
	stripBytes = 2048
)

// triangular is Trsm of BLAS, or Trmm. It returns false, and does nothing, if the arguments are wrong, or there is nothing to multiply.
func (e *engine[T]) triangular(solve bool, side blas.Side, uplo blas.Uplo, tA blas.Transpose, diag blas.Diag, m, n int, alpha T, a []T, lda int, b []T, ldb int) bool {
	if alpha == 0 || !e.ready() {
		return false
	}
	trans, ok := transposed(tA)
	if !ok || side != blas.Left && side != blas.Right || uplo != blas.Upper && uplo != blas.Lower || diag != blas.Unit && diag != blas.NonUnit {
		return false
	}
	right, order := side == blas.Right, order(side, m, n)
	if !holds(len(a), order, order, lda) || !holds(len(b), m, n, ldb) {
		return false
	}
	w := e.of(m * n * order / 2).worker()
	w.task = task[T]{do: e.triangularPart, m: order, n: m + n - order, alpha: alpha, unit: diag == blas.Unit, solve: solve,
		lower: (uplo == blas.Lower) != (trans != right), a: rowMajor(a, lda, trans != right), b: rowMajor(b, ldb, right)}
	w.compute(m * n * order / 2)
	return true
}

// triangularPart computes a worker's columns of B.
func triangularPart[T float](w *worker[T]) {
	t := &w.task
	j, end := share(t.n, w.width, w.part, w.parts)
	if j == end {
		return
	}
	b := t.b.from(0, j)
	if t.alpha != 1 {
		w.rescale(t.m, end-j, t.alpha, b)
	}
	w.triangle(t.m, end-j, t.a, b)
}

// triangle replaces B by T·B, or by the solution of T·X = B.
func (w *worker[T]) triangle(m, n int, t, b view[T]) {
	if m <= leafRows {
		w.leaf(m, n, t, b)
		return
	}
	half := (m/2 + stepRows - 1) / stepRows * stepRows
	// done is what the product is of. A solve begins with it; a product must not have replaced it yet.
	done, other := [2]int{0, half}, [2]int{half, m - half} // first row and number of rows
	if !w.task.lower {
		done, other = other, done
	}
	product := func(sign T) {
		w.gemm(other[1], n, done[1], sign, t.from(other[0], done[0]), b.from(done[0], 0), b.from(other[0], 0), true)
	}
	part := func(p [2]int) { w.triangle(p[1], n, t.from(p[0], p[0]), b.from(p[0], 0)) }
	if w.task.solve {
		part(done)
		product(-1)
		part(other)
	} else {
		part(other)
		product(1)
		part(done)
	}
}

// leaf is triangle for few rows.
func (w *worker[T]) leaf(m, n int, t, b view[T]) {
	// The elements are negated for a solve, which subtracts products.
	sign := T(1)
	if w.task.solve {
		sign = -1
	}
	tri := view[T]{scratch(&w.block, leafRows*leafRows+leafRows), leafRows, 1}
	diagonal := tri.data[leafRows*leafRows:]
	w.copy(m, m, sign, t, tri)
	for i := range m {
		d := T(1)
		if !w.task.unit {
			d = t.data[i*(t.row+t.col)]
		}
		if w.task.solve {
			d = 1 / d
		}
		diagonal[i] = d
	}
	cols := stripBytes / size[T]()
	for j := 0; j < n; j += cols {
		count := min(cols, n-j)
		strip := b.from(0, j)
		if b.col == 1 {
			w.strip(m, count, tri, diagonal, strip)
			continue
		}
		packed := view[T]{scratch(&w.strips, leafRows*cols), cols, 1}
		w.copy(m, count, 1, strip, packed)
		w.strip(m, count, tri, diagonal, packed)
		w.copy(count, m, 1, packed.t(), strip.t())
	}
}

// strip computes all rows of a strip of B, some at a time.
func (w *worker[T]) strip(m, n int, tri view[T], diagonal []T, b view[T]) {
	down := w.task.lower == w.task.solve // whether rows are computed from the first to the last
	steps := (m + stepRows - 1) / stepRows
	for s := range steps {
		i := s * stepRows
		if !down {
			i = (steps - 1 - s) * stepRows
		}
		rows := min(stepRows, m-i)
		if !w.task.solve {
			w.rows(i, rows, n, tri, diagonal, b)
		}
		from, pairs := 0, i
		if !w.task.lower {
			from, pairs = i+rows, m-i-rows
		}
		if pairs > 0 {
			w.multiply(rows, n, pairs, tri.from(i, from), b.from(from, 0), 1, w.width, b.from(i, 0), true)
		}
		if w.task.solve {
			w.rows(i, rows, n, tri, diagonal, b)
		}
	}
}

// rows multiplies rows of B by their part of the triangle, or solves with it. Each row in turn is scaled by the diagonal, and added to the
// others of its column of the triangle: after it is scaled in a solve, before it in a product.
func (w *worker[T]) rows(i, rows, n int, tri view[T], diagonal []T, b view[T]) {
	down := w.task.lower == w.task.solve
	for s := range rows {
		j := s
		if !down {
			j = rows - 1 - s
		}
		row := b.from(i+j, 0)
		if w.task.solve && !w.task.unit {
			w.scale(1, n, diagonal[i+j], row, row)
		}
		from, count := j+1, rows-j-1
		if !w.task.lower {
			from, count = 0, j
		}
		if count > 0 {
			w.rankOne(count, n, tri.from(i+from, i+j), row, b.from(i+from, 0))
		}
		if !w.task.solve && !w.task.unit {
			w.scale(1, n, diagonal[i+j], row, row)
		}
	}
}

// rankOne adds x*yᵀ to C: a column times a row.
func (w *worker[T]) rankOne(m, n int, x, y, c view[T]) {
	f, k := &w.frame, &w.kernels.axpy
	f.Rows, f.Cols = m, n
	for i, v := range [...]view[T]{{x.data, x.row, 0}, {y.data, 0, 1}, c} {
		f.Ptr[k.in[i]], f.Step[k.in[i]] = at(v.data), v.row*size[T]()
	}
	f.Ptr[k.out], f.Step[k.out] = at(c.data), c.row*size[T]()
	call(k.call, f)
}

package linalg

import "math"

// This file has the loops for small matrices, without the checks and blocks of a library. Each
// product is rounded before it is added, so that all machines compute the same bits.

// small is the most rows of a matrix for these loops. Above it gonum's blocked and vectorized loops are faster.
const small = 8

// triangle says which triangle of a matrix is read, and how.
type triangle struct {
	upper, transposed, unit bool
}

// substitute solves t·x = b for an n by n triangle t of a and an n by k matrix b, in place of b.
func substitute(a []float64, n int, t triangle, b []float64, k int) {
	rowStride, colStride := n, 1
	if t.transposed {
		rowStride, colStride = 1, n
	}
	forward := t.upper == t.transposed
	for step := range n {
		i, known := step, 0 // rows known to known+step are solved
		if !forward {
			i, known = n-1-step, n-step
		}
		row := b[i*k : (i+1)*k]
		for j := known; j < known+step; j++ {
			factor, solved := a[i*rowStride+j*colStride], b[j*k:(j+1)*k]
			for c, x := range solved {
				row[c] -= float64(factor * x)
			}
		}
		if !t.unit {
			for c := range row {
				row[c] /= a[i*(n+1)]
			}
		}
	}
}

// factorLU replaces the n by n matrix a by its factors L, whose diagonal of ones is not stored, and U, with partial
// pivoting. Row i was exchanged with row pivots[i], in that order.
func factorLU(a []float64, n int, pivots []int) {
	for i := range n {
		p := i
		for r := i + 1; r < n; r++ {
			if math.Abs(a[r*n+i]) > math.Abs(a[p*n+i]) {
				p = r
			}
		}
		pivots[i] = p
		exchange(a, n, i, p)
		pivot := a[i*n : (i+1)*n]
		if pivot[i] == 0 {
			continue
		}
		for r := i + 1; r < n; r++ {
			row := a[r*n : (r+1)*n]
			row[i] /= pivot[i]
			for c := i + 1; c < n; c++ {
				row[c] -= float64(row[i] * pivot[c])
			}
		}
	}
}

// exchange exchanges two rows of a matrix of n columns.
func exchange(a []float64, n, i, j int) {
	if i == j {
		return
	}
	p, q := a[i*n:(i+1)*n], a[j*n:(j+1)*n]
	for c := range p {
		p[c], q[c] = q[c], p[c]
	}
}

// factorCholesky replaces the lower triangle of the n by n matrix a by its Cholesky factor. It
// returns false if the matrix is not positive definite.
func factorCholesky(a []float64, n int) bool {
	for i := range n {
		row := a[i*n : (i+1)*n]
		for j := 0; j <= i; j++ {
			other, sum := a[j*n:(j+1)*n], row[j]
			for c := range j {
				sum -= float64(row[c] * other[c])
			}
			switch {
			case j < i:
				row[j] = sum / other[j]
			case sum > 0:
				row[j] = math.Sqrt(sum)
			default:
				row[j] = sum
				return false // also for NaN
			}
		}
	}
	return true
}

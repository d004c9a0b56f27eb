package blas

import (
	"math/bits"

	"gonum.org/v1/gonum/blas"
)

// view is a matrix in a slice: element i, j is data[i*row+j*col]. One of row and col is 1. The number of rows and columns is an argument of
// every function that takes a view.
type view[T any] struct {
	data     []T
	row, col int
}

// rowMajor returns the view of a matrix of BLAS, or of its transpose.
func rowMajor[T any](data []T, ld int, transposed bool) view[T] {
	v := view[T]{data, ld, 1}
	if transposed {
		return v.t()
	}
	return v
}

// t returns the transpose.
func (v view[T]) t() view[T] { return view[T]{v.data, v.col, v.row} }

// from returns the part of the matrix from element i, j on, which must exist.
func (v view[T]) from(i, j int) view[T] {
	v.data = v.data[i*v.row+j*v.col:]
	return v
}

// order returns the order of a matrix on a side of one of m rows and n columns.
func order(s blas.Side, m, n int) int {
	if s == blas.Right {
		return n
	}
	return m
}

// holds reports whether a slice of n elements holds a row-major matrix with rows that are ld apart.
func holds(n, rows, cols, ld int) bool {
	return rows > 0 && cols > 0 && ld >= cols && n >= cols && reaches(rows-1, ld, n-cols)
}

// holdsVector is holds of a vector.
func holdsVector(n, elems, inc int) bool {
	if inc < 0 {
		inc = -inc
	}
	return elems > 0 && inc > 0 && n > 0 && reaches(elems-1, inc, n-1)
}

// reaches reports whether a*b is at most n, for numbers that are not negative.
func reaches(a, b, n int) bool {
	high, low := bits.Mul64(uint64(a), uint64(b))
	return high == 0 && low <= uint64(n)
}

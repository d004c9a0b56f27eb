// Package linalg solves systems of linear equations and factors matrices: triangular solves, Cholesky, LU, QR, singular
// values, eigenvalues, pseudo-inverses, ranks and least squares.
//
//	x, err := linalg.Solve(ctx, a, b) // a [8,3,3] and b [8,3,1]: eight systems
//
// The operands are tensors of float32 or float64 with any strides, and are not written to. The last two axes are a
// matrix; the axes before them are a batch, whose elements are computed independently on all processors. Results are
// new row-major tensors of the operands' dtype.
//
// These are functions of tensors, for use before or after a program: their rows depend on each other and they search
// for pivots, so there is nothing to fuse. They are a separate module because they use gonum's lapack, which is
// complete and tested against the reference LAPACK, but which most programs don't need. Matrices of at most 8 rows, for
// which a call would cost more than its arithmetic, use loops of this package: a thousand systems of 3 equations take
// 0.26 ms on two cores, against 9.5 ms by gonum's SolveVec, which also estimates the condition (go test -bench Solve).
//
// All computations are in float64; float32 results are rounded once at the end. Results do not depend on the number of
// processors. Larger matrices, and all functions of eigenvalues and singular values, are computed by gonum, whose last bits differ between amd64 and other
// machines.
//
// Every error is a *graph.Error with the line of the call. An error of one matrix names its place in the batch: "solve:
// a[2] is singular: pivot 1 is 0".
package linalg

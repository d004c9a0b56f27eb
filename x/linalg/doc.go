// Package linalg solves systems of linear equations and factors matrices: triangular solves,
// Cholesky, LU, QR, singular values, and eigenvalues of symmetric matrices.
//
//	x, err := linalg.Solve(ctx, a, b) // a [8,3,3] and b [8,3,1]: eight systems
//
// The operands are tensors of float32 or float64 with any strides. The last two axes are a
// matrix; the axes before them are a batch, each element of which is computed by itself, on all
// processors. Results are new tensors, row-major, of the dtype of the operands. No operand is
// written to.
//
// These are functions of tensors, for use before or after a program: their loops depend on
// each other from one row to the next and search for pivots, so there is no chain of operations
// to fuse with. They are a module of its own because they use gonum's lapack, which is complete,
// tested against the reference LAPACK, and has no place in the programs that need none of this.
// Matrices of at most 8 rows, for which a call costs more than its arithmetic, are factored and
// solved by loops of this package: a thousand systems of 3 equations take 0.26 ms on two cores,
// and 9.5 ms by SolveVec of gonum's mat, which also estimates their condition (go test -bench Solve).
//
// All computations are in float64; results of float32 are rounded once at the end. Results do
// not depend on the number of processors. Matrices of more than 8 rows, QR, SVD and Eigh are
// computed by gonum, whose last bits differ between amd64 and other machines.
//
// Every error is a *graph.Error with the line of the call. An error of one matrix names its
// place in the batch: "solve: a[2] is singular: pivot 1 is 0".
package linalg

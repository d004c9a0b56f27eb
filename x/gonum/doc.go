// Package gonum joins Stridefuse and gonum: matrices of gonum as tensors and back without a copy, compiled programs as functions of
// matrices and as problems of gonum's package optimize, and nonlinear least squares.
//
//	scale := gonum.Func(program)              // of a graph with one output
//	err := scale(ctx, &dst, a, b)             // a, b: mat.Matrix; dst: mat.Dense
//
// Its package blas makes gonum's own routines faster.
//
// Every error is a *graph.Error with the line of the call.
package gonum

import (
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// fail returns an error on the line of the user's call.
func fail(op, format string, args ...any) error {
	return &graph.Error{Pos: ir.CallerPos(), Op: op, Msg: fmt.Sprintf(format, args...)}
}

package gonum

// Programs as functions of matrices.

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/stridefuse/stridefuse/graph"
)

// Func returns a program with one float64 output as a function that computes dst from its inputs, in the order of Program.Inputs.
//
// A source is read in its own memory if Of takes it, and copied otherwise (mat.SymDense, mat.TriDense, your own types). An input of one axis takes
// a vector, or a matrix of one column or row. dst gets the output: an output [n] as a column, a scalar as 1 by 1. An empty dst (the zero
// mat.Dense, or one after Reset) gets the size of the output; any other must have it. dst may be a source, or share memory with one.
//
// The function is safe for concurrent use. Its errors name the program's inputs and outputs.
func Func(p *graph.Program) func(ctx context.Context, dst *mat.Dense, src ...mat.Matrix) error {
	return func(ctx context.Context, dst *mat.Dense, src ...mat.Matrix) error {
		switch {
		case p == nil:
			return fail("program of matrices", "the program is nil: graph.Compile makes one, or returns why not")
		case dst == nil:
			return fail("program of matrices", "dst is nil")
		}
		ins := make([]*graph.Tensor, len(src))
		for i, m := range src {
			t, err := source(p, i, m)
			if err != nil {
				return err
			}
			ins[i] = t
		}
		if outs := p.Outputs(); len(outs) != 1 || outs[0].DType != graph.Float64 || len(outs[0].Shape) > 2 {
			return fail("program of matrices", "the program has the outputs %v: it must have one, of float64 and at most two axes", outs)
		}
		if out := place(p, dst, ins); out != nil {
			return p.RunInto(ctx, []*graph.Tensor{out}, ins...)
		}
		out, err := p.Run(ctx, ins...)
		if err != nil {
			return err
		}
		return store(dst, out)
	}
}

// source returns a matrix as input i of a program.
func source(p *graph.Program, i int, m mat.Matrix) (*graph.Tensor, error) {
	if isNil(m) {
		return nil, fail("program of matrices", "source %d is nil", i)
	}
	if rows, cols := m.Dims(); rows == 0 || cols == 0 {
		return nil, fail("program of matrices", "source %d is empty", i)
	}
	t := Of(m)
	if t.Err() != nil {
		t = OfGeneral(mat.DenseCopyOf(m).RawMatrix())
	}
	if ins := p.Inputs(); i < len(ins) {
		switch rank := len(ins[i].Shape); {
		case rank == 1 && t.Rank() == 2 && t.Extent(1) == 1:
			return t.Index(1, 0), nil
		case rank == 1 && t.Rank() == 2 && t.Extent(0) == 1:
			return t.Index(0, 0), nil
		case rank == 2 && t.Rank() == 1:
			return t.Reshape(-1, 1), nil
		case rank == 0 && t.Size() == 1:
			return t.Reshape(), nil
		}
	}
	return t, nil
}

// place returns the memory of dst as the output of a program for some inputs. It returns nil if dst is empty, a part of a matrix, or of
// another size than the output: the program then makes its output, and store reports what is wrong with dst.
func place(p *graph.Program, dst *mat.Dense, ins []*graph.Tensor) *graph.Tensor {
	m := dst.RawMatrix()
	if dst.IsEmpty() || m.Stride != m.Cols {
		return nil
	}
	shapes, err := p.OutputShapes(ins...)
	if err != nil { // the run then reports it
		return nil
	}
	shape, t := shapes[0], OfGeneral(m)
	switch {
	case len(shape) == 1 && m.Cols == 1:
		t = t.Index(1, 0)
	case len(shape) == 0 && t.Size() == 1:
		t = t.Reshape()
	}
	if !slices.Equal(t.Shape(), shape) {
		return nil
	}
	return t
}

// store makes dst the output of a program.
func store(dst *mat.Dense, out *graph.Tensor) error {
	switch out.Rank() {
	case 0:
		out = out.Reshape(1, 1)
	case 1:
		out = out.Reshape(-1, 1)
	}
	if dst.IsEmpty() {
		m, err := General(out)
		if err == nil {
			dst.SetRawMatrix(m)
		}
		return err
	}
	if rows, cols := dst.Dims(); rows != out.Extent(0) || cols != out.Extent(1) {
		return fail("program of matrices", "dst has %d rows and %d columns, the output has shape %v: Reset makes dst empty, so that it gets that size", rows, cols, out.Shape())
	}
	return graph.Copy(Of(dst), out)
}

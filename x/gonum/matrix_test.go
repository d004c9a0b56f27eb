package gonum_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/gonum"
)

// numbers returns 0, 1, 2, ...
func numbers(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	return x
}

// TestTensorsOfMatrices checks that a tensor of any part of a matrix, or of its transpose, has the elements of the part, and its memory.
func TestTensorsOfMatrices(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1, 6).Draw(t, "cols")
		whole := mat.NewDense(rows, cols, numbers(rows*cols))
		i, k := rapid.IntRange(0, rows-1).Draw(t, "i"), rapid.IntRange(1, rows).Draw(t, "k")
		j, l := rapid.IntRange(0, cols-1).Draw(t, "j"), rapid.IntRange(1, cols).Draw(t, "l")
		m := whole.Slice(i, max(i+1, k), j, max(j+1, l))
		if rapid.Bool().Draw(t, "column") {
			m = m.(*mat.Dense).ColView(0)
		}
		if rapid.Bool().Draw(t, "transposed") {
			m = m.T()
		}
		x := gonum.Of(m)
		require.NoError(t, x.Err())
		r, c := m.Dims()
		require.Equal(t, r*c, x.Size())
		matrix := x.Reshape(r, c)
		for i := range r {
			for j := range c {
				v, err := graph.At[float64](matrix, i, j)
				require.NoError(t, err)
				require.Equal(t, m.At(i, j), v)
			}
		}
		require.NoError(t, graph.Set(x, -1.0, make([]int, x.Rank())...))
		require.Equal(t, -1.0, m.At(0, 0))

		// And back: what has contiguous columns.
		if x.Rank() == 1 {
			v, err := gonum.VecDense(x)
			require.NoError(t, err)
			require.True(t, mat.Equal(m, v))
			v.SetVec(0, -2)
		} else if back, err := gonum.Dense(x); err == nil {
			require.True(t, mat.Equal(m, back))
			back.Set(0, 0, -2)
		} else {
			require.ErrorContains(t, err, "columns of a matrix of gonum follow one another")
			require.True(t, c > 1)
			return
		}
		require.Equal(t, -2.0, m.At(0, 0))
	})
}

func TestVectorsOfBLAS(t *testing.T) {
	v := gonum.OfVector(blas64.Vector{N: 3, Inc: -2, Data: numbers(5)})
	require.Equal(t, "float64[3]\n[4. 2. 0.]", v.String())
	require.Equal(t, "float32[2]\n[0. 2.]", gonum.OfVector32(blas32.Vector{N: 2, Inc: 2, Data: []float32{0, 1, 2}}).String())
	_, err := gonum.VecDense(v)
	require.ErrorContains(t, err, "the stride -2")
	require.Error(t, gonum.OfVector(blas64.Vector{N: 4, Inc: 2, Data: numbers(5)}).Err())
	m, err := gonum.General32(graph.Of([]float32{1, 2, 3, 4, 5, 6}, 2, 3).Slice(":, 1:"))
	require.NoError(t, err)
	require.Equal(t, blas32.General{Rows: 2, Cols: 2, Stride: 3, Data: []float32{2, 3, 4, 5, 6}}, m)
	require.Equal(t, "float32[2,2]\n[[2. 3.]\n [5. 6.]]", gonum.OfGeneral32(m).String())
}

func TestMatricesWithoutMemory(t *testing.T) {
	for _, m := range []mat.Matrix{nil, (*mat.Dense)(nil), (*mat.VecDense)(nil), (*mat.SymDense)(nil), (*mat.Dense)(nil).T(), mat.TransposeVec{}} {
		require.ErrorContains(t, gonum.Of(m).Err(), "the matrix is nil")
	}
	require.ErrorContains(t, gonum.Of(mat.NewDiagDense(2, nil)).Err(), "mat.DenseCopyOf")
	for _, x := range []*graph.Tensor{graph.Zeros(graph.Float64, 0, 3), graph.Zeros(graph.Float32, 2, 3), graph.Zeros(graph.Float64, 2), graph.Of([]float64{1}, 5)} {
		_, err := gonum.Dense(x)
		var e *graph.Error
		require.True(t, errors.As(err, &e))
		require.Contains(t, err.Error(), "matrix_test.go")
	}
}

// compile compiles a graph of the inputs x [n,m] and y [n,m].
func compile(t require.TestingT, f func(x, y graph.Node) graph.Node) *graph.Program {
	x := graph.Input("x", graph.Float64, graph.Dim("n"), graph.Dim("m"))
	y := graph.Input("y", graph.Float64, graph.Dim("n"), graph.Dim("m"))
	p, err := graph.Compile(f(x, y))
	require.NoError(t, err)
	return p
}

// TestFunc checks a program on sources and destinations of all kinds: parts, transposes, symmetric matrices, a source as its destination.
func TestFunc(t *testing.T) {
	add := gonum.Func(compile(t, func(x, y graph.Node) graph.Node { return x.Add(y.Mul(2)) }))
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "n")
		kind := func(name string) mat.Matrix {
			large := mat.NewDense(n+1, n+2, numbers((n+1)*(n+2)))
			switch rapid.IntRange(0, 3).Draw(t, name) {
			case 0:
				return large.Slice(1, n+1, 1, n+1)
			case 1:
				return large.Slice(1, n+1, 1, n+1).T()
			case 2:
				return mat.NewSymDense(n, numbers(n*n))
			}
			return mat.NewDense(n, n, numbers(n*n))
		}
		x, y := kind("x"), kind("y")
		var want mat.Dense
		want.Scale(2, y)
		want.Add(x, &want)
		var dst *mat.Dense
		switch rapid.IntRange(0, 3).Draw(t, "dst") {
		case 0:
			dst = new(mat.Dense)
		case 1:
			dst = mat.NewDense(n, n, nil)
		case 2:
			dst = mat.NewDense(n+3, n+1, nil).Slice(2, n+2, 1, n+1).(*mat.Dense)
		case 3:
			if d, ok := x.(*mat.Dense); ok {
				dst = d
			} else {
				dst = new(mat.Dense)
			}
		}
		require.NoError(t, add(context.Background(), dst, x, y))
		require.True(t, mat.Equal(&want, dst))
	})
}

func TestFuncOfVectors(t *testing.T) {
	x := graph.Input("x", graph.Float64, graph.Dim("n"))
	sum, err := graph.Compile(x.Sum())
	require.NoError(t, err)
	twice, err := graph.Compile(x.Mul(2))
	require.NoError(t, err)
	v := mat.NewVecDense(3, []float64{1, 2, 3})
	var dst mat.Dense
	require.NoError(t, gonum.Func(sum)(context.Background(), &dst, v))
	require.Equal(t, 6.0, dst.At(0, 0))
	for _, src := range []mat.Matrix{v, v.T(), mat.NewDense(3, 1, []float64{1, 2, 3}), mat.NewDense(1, 3, []float64{1, 2, 3})} {
		column := mat.NewDense(3, 1, nil)
		require.NoError(t, gonum.Func(twice)(context.Background(), column, src))
		require.Equal(t, []float64{2, 4, 6}, column.RawMatrix().Data)
	}
}

// TestFuncAliases: a destination may be the transpose of a source, or overlap with one.
func TestFuncAliases(t *testing.T) {
	twice := gonum.Func(compile(t, func(x, y graph.Node) graph.Node { return x.Add(y) }))
	whole := mat.NewDense(3, 3, numbers(9))
	require.NoError(t, twice(context.Background(), whole, whole.T(), whole.T()))
	require.Equal(t, []float64{0, 6, 12, 2, 8, 14, 4, 10, 16}, whole.RawMatrix().Data)
	memory := numbers(12)
	require.NoError(t, twice(context.Background(), mat.NewDense(3, 3, memory[3:]), mat.NewDense(3, 3, memory[:9]), mat.NewDense(3, 3, memory[:9])))
	require.Equal(t, []float64{0, 1, 2, 0, 2, 4, 6, 8, 10, 12, 14, 16}, memory)
}

func TestFuncErrors(t *testing.T) {
	add := gonum.Func(compile(t, func(x, y graph.Node) graph.Node { return x.Add(y) }))
	a, b := mat.NewDense(2, 3, nil), mat.NewDense(3, 2, nil)
	halves, err := graph.Compile(graph.Input("x", graph.Float64, graph.Dim("2*n")).Slice("::2"))
	require.NoError(t, err)
	half := gonum.Func(halves)
	column := mat.NewDense(2, 1, nil)
	require.NoError(t, half(context.Background(), column, mat.NewVecDense(4, numbers(4))))
	require.Equal(t, []float64{0, 2}, column.RawMatrix().Data)
	for want, err := range map[string]error{
		"source 1 is nil":   add(context.Background(), new(mat.Dense), a, nil),
		"dst is nil":        add(context.Background(), nil, a, a),
		"source 0 is nil":   add(context.Background(), new(mat.Dense), (*mat.Dense)(nil).T(), a),
		"source 0 is empty": add(context.Background(), new(mat.Dense), new(mat.SymDense), a),
		"1 inputs given":    add(context.Background(), new(mat.Dense), a),
		"dst has 3 rows":    add(context.Background(), mat.NewDense(4, 3, nil).Slice(0, 3, 0, 2).(*mat.Dense), a, a),
		"input y":           add(context.Background(), new(mat.Dense), a, b),
		"dst has 3 rows and 2 columns, the output has shape [2 3]: Reset makes dst empty": add(context.Background(), b, a, a),
		"dst has 2 rows and 1 columns, the output has shape [3 1]":                        half(context.Background(), column, mat.NewVecDense(6, nil)),
		"dst has 2 rows and 3 columns, the output has shape [2 1]":                        half(context.Background(), mat.NewDense(2, 3, nil), mat.NewVecDense(4, nil)),
		"axis 0 is 3":                  half(context.Background(), column, mat.NewVecDense(3, nil)),
		"it must have one, of float64": gonum.Func(compile(t, func(x, y graph.Node) graph.Node { return x.Lt(y) }))(context.Background(), b, a, a),
	} {
		require.ErrorContains(t, err, want)
		require.Contains(t, err.Error(), "matrix_test.go")
	}
}

func TestProblem(t *testing.T) {
	// The least squares of data·x - target, whose solution mat.Solve has too.
	data, target := graph.Normal(graph.Float64, 1, 0, 1, 20, 3), graph.Normal(graph.Float64, 2, 0, 1, 20)
	x := graph.Input("x", graph.Float64, graph.Dim("k"))
	a := graph.Input("a", graph.Float64, graph.Dim("n"), graph.Dim("k"))
	b := graph.Input("b", graph.Float64, graph.Dim("n"))
	residual := a.MatMul(x).Sub(b)
	value, err := graph.Compile(residual.Square().Sum(), graph.WithInputs(x, a, b))
	require.NoError(t, err)
	gradient, err := graph.Compile(residual.MatMul(a).Mul(2), graph.WithInputs(x, a, b))
	require.NoError(t, err)
	objective := gonum.Objective{Value: value, Gradient: gradient, Data: []*graph.Tensor{data, target}}
	problem, err := objective.Problem(context.Background())
	require.NoError(t, err)
	found, err := optimize.Minimize(problem, make([]float64, 3), nil, &optimize.BFGS{})
	require.NoError(t, err)
	dense, err := gonum.Dense(data)
	require.NoError(t, err)
	vector, err := gonum.VecDense(target)
	require.NoError(t, err)
	var want mat.VecDense
	require.NoError(t, want.SolveVec(dense, vector))
	require.InDeltaSlice(t, want.RawVector().Data, found.X, 1e-6)

	// Errors end the search.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	problem, err = objective.Problem(ctx)
	require.NoError(t, err)
	require.True(t, math.IsNaN(problem.Func([]float64{1, 2, 3})))
	status, err := problem.Status()
	require.Equal(t, optimize.Failure, status)
	require.ErrorIs(t, err, context.Canceled)
	problem, err = objective.Problem(context.Background())
	require.NoError(t, err)
	grad := make([]float64, 2)
	problem.Grad(grad, []float64{1, 2})
	require.True(t, math.IsNaN(grad[0]))
	_, err = problem.Status()
	require.ErrorContains(t, err, "k")
	_, err = gonum.Objective{Value: gradient, Data: objective.Data}.Problem(context.Background())
	require.ErrorContains(t, err, "is not a scalar")
	_, err = gonum.Objective{Value: value}.Problem(context.Background())
	require.ErrorContains(t, err, "0 tensors of data")
}

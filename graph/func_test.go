package graph_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestFuncOfProgram converts a program to text and back, and compares the results.
func TestFuncOfProgram(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 3)
	w := graph.Uniform(graph.Float32, 1, -1, 1, 3, 3)
	p, err := graph.Compile(x.MatMul(graph.Variable(w)).Exp().Mean(0), x.Sum(1))
	require.NoError(t, err)
	f, captured := p.Func()
	require.Len(t, captured, 1)
	parsed, err := ir.Parse(f.String())
	require.NoError(t, err)
	q, err := graph.CompileFunc(parsed, graph.WithWorkers(1), graph.WithDebug(graph.Verify))
	require.NoError(t, err)
	again, _ := q.Func()
	for i, in := range f.Params {
		require.Equal(t, in.Name(), again.Params[i].Name())
	}
	require.Equal(t, "x float32[n,3]", q.Inputs()[0].String())
	in := graph.Uniform(graph.Float32, 2, -1, 1, 100, 3)
	want, err := p.RunAll(context.Background(), in)
	require.NoError(t, err)
	got, err := q.RunAll(context.Background(), in, w)
	require.NoError(t, err)
	for i := range want {
		require.True(t, graph.Equal(want[i], got[i]))
	}
	f.Body[0].Args = nil // Func returns a copy: the program does not change
	_, err = p.RunAll(context.Background(), in)
	require.NoError(t, err)
}

// TestCompileFuncRefuses checks functions that do not come from a program.
func TestCompileFuncRefuses(t *testing.T) {
	_, err := graph.CompileFunc(nil)
	require.ErrorContains(t, err, "func_test.go")
	f, err := ir.Parse("func f(%x: f32[n]) {\n  %0 = sum %x axes=[0] : f32[]\n  return %0\n}\n")
	require.NoError(t, err)
	f.Body[0].Type.DType = ir.Float64
	_, err = graph.CompileFunc(f)
	require.ErrorContains(t, err, "f64")
	f.Body[0].Type.DType = ir.Float32
	_, err = graph.CompileFunc(f, graph.WithWorkers(-1))
	require.ErrorContains(t, err, "-1 workers")
	_, err = graph.CompileFunc(f, nil)
	require.ErrorContains(t, err, "an option is nil")
}

package graph_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
)

// graphText returns the text of a program's graph.
func graphText(t *testing.T, p *graph.Program) string {
	var text bytes.Buffer
	require.NoError(t, p.Dump(&text, "graph"))
	return text.String()
}

// TestCompileText runs the text of programs and compares the bits.
func TestCompileText(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 6)
	y := graph.Input("y", graph.Float32, 6)
	p, err := graph.Compile(graph.WithName("first"), graph.WithFast(), x.Sub(y).Exp().Sum(0), x.Softmax(1).T().CumSum(0))
	require.NoError(t, err)
	q, err := graph.CompileText(graphText(t, p))
	require.NoError(t, err)
	require.Equal(t, graphText(t, p), graphText(t, q))
	require.Equal(t, "x float32[n,6]", q.Inputs()[0].String())
	require.Equal(t, "out1", q.Outputs()[1].Name)
	ins := []*graph.Tensor{graph.Uniform(graph.Float32, 1, -2, 2, 6, 31).T(), graph.Uniform(graph.Float32, 2, -2, 2, 6)}
	want, err := p.RunAll(t.Context(), ins...)
	require.NoError(t, err)
	got, err := q.RunAll(t.Context(), ins...)
	require.NoError(t, err)
	for i := range want {
		require.True(t, graph.Equal(want[i], got[i]))
	}
	q, err = graph.CompileText(graphText(t, p), graph.WithName("second"))
	require.NoError(t, err)
	_, err = q.RunAll(t.Context(), ins[0])
	require.ErrorContains(t, err, "run second: 1 inputs given, the program takes 2")
}

// TestCompileTextErrors gives text that is no graph, and options that are none.
func TestCompileTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"": "compile: the text of the graph: 1:1",
		"func f(%x: f32[2]) {\n  %0 = add %x, %y : f32[2]\n  return %0\n}":          "2:",
		"func f(%x: f32[2]) {\n  %0 = exp %x : f32[3]\n  return %0\n}":              "2:",
		"func f(%x: f32[2]) {\n  %0 = access %x {2}:{9}+0 : f32[2]\n  return %0\n}": "access",
		"func f(%x: f32[2]) {\n  return\n}":                                         "no result",
		"func f(%x: f32[n]) {\n  %0 = extent at=m : f32[]\n  return %0\n}":          "",
	} {
		p, err := graph.CompileText(text)
		if want != "" {
			require.ErrorContains(t, err, want, text)
			continue
		}
		if err == nil { // the size m is asked for when it runs
			_, err = p.Run(t.Context(), graph.Zeros(graph.Float32, 2))
		}
		require.ErrorContains(t, err, "m")
	}
	text := "func f(%x: f32[2]) {\n  %0 = exp %x : f32[2]\n  return %0\n}"
	_, err := graph.CompileText(text, nil)
	require.ErrorContains(t, err, "an option is nil")
	_, err = graph.CompileText(text, graph.WithWorkers(-1))
	require.ErrorContains(t, err, "-1 workers")
}

// The text of a graph is a program in another process.
func ExampleCompileText() {
	p, err := graph.CompileText("func half(%x: f32[n]) {\n  %0 = const 0.5 : f32[]\n  %1 = mul %x, %0 : f32[n]\n  return %1\n}")
	if err != nil {
		log.Fatal(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float32{1, 2, 3}, 3))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output:
	// float32[3]
	// [0.5 1.  1.5]
}

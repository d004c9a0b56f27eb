package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// TestWithConstants: a function from a dump's text, with its constants, is the program that wrote the dump.
func TestWithConstants(t *testing.T) {
	w := graph.Uniform(graph.Float32, 1, -1, 1, 40, 30)
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 40)
	p, err := graph.Compile(x.MatMul(graph.Const(w)).Softmax(1), graph.WithName("f"))
	require.NoError(t, err)
	in := graph.Uniform(graph.Float32, 2, -1, 1, 64, 40)
	want, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	f, err := ir.Parse(p.String())
	require.NoError(t, err)
	q, err := graph.CompileFunc(f, graph.WithConstants(map[string]*graph.Tensor{"const0": w}))
	require.NoError(t, err)
	require.Len(t, q.Inputs(), 1)
	got, err := q.Run(t.Context(), in)
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got))
	schedule := func(p *graph.Program) string {
		var dump strings.Builder
		require.NoError(t, p.Dump(&dump, "schedule"))
		return strings.Replace(dump.String(), `result "" 0`, "result out0 0", 1)
	}
	require.Equal(t, undecided(schedule(p), "plan"), undecided(schedule(q), "plan"), "but for the lines that made inputs and constants")
	require.Contains(t, schedule(p), "// constant const0 : f32[40,30] = ")
	require.Contains(t, schedule(p), "part [n=", "a loop has its axis's name")

	for _, c := range []struct {
		name string
		w    *graph.Tensor
		want string
	}{
		{"const0", graph.Ones(graph.Float32, 3), "the constant const0 is float32[3]"},
		{"const0", nil, "the constant const0 is "},
		{"const1", w, "the function has 0 of 1 constants as parameters"},
	} {
		_, err := graph.CompileFunc(f, graph.WithConstants(map[string]*graph.Tensor{c.name: c.w}))
		require.ErrorContains(t, err, c.want)
	}
}

// TestCapturedInDumps: a dump has the kind and the elements of captured tensors, or the checksum of large ones.
func TestCapturedInDumps(t *testing.T) {
	small, large := graph.Of([]float32{1, -0.5}, 2), graph.Zeros(graph.Float32, 300, 300)
	x := graph.Input("x", graph.Float32, 2)
	p, err := graph.Compile(x.Add(graph.Variable(small)), graph.Const(large).Sum().Add(x))
	require.NoError(t, err)
	var dump strings.Builder
	require.NoError(t, p.Dump(&dump, ""))
	require.Contains(t, dump.String(), "# graph\n// input x : f32[2] // "+here2(-5)+"\n// variable const0 : f32[2] = 1 -0.5 // "+here2(-4)+"\n// constant const1 : f32[300,300] sum ")
	require.Equal(t, 1, strings.Count(dump.String(), "// variable const0"))
	p, err = graph.Compile(graph.Const(large).Sum().Add(x), x.Add(graph.Variable(small)))
	require.NoError(t, err)
	dump.Reset()
	require.NoError(t, p.Dump(&dump, ""))
	require.Contains(t, dump.String(), " : f32[2] = 1 -0.5 // ", "a large one leaves room for the next")
	large.Set(1, 3, 4)
	require.NotEqual(t, graph.Checksum(large), graph.Checksum(graph.Zeros(graph.Float32, 300, 300)))
}

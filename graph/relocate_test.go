package graph_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestRelocate replaces the position of one line by a position in a text, and changes nothing else.
func TestRelocate(t *testing.T) {
	x := f32("x", 4, 5)
	before := x.Exp()
	y := before.Softmax(1)
	from, to := y.Sub(1), graph.Pos{File: "text", Line: 7}
	p, err := graph.Compile(from)
	require.NoError(t, err)
	f, _ := p.Func()
	here := f.Results[0].Pos
	moved := graph.Relocate(from, here, to)
	p, err = graph.Compile(moved)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(p.String(), "text:7"), p.String()) // sub, and its constant 1
	require.Contains(t, p.String(), "relocate_test.go:")

	wrong := x.Add(graph.Of([]float32{1, 2}))
	require.Equal(t, wrong.Err(), graph.Relocate(wrong, here, to).Err())
	require.Equal(t, x, graph.Relocate(x, p.Inputs()[0].Pos, to))
	require.Error(t, graph.Relocate(graph.Node{}, here, to).Err())
}

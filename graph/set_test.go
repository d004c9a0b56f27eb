package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestSet compares with the same slices of tensors, set in place.
func TestSet(t *testing.T) {
	for _, spec := range []string{"1", "1:3", "..., 2", ":, 1:4:2", "::-1, ::3", "3:0:-2, 1", "-1, -3:", ":", "2:2", "None, 1, :", "1, None, ::2"} {
		want := numbered(4, 5)
		part := want.Slice(spec)
		value := numbered(part.Shape()...)
		require.NoError(t, graph.Copy(part, value), spec)
		y := graph.Const(numbered(4, 5)).Set(spec, graph.Const(value))
		require.NoError(t, y.Err(), spec)
		require.Equal(t, shown(want), shown(run(t, y)), spec)
		anySize := graph.Input("x", graph.Int32, graph.Dim("n"), graph.Dim("m")).Set(spec, -7)
		p, err := graph.Compile(anySize)
		require.NoError(t, err, spec)
		z, err := p.Run(t.Context(), numbered(4, 5))
		require.NoError(t, err, spec)
		require.Equal(t, shown(run(t, graph.Const(numbered(4, 5)).Set(spec, -7))), shown(z), spec)
	}
	for extent := 1; extent < 9; extent++ {
		for _, step := range []int{-4, -2, 2, 3, 4} {
			for begin := range extent {
				spec := fmt.Sprintf(":, %d::%d", begin, step)
				want := numbered(2, extent, 2)
				part := want.Slice(spec)
				value := numbered(part.Shape()...)
				require.NoError(t, graph.Copy(part, value), spec)
				x := graph.Input("x", graph.Int32, 2, extent, 2)
				p, err := graph.Compile(x.Set(spec, value), graph.WithInputs(x))
				require.NoError(t, err, spec)
				z, err := p.Run(t.Context(), numbered(2, extent, 2))
				require.NoError(t, err, spec)
				require.Equal(t, shown(want), shown(z), "%d, %s", extent, spec)
			}
		}
	}
	x := graph.Const(numbered(2, 3))
	require.Equal(t, "int32[2,3] [[ 0 -7 2] [ 3 -7 5]]", shown(run(t, x.Set(":, 1", -7))))
	require.Equal(t, "int32[] 5", shown(run(t, x.At(-1, 2))))
	require.ErrorContains(t, x.At(1).Err(), "at: 1 indices for the 2 axes of int32[2,3]")
	require.ErrorContains(t, x.Set("9", 1).Err(), "index 9 is outside axis 0")
	require.ErrorContains(t, x.Set("1:", x).Err(), "set: ")
	require.ErrorContains(t, x.Set("?", 1).Err(), "set: ")
	v := f32("v", graph.Dim("n"))
	p, err := graph.Compile(v.Set("1:", 7))
	require.NoError(t, err)
	for _, n := range []int{1, 2, 5} {
		_, err := p.Run(t.Context(), graph.Ones(graph.Float32, n))
		require.NoError(t, err, n)
	}
	p, err = graph.Compile(v.Set("3", 7))
	require.NoError(t, err)
	_, err = p.Run(t.Context(), graph.Ones(graph.Float32, 2))
	require.ErrorContains(t, err, "set_test.go:")
}

// TestSetOfStepsIsOneLoop sets every second and third element of lines: one step stores both the new and the old
// elements.
func TestSetOfStepsIsOneLoop(t *testing.T) {
	for _, step := range []int{2, 3} {
		for _, d := range []graph.DType{graph.Uint8, graph.Float32} {
			x, y := graph.Input("x", d, 6000*step), graph.Input("y", d, 6000)
			p, err := graph.Compile(x.Set(fmt.Sprintf("::%d", step), y.Add(1)))
			require.NoError(t, err)
			require.Equal(t, 1, strings.Count(p.Explain(), "\n  step "), explaining{p})
		}
	}
}

package beam_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/examples/gridstats/statistics"
	"github.com/stridefuse/stridefuse/examples/kmeans/lloyd"
	"github.com/stridefuse/stridefuse/examples/search/nearest"
	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/beam"
)

// TestExamples runs the programs of three examples on Prism, on the data of their folders, and
// compares the results with those of tensors in memory.
func TestExamples(t *testing.T) {
	geoid := repeated(t, "../../examples/gridstats/geoid.npy", 40)
	p, err := statistics.Program(geoid.DType(), geoid.Extent(1), 0.01, -110, 90, 10)
	require.NoError(t, err)
	requireOnPrism(t, p, map[string]*graph.Tensor{"heights": geoid})

	words := repeated(t, "../../examples/search/sample/corpus.npy", 10)
	p, err = nearest.Program(words.Extent(1), 4, 6)
	require.NoError(t, err)
	requireOnPrism(t, p, map[string]*graph.Tensor{"corpus": words, "queries": words.SliceAxis(0, 40, 44, 1)})

	digits := repeated(t, "../../examples/internal/digits/digits0.npy", 10)
	p, err = lloyd.Round(digits.DType(), digits.Extent(1), 10)
	require.NoError(t, err)
	centers := numbers(t, digits.SliceAxis(0, 0, 10, 1))
	for range 3 {
		centers = requireOnPrism(t, p, map[string]*graph.Tensor{"points": digits, "centers": centers})["centers"]
	}
}

// repeated reads a file, and returns copies of its rows, one after the other.
func repeated(t *testing.T, name string, copies int) *graph.Tensor {
	x, err := npy.ReadFile(name)
	require.NoError(t, err)
	shape := x.Shape()
	x = x.Unsqueeze(0).Expand(append([]int{copies}, shape...)...).Contiguous()
	return x.Reshape(copies*shape[0], shape[1])
}

// numbers returns a tensor as float32.
func numbers(t *testing.T, x *graph.Tensor) *graph.Tensor {
	p, err := graph.Compile(graph.Input("x", x.DType(), x.Extent(0), x.Extent(1)).Cast(graph.Float32))
	require.NoError(t, err)
	y, err := p.Run(t.Context(), x)
	require.NoError(t, err)
	return y
}

// requireOnPrism runs a program on files, in blocks of about 1024 rows.
func requireOnPrism(t *testing.T, p *graph.Program, ins map[string]*graph.Tensor) map[string]*graph.Tensor {
	folder := t.TempDir()
	refs, outputs := map[string]beam.Ref{}, map[string]beam.Ref{}
	var operands []*graph.Tensor
	for _, in := range p.Inputs() {
		x := ins[in.Name]
		refs[in.Name] = beam.Ref{Kind: beam.File, Path: filepath.Join(folder, in.Name+".npy")}
		require.NoError(t, npy.WriteFile(refs[in.Name].Path, x))
		operands = append(operands, x)
	}
	for _, out := range p.Outputs() {
		outputs[out.Name] = beam.Ref{Kind: beam.File, Path: filepath.Join(folder, out.Name+".npy")}
	}
	spec, err := beam.NewSpec(p, refs, outputs)
	require.NoError(t, err)
	spec.Rows = 1024
	require.NoError(t, beam.Run(t.Context(), "prism", spec))
	want, err := p.RunAll(t.Context(), operands...)
	require.NoError(t, err)
	got := map[string]*graph.Tensor{}
	for i, out := range p.Outputs() {
		x, err := npy.ReadFile(outputs[out.Name].Path)
		require.NoError(t, err)
		require.True(t, graph.Equal(want[i], x), "%s: %v, in memory %v", out.Name, x, want[i])
		got[out.Name] = x
	}
	return got
}

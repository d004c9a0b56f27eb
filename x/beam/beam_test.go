package beam_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	runner "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/beam"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	runner.Init()
	os.Exit(m.Run())
}

// TestSameBits runs a program of three passes on Prism, and compares it with memory.
func TestSameBits(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	const n = 20_000
	in := graph.Normal(graph.Float32, 1, 3, 2, n, 8)
	require.NoError(t, npy.WriteFile(file("x.npy"), in))
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 8)
	w := graph.Const(graph.Uniform(graph.Float32, 2, -1, 1, 8, 5))
	z := x.Sub(x.Mean(0)).Div(x.Std(0))
	best, at := x.MatMul(w).Index(1, 0).TopK(0, 10)
	p, err := graph.Compile(z, z.MatMul(w).Tanh(), z.Sum(0), best, at)
	require.NoError(t, err)
	want, err := p.RunAll(context.Background(), in)
	require.NoError(t, err)
	outputs := map[string]beam.Ref{
		"out0": {Kind: beam.File, Path: file("z.npy")}, "out1": {Kind: beam.Zarr, Path: file("y.zarr"), Chunks: []int{512}, Gzip: 1},
		"out2": {Kind: beam.File, Path: file("sum.npy")}, "out3": {Kind: beam.File, Path: file("best.npy")}, "out4": {Kind: beam.File, Path: file("at.npy")},
	}
	spec, err := beam.NewSpec(p, map[string]beam.Ref{"x": {Kind: beam.File, Path: file("x.npy")}}, outputs)
	require.NoError(t, err)
	spec.Rows = 2048
	require.NoError(t, beam.Run(context.Background(), "prism", spec))
	for i, name := range []string{"z.npy", "", "sum.npy", "best.npy", "at.npy"} {
		var got *graph.Tensor
		if name == "" {
			got, err = zarr.ReadArray(file("y.zarr"))
		} else {
			got, err = npy.ReadFile(file(name))
		}
		require.NoError(t, err)
		require.True(t, graph.Equal(want[i], got), "output %d", i)
	}
}

// TestTwice runs a Spec twice in a process, on other inputs the second time.
func TestTwice(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) beam.Ref { return beam.Ref{Kind: beam.File, Path: filepath.Join(folder, name)} }
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 4)
	p, err := graph.Compile(graph.Output("y", x.Mul(2)))
	require.NoError(t, err)
	spec, err := beam.NewSpec(p, map[string]beam.Ref{"x": file("x.npy")}, map[string]beam.Ref{"y": file("y.npy")})
	require.NoError(t, err)
	spec.Rows = 1024
	for _, v := range []float32{3, 5} {
		require.NoError(t, npy.WriteFile(file("x.npy").Path, graph.Full(graph.Float32, v, 5000, 4)))
		require.NoError(t, beam.Run(context.Background(), "prism", spec))
		y, err := npy.ReadFile(file("y.npy").Path)
		require.NoError(t, err)
		require.True(t, graph.Equal(graph.Full(graph.Float32, 2*v, 5000, 4), y))
	}
}

// TestRechunk copies an array into other chunks.
func TestRechunk(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	x := graph.Normal(graph.Float32, 1, 0, 1, 1000, 6)
	require.NoError(t, zarr.WriteArray(from, x, zarr.Options{Chunks: []int{64, 2}}))
	spec, err := beam.Rechunk(beam.Ref{Kind: beam.Zarr, Path: from}, beam.Ref{Kind: beam.Zarr, Path: to, Chunks: []int{96, 6}})
	require.NoError(t, err)
	spec.Rows = 1
	require.NoError(t, beam.Run(context.Background(), "prism", spec))
	y, err := zarr.ReadArray(to)
	require.NoError(t, err)
	require.True(t, graph.Equal(x, y))
}

// TestRefusals checks errors before a pipeline runs, and one of a worker.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) beam.Ref { return beam.Ref{Kind: beam.File, Path: filepath.Join(folder, name)} }
	require.NoError(t, npy.WriteFile(file("x.npy").Path, graph.New(graph.Float32, 3000, 2)))
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 2)
	for _, c := range []struct {
		y      graph.Node
		change func(*beam.Spec)
		want   string
	}{
		{x.CumSum(0), func(*beam.Spec) {}, "cumsum: each block needs the result of the block before"},
		{x.Sort(0), func(*beam.Spec) {}, "sort"},
		{x.Sum(0), func(s *beam.Spec) { s.Program = "func f() {" }, "the program"},
		{x.Sum(0), func(s *beam.Spec) { s.Inputs["x"] = file("none.npy") }, "none.npy"},
		{x.Sum(0), func(s *beam.Spec) { s.Inputs["x"] = beam.Ref{Kind: "csv"} }, `kind "csv"`},
	} {
		p, err := graph.Compile(graph.Output("y", c.y))
		require.NoError(t, err)
		spec, err := beam.NewSpec(p, map[string]beam.Ref{"x": file("x.npy")}, map[string]beam.Ref{"y": file("y.npy")})
		require.NoError(t, err)
		c.change(spec)
		require.ErrorContains(t, beam.Run(context.Background(), "prism", spec), c.want)
		_, err = beam.NewSpec(p, nil, nil)
		require.ErrorContains(t, err, "has no Ref")
	}
}

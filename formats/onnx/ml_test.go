package onnx_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
)

// TestML compares operators of ai.onnx.ml with onnxruntime, and pipelines with the predictions of scikit-learn, XGBoost and LightGBM
// themselves: labels and strings must be equal, and numbers within 1e-6 of the greatest, for any number of rows.
func TestML(t *testing.T) {
	files, err := filepath.Glob("testdata/ml/*.npz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".npz")
		t.Run(filepath.Base(name), func(t *testing.T) {
			p, err := onnx.Load(name + ".onnx")
			require.NoError(t, err)
			all, err := npy.OpenArchive(file)
			require.NoError(t, err)
			defer all.Close()
			ins, numbers, words := graph.Feeds{}, map[string]*graph.Tensor{}, map[string][]string{}
			for _, key := range all.Names() {
				x, err := all.Tensor(key)
				require.NoError(t, err)
				kind, name, _ := strings.Cut(key, "/")
				switch kind {
				case "in":
					ins[name] = x
				case "out":
					numbers[name] = x
				case "text in":
					ins[name] = p.Encode(lines(t, x), declared(t, p, name, len(lines(t, x)))...)
				case "text out":
					words[name] = lines(t, x)
				}
			}
			outs, err := p.Run(context.Background(), ins)
			require.NoError(t, err)
			for name, want := range numbers {
				requireNear(t, filepath.Base(file)+" "+name, want, outs[name])
			}
			for name, want := range words {
				require.Contains(t, p.Strings(), name)
				got, err := p.Decode(outs[name])
				require.NoError(t, err)
				require.Equal(t, want, got, name)
			}
		})
	}
}

// lines returns the lines of a text.
func lines(t *testing.T, text *graph.Tensor) []string {
	data, err := graph.Data[uint8](text)
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

// declared returns the shape of an input with n elements. The extent of the first axis is n divided by the other extents.
func declared(t *testing.T, p *onnx.Program, name string, n int) []int {
	for i, in := range p.Inputs() {
		if in != name {
			continue
		}
		shape := []int{n}
		for _, d := range p.Graph().Inputs()[i].Shape[1:] {
			k, fixed := d.Int()
			require.True(t, fixed)
			shape = append(shape, k)
			shape[0] /= k
		}
		return shape
	}
	require.Fail(t, "no such input", name)
	return nil
}

// requireNear requires equal labels, and numbers within 1e-6 of the greatest. A column may stand for a vector, and the second of two columns.
func requireNear(t *testing.T, name string, want, got *graph.Tensor) {
	if want.Rank() == 1 && got.Rank() == 2 && got.Extent(1) == 2 && want.Extent(0) == got.Extent(0) {
		got = got.Slice(":, 1")
	}
	require.Equal(t, want.Size(), got.Size(), name)
	if want.DType() == graph.Int64 && got.DType() == graph.Int64 {
		require.True(t, graph.Equal(want.Reshape(want.Size()), got.Reshape(want.Size())), "%s: %v, want %v", name, got, want)
		return
	}
	w, g := floats(t, want), floats(t, got)
	most := 1.
	if strings.Contains(name, "probit") {
		most = 10 // a difference of close numbers, which onnxruntime computes in float32 too
	}
	for _, x := range w {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			most = max(most, math.Abs(x))
		}
	}
	for i := range w {
		if w[i] != g[i] && !(math.IsNaN(w[i]) && math.IsNaN(g[i])) {
			require.InDelta(t, w[i], g[i], 1e-6*most, "%s: element %d", name, i)
		}
	}
}

func floats(t *testing.T, x *graph.Tensor) []float64 {
	p, err := graph.Compile(graph.Const(x).Cast(graph.Float64).Flatten())
	require.NoError(t, err)
	y, err := p.Run(context.Background())
	require.NoError(t, err)
	out, err := graph.Data[float64](y)
	require.NoError(t, err)
	return out
}

// TestDamagedML changes bytes of models of ai.onnx.ml: each fails to load, fails to run, or runs. None panics, and none walks without
// an end through trees with a cycle. FuzzML changes others.
func TestDamagedML(t *testing.T) {
	files, err := filepath.Glob("testdata/ml/*.onnx")
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(1, 2))
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		for range 15 {
			runDamaged(data, r.Uint32(), byte(1+r.IntN(255)), r.Uint32(), byte(r.IntN(4)))
		}
	}
}

// FuzzML is TestDamagedML for any file.
func FuzzML(f *testing.F) {
	files, err := filepath.Glob("testdata/ml/*.onnx")
	require.NoError(f, err)
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && len(data) < 1<<11 {
			f.Add(data, uint32(0), byte(0), uint32(0), byte(0))
		}
	}
	f.Fuzz(func(_ *testing.T, data []byte, at uint32, by byte, other uint32, and byte) {
		runDamaged(data, at, by, other, and)
	})
}

// runDamaged loads a model with two bytes changed, and runs it with zeros.
func runDamaged(data []byte, at uint32, by byte, other uint32, and byte) {
	if len(data) == 0 {
		return
	}
	data = slices.Clone(data)
	data[int(at)%len(data)] ^= by
	data[int(other)%len(data)] ^= and
	p, err := onnx.Parse(data)
	if err != nil || p.Graph() == nil {
		return
	}
	ins := graph.Feeds{}
	for i, in := range p.Graph().Inputs() {
		var shape []int
		n := 1
		for _, d := range in.Shape {
			k, fixed := d.Int()
			if !fixed {
				k = 3
			}
			shape = append(shape, k)
			if n *= k; k > 1000 || n > 1000 {
				return
			}
		}
		if i < len(p.Inputs()) {
			ins[p.Inputs()[i]] = graph.New(in.DType, shape...)
		}
	}
	_, _ = p.Run(context.Background(), ins)
}

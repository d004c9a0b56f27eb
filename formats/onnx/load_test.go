package onnx_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/builtin/portable"
)

func init() { portable.Register() } // a program with assembly does not link these loops

// TestLoad runs the models that testdata/make.py wrote, and compares with the results of onnxruntime. Without fusion
// and assembly the bits must be the same. Weights are scaled where onnxruntime scaled them.
func TestLoad(t *testing.T) {
	files, err := filepath.Glob("testdata/*.npz")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file, ".npz")
		t.Run(filepath.Base(name), func(t *testing.T) {
			var options []onnx.Option
			if name == "testdata/normalized" {
				options = append(options, onnx.WithScaledWeights())
			}
			p, err := onnx.Load(name+".onnx", options...)
			require.NoError(t, err)
			ins, want := feeds(t, file)
			got, err := p.Run(context.Background(), ins)
			require.NoError(t, err)
			require.Len(t, got, len(want))
			for name, w := range want {
				onnx.RequireClose(t, name, w, got[name])
			}
			for _, how := range []graph.Debug{graph.Portable | graph.NoFusion, graph.TilingOnly} {
				p, err := onnx.Load(name+".onnx", append(slices.Clone(options), onnx.With(graph.WithDebug(how)))...)
				require.NoError(t, err)
				again, err := p.Run(context.Background(), ins)
				require.NoError(t, err)
				for name := range want {
					require.True(t, graph.Equal(got[name], again[name]), "%s: other bits in another way to run", name)
				}
			}
		})
	}
}

// TestScaledWeights counts the normalizations that remain: all seven without the option; with it those of an input and
// of a product that is read elsewhere. TestLoad compares the numbers.
func TestScaledWeights(t *testing.T) {
	for _, c := range []struct {
		options []onnx.Option
		divs    int
	}{{nil, 7}, {[]onnx.Option{onnx.WithScaledWeights()}, 2}} {
		p, err := onnx.Load("testdata/normalized.onnx", c.options...)
		require.NoError(t, err)
		var text strings.Builder
		require.NoError(t, p.Graph().Dump(&text, "graph"))
		require.Equal(t, c.divs, strings.Count(text.String(), " = div "), text.String())
	}
}

// TestPositions: messages about a program name the nodes of the model.
func TestPositions(t *testing.T) {
	p, err := onnx.Load("testdata/dense.onnx")
	require.NoError(t, err)
	var steps []string
	for _, d := range p.Graph().Ledger() {
		steps = append(steps, fmt.Sprint(d.Op, " ", d.Pos))
	}
	require.Contains(t, steps, "dot Gemm:1", "%v\n%s", steps, p.Graph().Explain())
}

// feeds reads inputs and outputs by name.
func feeds(t *testing.T, file string) (ins, outs map[string]*graph.Tensor) {
	a, err := npy.OpenArchive(file)
	require.NoError(t, err)
	t.Cleanup(func() { a.Close() })
	ins, outs = map[string]*graph.Tensor{}, map[string]*graph.Tensor{}
	for _, name := range a.Names() {
		x, err := a.Tensor(name)
		require.NoError(t, err)
		if in, ok := strings.CutPrefix(name, "in/"); ok {
			ins[in] = x
		} else {
			outs[strings.TrimPrefix(name, "out/")] = x
		}
	}
	return ins, outs
}

// TestNames checks how inputs are told apart, and how a size becomes a number.
func TestNames(t *testing.T) {
	p, err := onnx.Load("testdata/dense.onnx")
	require.NoError(t, err)
	require.Equal(t, []string{"input.1"}, p.Inputs())
	require.Equal(t, []string{"out:0"}, p.Outputs())
	require.Equal(t, "input_1 float32[batch_size,4]", p.Graph().Inputs()[0].String())
	x := graph.New(graph.Float32, 2, 4)
	_, err = p.Run(context.Background(), graph.Feeds{"input": x})
	require.EqualError(t, err, `onnx: the model has no input "input": it takes ["input.1"]`)
	_, err = p.Run(context.Background(), graph.Feeds{})
	require.EqualError(t, err, `onnx: input "input.1" is missing: the model takes ["input.1"]`)
	_, err = p.Run(context.Background(), graph.Feeds{"input.1": x, "y": x})
	require.EqualError(t, err, `onnx: the model has no input "y": it takes ["input.1"]`)

	p, err = onnx.Load("testdata/dense.onnx", onnx.WithSize("batch size", 2))
	require.NoError(t, err)
	require.Equal(t, "input_1 float32[2,4]", p.Graph().Inputs()[0].String())

	_, err = onnx.Load("testdata/dense.onnx", onnx.WithSize("batch", 2))
	require.ErrorContains(t, err, `the model's inputs have no size "batch": they have ["input input.1 axis 0"]`)

	p, err = onnx.Load("testdata/dense.onnx", onnx.Fix("input.1", x))
	require.NoError(t, err)
	require.Empty(t, p.Inputs())
	_, err = onnx.Load("testdata/dense.onnx", onnx.Fix("x", x))
	require.ErrorContains(t, err, `fix: the model has no input "x": it takes ["input.1"]`)
}

// TestUnsupported checks that one error lists all operators that are not supported.
func TestUnsupported(t *testing.T) {
	_, err := onnx.Load("testdata/unsupported.onnx")
	var e *onnx.UnsupportedError
	require.ErrorAs(t, err, &e)
	require.Equal(t, []onnx.Unsupported{
		{Name: "StringNormalizer", Count: 2, Why: "strings, which are only compared and selected here: see Program.Encode"},
		{Name: "local.Special", Count: 1, Why: "an operator of the domain local"},
	}, e.Operators)
	require.EqualError(t, err, "onnx: testdata/unsupported.onnx: operators that are not supported, with the number of nodes: "+
		"StringNormalizer (2, strings, which are only compared and selected here: see Program.Encode), local.Special (1, an operator of the domain local)")
}

// TestExternalFiles checks that tensors in other files can't be read from outside the model's folder, or beyond the end
// of a file.
func TestExternalFiles(t *testing.T) {
	model, err := os.ReadFile("testdata/external.onnx")
	require.NoError(t, err)
	_, err = onnx.Parse(model)
	require.ErrorContains(t, err, `its data are in the file "external.bin": load the model with Load`)

	folder := t.TempDir()
	outside := filepath.Join(t.TempDir(), "outside.bin")
	data, err := os.ReadFile("testdata/external.bin")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(outside, data, 0o600))
	require.NoError(t, os.Symlink(outside, filepath.Join(folder, "linked.12345")))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "short.123456"), data[:50], 0o600))
	for location, want := range map[string]string{
		"external.bin": "no such file",
		"../outs.1234": "escapes",
		"/etc/passwd1": "escapes",
		"linked.12345": "escapes",
		"short.123456": "bytes",
	} {
		require.Len(t, location, len("external.bin")) // the same length in the message
		path := filepath.Join(folder, "model.onnx")
		require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(model), "external.bin", location)), 0o600))
		_, err := onnx.Load(path)
		require.ErrorContains(t, err, want, location)
	}
}

// FuzzParse compiles any bytes.
func FuzzParse(f *testing.F) {
	files, err := filepath.Glob("testdata/*.onnx")
	require.NoError(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(data)
	}
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = onnx.Parse(data) // it must return
	})
}

package onnx

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
)

// TestEval computes models by the definition of every operation. Weights become inputs, so that the text of the graph
// is complete. Fused kernels must give the same bits, with constant and with variable weights.
func TestEval(t *testing.T) {
	for _, name := range []string{"resnet", "encoder"} {
		data, err := os.ReadFile("testdata/" + name + ".onnx")
		require.NoError(t, err)
		m, err := parse(data, "testdata")
		require.NoError(t, err)
		a, err := npy.OpenArchive("testdata/" + name + ".npz")
		require.NoError(t, err)
		feeds := graph.Feeds{}
		for _, name := range a.Names() {
			if in, ok := strings.CutPrefix(name, "in/"); ok {
				feeds[in], err = a.Tensor(name)
				require.NoError(t, err)
			}
		}
		fixed, err := Load("testdata/" + name + ".onnx")
		require.NoError(t, err)
		want, err := fixed.Run(context.Background(), feeds)
		require.NoError(t, err)

		for name, x := range m.body.constants {
			if x.DType() != graph.Float32 || x.Rank() == 0 {
				continue // what shapes are computed from
			}
			p := port{name: name, dtype: x.DType()}
			for _, n := range x.Shape() {
				p.dims = append(p.dims, n)
			}
			m.body.inputs, feeds[name] = append(m.body.inputs, p), x
			delete(m.body.constants, name)
		}
		p, err := compile(m, newSettings(nil))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), feeds)
		require.NoError(t, err)

		var text strings.Builder
		require.NoError(t, p.Graph().Dump(&text, "graph"))
		f, err := ir.Parse(text.String())
		require.NoError(t, err)
		named := graph.Feeds{} // inputs by their names in the text
		for name, x := range feeds {
			named[strings.NewReplacer(".", "_", "/", "_", ":", "_").Replace(name)] = x
		}
		sizes, inputs := map[string]int{}, []eval.Array{}
		for _, param := range f.Params {
			x := named[param.Name()]
			require.NotNil(t, x, param.Name())
			for k, d := range param.Type.Shape {
				if size, factor, offset, ok := d.Linear(); ok {
					sizes[size] = (x.Extent(k) - offset) / factor
				}
			}
			inputs = append(inputs, evalArray(t, x))
		}
		f, err = f.Bind(sizes)
		require.NoError(t, err)
		outs, err := eval.Eval(f, inputs)
		require.NoError(t, err)
		for i, out := range p.Outputs() {
			require.Equal(t, outs[i], evalArray(t, got[out]), "%s: %s by its definition", name, out)
			require.True(t, graph.Equal(want[out], got[out]), "%s: %s with weights that change", name, out)
		}
		require.NoError(t, a.Close())
	}
}

// evalArray converts a tensor of float32 or int64 to the form of the definitions.
func evalArray(t *testing.T, x *graph.Tensor) eval.Array {
	a := eval.Array{DType: x.DType(), Shape: x.Shape()}
	if a.DType == graph.Int64 {
		data, err := graph.Data[int64](x.Contiguous())
		require.NoError(t, err)
		for _, v := range data {
			a.Data = append(a.Data, uint64(v))
		}
		return a
	}
	data, err := graph.Data[float32](x.Contiguous())
	require.NoError(t, err)
	for _, v := range data {
		a.Data = append(a.Data, uint64(math.Float32bits(v)))
	}
	return a
}

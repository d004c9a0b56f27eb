package onnx

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
)

// The form of the test cases: see testdata/conformance/README.md.

type manifest struct {
	Group string
	Tests []*testCase
}

type testCase struct {
	Name, Op                      string
	Opset                         int
	Model                         string // a file, in place of initializers and nodes
	Inputs, Initializers, Outputs []testTensor
	Nodes                         []testNode
	dir                           string
}

type testTensor struct {
	Name, DType, Storage, File string
	Shape                      []int
	Data                       []json.RawMessage // of attributes
}

type testNode struct {
	Op              string
	Inputs, Outputs []string
	Attrs           map[string]struct {
		Type  string
		Value json.RawMessage
	}
}

// noType is an element type that there is not here.
type noType struct{ name string }

func (e noType) Error() string { return "element type " + e.name + " is not supported" }

func typeByName(name string) (graph.DType, error) {
	for _, dt := range typeCodes {
		if dt.String() == name {
			return dt, nil
		}
	}
	return 0, noType{name}
}

// model returns the case as a model: all of it, or a noType.
func (c *testCase) model(t *testing.T) (*model, error) {
	body := &subgraph{constants: map[string]*graph.Tensor{}}
	for _, list := range [][]testTensor{c.Inputs, c.Initializers, c.Outputs} {
		for _, x := range list {
			if _, err := typeByName(x.DType); err != nil {
				return nil, err
			}
		}
	}
	if c.Model != "" {
		data, err := os.ReadFile(filepath.Join(c.dir, c.Model))
		require.NoError(t, err)
		return parse(data, c.dir)
	}
	for _, in := range c.Inputs {
		dt, _ := typeByName(in.DType)
		p := port{name: in.Name, dtype: dt}
		for _, n := range in.Shape {
			p.dims = append(p.dims, n)
		}
		body.inputs = append(body.inputs, p)
	}
	for name, x := range c.tensors(t, c.Initializers) {
		body.constants[name] = x
	}
	for _, out := range c.Outputs {
		body.outputs = append(body.outputs, out.Name)
	}
	for _, n := range c.Nodes {
		node := &node{op: n.Op, inputs: n.Inputs, outputs: n.Outputs, attrs: attrs{}}
		for name, a := range n.Attrs {
			v, err := attribute(a.Type, a.Value)
			if err != nil {
				return nil, err
			}
			node.attrs[name] = v
		}
		body.nodes = append(body.nodes, node)
	}
	return &model{words: newVocabulary(), opset: c.Opset, body: body}, nil
}

// tensors reads files by name. Those of types that there are not here are left out.
func (c *testCase) tensors(t *testing.T, list []testTensor) map[string]*graph.Tensor {
	out := map[string]*graph.Tensor{}
	for _, x := range list {
		dt, err := typeByName(x.DType)
		if err != nil {
			continue
		}
		out[x.Name], err = npy.ReadFile(filepath.Join(c.dir, x.File))
		require.NoError(t, err)
		if x.Storage != "" {
			out[x.Name] = out[x.Name].Bitcast(dt)
		}
		require.Equal(t, x.DType, out[x.Name].DType().String())
	}
	return out
}

// attribute reads a value of a type that the manifest names.
func attribute(kind string, value json.RawMessage) (any, error) {
	switch kind {
	case "int":
		return decoded[int](value)
	case "ints":
		return decoded[[]int](value)
	case "string":
		return decoded[string](value)
	case "strings":
		return decoded[[]string](value)
	case "float":
		return numberOf(value)
	case "floats":
		list, err := decoded[[]json.RawMessage](value)
		return numbers(list), err
	case "tensor":
		return literal(value)
	}
	return nil, errors.New("attribute type " + kind)
}

func decoded[T any](value json.RawMessage) (v T, err error) {
	err = json.Unmarshal(value, &v)
	return v, err
}

// numberOf reads a number, or "NaN", "+Inf" or "-Inf".
func numberOf(value json.RawMessage) (float64, error) {
	switch string(value) {
	case `"NaN"`:
		return math.NaN(), nil
	case `"+Inf"`:
		return math.Inf(1), nil
	case `"-Inf"`:
		return math.Inf(-1), nil
	}
	return decoded[float64](value)
}

func numbers(list []json.RawMessage) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i], _ = numberOf(v)
	}
	return out
}

// literal reads a tensor that the manifest holds.
func literal(value json.RawMessage) (*graph.Tensor, error) {
	x, err := decoded[testTensor](value)
	if err != nil {
		return nil, err
	}
	dt, err := typeByName(x.DType)
	if err != nil {
		return nil, err
	}
	t := graph.New(dt, len(x.Data))
	for i, v := range x.Data {
		var e any
		switch string(v) {
		case "true", "false":
			e = string(v) == "true"
		default:
			if e, err = decoded[int64](v); err != nil {
				e, err = numberOf(v)
			}
		}
		if err == nil {
			err = t.Set(e, i)
		}
		if err != nil {
			return nil, err
		}
	}
	return t.Reshape(x.Shape...), nil
}

// The tolerances, tighter than those of the ONNX project.
const (
	relative = 1e-5
	absolute = 1e-6
)

// loose are the relative tolerances of types with fewer bits: two or three steps of
// theirs. What is expected was itself computed in these types, rounded at each step.
var loose = map[graph.DType]float64{graph.Float16: 2e-3, graph.BFloat16: 1.6e-2}

// RequireClose compares tensors: integers and bools must be equal, of floats NaN equals
// NaN, and an infinity only itself.
func RequireClose(t *testing.T, name string, want, got *graph.Tensor) {
	requireWithin(t, name, want, got, relative)
}

func requireWithin(t *testing.T, name string, want, got *graph.Tensor, rtol float64) {
	require.Equal(t, want.DType(), got.DType(), name)
	require.Equal(t, want.Shape(), got.Shape(), name)
	if want.Size() == 0 || graph.Equal(want, got) {
		return
	}
	w, g := float64s(t, want), float64s(t, got)
	require.NotNil(t, w, "%s: %s, want %s", name, got, want)
	rtol = max(rtol, loose[want.DType()])
	for i := range w {
		if math.IsNaN(w[i]) && math.IsNaN(g[i]) || w[i] == g[i] {
			continue
		}
		if d := math.Abs(w[i] - g[i]); !(d <= absolute+rtol*math.Abs(w[i])) || math.IsInf(w[i], 0) {
			require.Fail(t, "wrong answer", "%s: element %d is %v, want %v\n%s\nwant\n%s", name, i, g[i], w[i], got, want)
		}
	}
}

// float64s returns the elements of a tensor of floats, nil of others.
func float64s(t *testing.T, x *graph.Tensor) []float64 {
	if loose[x.DType()] == 0 && x.DType() != graph.Float32 && x.DType() != graph.Float64 {
		return nil
	}
	p, err := graph.Compile(graph.Const(x).Cast(graph.Float64))
	require.NoError(t, err)
	y, err := p.Run(t.Context())
	require.NoError(t, err)
	all, err := graph.All[float64](y)
	require.NoError(t, err)
	return slices.Collect(all)
}

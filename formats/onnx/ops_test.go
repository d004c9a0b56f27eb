package onnx

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// opCase is one node, on inputs of a run and, after them, tensors that are known at load. A nil
// one is left out. The numbers of cases are those of NumPy and of ONNX's reference evaluator, or
// of onnxruntime where that evaluator is another definition: MaxUnpool with an output_shape.
type opCase struct {
	op        string
	domain    string
	opset     int
	attrs     attrs
	in, fixed []*graph.Tensor
	batch     bool // the first axis of the inputs is symbolic
	want      *graph.Tensor
}

// compile makes a program of the node, whose output is "y".
func (o opCase) compile(options ...Option) (*Program, graph.Feeds, error) {
	n := &node{op: o.op, domain: o.domain, attrs: o.attrs, outputs: []string{"y"}}
	body := &subgraph{nodes: []*node{n}, outputs: n.outputs, constants: map[string]*graph.Tensor{}}
	feeds := graph.Feeds{}
	for i, x := range append(o.in[:len(o.in):len(o.in)], o.fixed...) {
		name := string(rune('a' + i))
		switch {
		case x == nil:
			name = ""
		case i >= len(o.in):
			body.constants[name] = x
		default:
			feeds[name] = x
			p := port{name: name, dtype: x.DType()}
			for _, d := range x.Shape() {
				p.dims = append(p.dims, d)
			}
			if o.batch {
				p.dims[0] = "n"
			}
			body.inputs = append(body.inputs, p)
		}
		n.inputs = append(n.inputs, name)
	}
	p, err := compile(&model{words: newVocabulary(), opset: o.opset, body: body}, newSettings(options))
	return p, feeds, err
}

// run returns what the node computes.
func (o opCase) run(options ...Option) (*graph.Tensor, error) {
	p, feeds, err := o.compile(options...)
	if err != nil {
		return nil, err
	}
	out, err := p.Run(context.Background(), feeds)
	return out["y"], err
}

// checkOps compares results, and those of the portable engine without fusion bit by bit.
func checkOps(t *testing.T, cases ...opCase) {
	t.Helper()
	for _, c := range cases {
		got, err := c.run()
		require.NoError(t, err, "%v", c)
		RequireClose(t, c.op, c.want, got)
		again, err := c.run(With(graph.WithDebug(graph.Portable | graph.NoFusion)))
		require.NoError(t, err, "%v", c)
		require.True(t, graph.Equal(got, again), "%s: other bits in another way to run\n%s\n%s", c.op, got, again)
	}
}

// opMistake is a node that is refused, at load or in a run.
type opMistake struct {
	opCase
	message string
}

func checkOpMistakes(t *testing.T, cases ...opMistake) {
	t.Helper()
	for _, c := range cases {
		_, err := c.run()
		require.ErrorContains(t, err, c.message)
	}
}

func tensors(list ...*graph.Tensor) []*graph.Tensor { return list }

func int64s(list ...int64) *graph.Tensor { return graph.Of(list) }

// counted returns 1, 2, 3, ... of some shape.
func counted(shape ...int) *graph.Tensor {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return graph.Arange(graph.Float32, 1, float64(n+1), 1).Reshape(shape...)
}

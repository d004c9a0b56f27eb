package onnx

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// normCase is a product "y" of an input "x" with constant weights "w", and a BatchNormalization "z" of it.
type normCase struct {
	op    string // Conv if empty
	attrs attrs
	x, w  *graph.Tensor   // of two channels if nil
	bias  *graph.Tensor   // of the product, or nil
	norm  []*graph.Tensor // scale, offset, mean and variance
}

// params returns the parameters of two channels, of which the first has these.
func params(scale, offset, mean, variance float32) []*graph.Tensor {
	return tensors(graph.Of([]float32{scale, -1.5}), graph.Of([]float32{offset, .25}), graph.Of([]float32{mean, .5}), graph.Of([]float32{variance, 2}))
}

var plain = params(.7, .3, -.4, 1.3)

// model returns the model, whose nodes and outputs edit may change.
func (c normCase) model(edit func(m *model)) (*model, graph.Feeds) {
	if c.op == "" {
		c.op = "Conv"
	}
	if c.x == nil {
		c.x = graph.Of([]float32{.3, -1.1, 2.3, .7, -.9, 1.7, .1, .6}, 1, 2, 2, 2)
	}
	if c.w == nil {
		c.w = graph.Of([]float32{.7, -1.3, .9, 1.1}, 2, 2, 1, 1)
	}
	constants := map[string]*graph.Tensor{"w": c.w, "s": c.norm[0], "o": c.norm[1], "m": c.norm[2], "v": c.norm[3]}
	product := &node{op: c.op, attrs: c.attrs, inputs: []string{"x", "w"}, outputs: []string{"y"}}
	if c.bias != nil {
		product.inputs, constants["b"] = append(product.inputs, "b"), c.bias
	}
	in := port{name: "x", dtype: c.x.DType()}
	for _, d := range c.x.Shape() {
		in.dims = append(in.dims, d)
	}
	m := &model{words: newVocabulary(), opset: 18, body: &subgraph{inputs: []port{in}, constants: constants, outputs: []string{"z"}, nodes: []*node{product, normOf("y", "z")}}}
	if edit != nil {
		edit(m)
	}
	return m, graph.Feeds{"x": c.x}
}

func normOf(in, out string) *node {
	return &node{op: "BatchNormalization", inputs: []string{in, "s", "o", "m", "v"}, outputs: []string{out}}
}

// run returns "z", and whether the division by the deviation is gone.
func (c normCase) run(t *testing.T, edit func(m *model), options ...Option) (z *graph.Tensor, scaled bool) {
	m, feeds := c.model(edit)
	p, err := compile(m, newSettings(options))
	require.NoError(t, err)
	out, err := p.Run(context.Background(), feeds)
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, p.Graph().Dump(&text, "graph"))
	return out["z"], !strings.Contains(text.String(), " = div ")
}

// apart runs the product and the normalization as a program each, without fusion.
func (c normCase) apart(t *testing.T) *graph.Tensor {
	unfused := With(graph.WithDebug(graph.Portable | graph.NoFusion))
	m, feeds := c.model(func(m *model) { m.body.nodes, m.body.outputs = m.body.nodes[:1], []string{"y"} })
	p, err := compile(m, newSettings([]Option{unfused}))
	require.NoError(t, err)
	out, err := p.Run(context.Background(), feeds)
	require.NoError(t, err)
	z, err := opCase{op: "BatchNormalization", opset: 18, in: append(tensors(out["y"]), c.norm...)}.run(unfused)
	require.NoError(t, err)
	return z
}

func (c normCase) check(t *testing.T, scales bool) {
	t.Helper()
	want := c.apart(t)
	z, scaled := c.run(t, nil)
	require.False(t, scaled)
	require.True(t, graph.Equal(want, z), "without the option: %s, want %s", z, want)
	z, scaled = c.run(t, nil, WithScaledWeights())
	require.Equal(t, scales, scaled)
	if !scales {
		require.True(t, graph.Equal(want, z), "left as it is: %s, want %s", z, want)
		return
	}
	RequireClose(t, "z", want, z)
	again, _ := c.run(t, nil, WithScaledWeights(), With(graph.WithDebug(graph.Portable|graph.NoFusion)))
	require.True(t, graph.Equal(z, again), "other bits in another way to run")
}

// TestScaledWeightsNumbers checks for which numbers weights are scaled.
func TestScaledWeightsNumbers(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	weights := func(x float32) *graph.Tensor { return graph.Of([]float32{x, -1.3, .9, 1.1}, 2, 2, 1, 1) }
	bias := func(x float32) *graph.Tensor { return graph.Of([]float32{x, .5}) }
	for name, c := range map[string]struct {
		normCase
		scales bool
	}{
		"plain":                      {normCase{norm: plain}, true},
		"bias":                       {normCase{norm: plain, bias: bias(.9)}, true},
		"negative scale":             {normCase{norm: params(-.7, .3, -.4, 1.3)}, true},
		"scale 0":                    {normCase{norm: params(0, .3, -.4, 1.3)}, false},
		"scale 0 of weights 0":       {normCase{w: graph.Of([]float32{0, 0, 1, 1}, 2, 2, 1, 1), norm: params(0, .3, -.4, 1.3)}, false},
		"scale NaN":                  {normCase{norm: params(nan, .3, -.4, 1.3)}, false},
		"scale infinite":             {normCase{norm: params(inf, .3, -.4, 1.3)}, false},
		"scale 1e30":                 {normCase{norm: params(1e30, .3, -.4, 1.3)}, false},
		"scale 1e-30":                {normCase{norm: params(1e-30, .3, -.4, 1.3)}, false},
		"offset NaN":                 {normCase{norm: params(.7, nan, -.4, 1.3)}, false},
		"offset infinite":            {normCase{norm: params(.7, inf, -.4, 1.3)}, false},
		"offset overflows":           {normCase{norm: params(1.5e28, math.MaxFloat32, -1e21, 3e38)}, false},
		"mean NaN":                   {normCase{norm: params(.7, .3, nan, 1.3)}, false},
		"mean infinite":              {normCase{norm: params(.7, .3, inf, 1.3)}, false},
		"mean of 60 deviations":      {normCase{norm: params(.7, .3, 60, 1)}, true},
		"mean of 70 deviations":      {normCase{norm: params(.7, .3, 70, 1)}, false},
		"mean of -70 deviations":     {normCase{norm: params(.7, .3, -70, 1)}, false},
		"mean and bias cancel":       {normCase{norm: params(.7, .3, 70, 1), bias: bias(69)}, true},
		"bias of 70 deviations":      {normCase{norm: params(.7, .3, 0, 1), bias: bias(70)}, false},
		"bias NaN":                   {normCase{norm: plain, bias: bias(nan)}, false},
		"bias infinite":              {normCase{norm: plain, bias: bias(-inf)}, false},
		"variance NaN":               {normCase{norm: params(.7, .3, -.4, nan)}, false},
		"variance infinite":          {normCase{norm: params(.7, .3, -.4, inf)}, false},
		"variance negative":          {normCase{norm: params(.7, .3, -.4, -1)}, false},
		"weight 0":                   {normCase{norm: plain, w: weights(0)}, true},
		"weight infinite":            {normCase{norm: plain, w: weights(inf)}, true},
		"weight becomes infinite":    {normCase{norm: params(1e3, .3, -.4, 1), w: weights(1e37)}, false},
		"weight becomes subnormal":   {normCase{norm: params(1e-3, .3, -.4, 1), w: weights(1e-36)}, false},
		"weight becomes 0":           {normCase{norm: params(1e-8, .3, -.4, 1), w: weights(1e-38)}, false},
		"negative becomes subnormal": {normCase{norm: params(1e-3, .3, -.4, 1), w: weights(-1e-36)}, false},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, c.scales) })
	}
}

// TestScaledWeightsProducts checks whose weights are scaled.
func TestScaledWeightsProducts(t *testing.T) {
	repeated := func(n int) []*graph.Tensor {
		return mapped(plain, func(p *graph.Tensor) *graph.Tensor {
			x, err := graph.At[float32](p, 0)
			require.NoError(t, err)
			all := make([]float32, n)
			for i := range all {
				all[i] = x + float32(i)/8
			}
			return graph.Of(all)
		})
	}
	wide := mapped(plain, func(p *graph.Tensor) *graph.Tensor {
		x := make([]float64, 2)
		copy(x, floats[float32](p))
		return graph.Of(x)
	})
	for name, c := range map[string]struct {
		normCase
		scales bool
	}{
		"groups":               {normCase{attrs: attrs{"group": 2}, x: counted(1, 4, 2, 2), w: counted(6, 2, 1, 1), norm: repeated(6)}, true},
		"transposed":           {normCase{op: "ConvTranspose", x: counted(1, 4, 2, 2), w: counted(4, 3, 2, 2), norm: repeated(3)}, true},
		"transposed by groups": {normCase{op: "ConvTranspose", attrs: attrs{"group": 2}, x: counted(1, 4, 2, 2), w: counted(4, 3, 2, 2), norm: repeated(6)}, false},
		"matrix":               {normCase{op: "MatMul", x: counted(2, 4), w: counted(4, 3), norm: repeated(3)}, true},
		"stack of matrices":    {normCase{op: "MatMul", x: counted(2, 3, 4), w: counted(4, 3), norm: repeated(3)}, false},
		"gemm":                 {normCase{op: "Gemm", attrs: attrs{"alpha": 2., "beta": .5}, x: counted(2, 4), w: counted(4, 3), bias: counted(1, 3), norm: repeated(3)}, true},
		"gemm, bias by row":    {normCase{op: "Gemm", x: counted(3, 4), w: counted(4, 3), bias: counted(3, 1), norm: repeated(3)}, false},
		"float64": {normCase{x: graph.Of([]float64{.1, .2, .3, .4}, 1, 2, 2, 1), w: graph.Of([]float64{.7, -1.3, .9, 1.1}, 2, 2, 1, 1),
			norm: wide}, true},
	} {
		t.Run(name, func(t *testing.T) { c.check(t, c.scales) })
	}
}

// TestScaledWeightsReaders checks that weights are scaled only if nothing else reads the product, and it
// is made beside the normalization.
func TestScaledWeightsReaders(t *testing.T) {
	trips := func(m *model, body *subgraph, outputs ...string) *node {
		m.body.constants["trips"] = graph.ScalarOf(int64(2))
		body.inputs = []port{{name: "i"}, {name: "on"}}
		body.outputs = append([]string{"on"}, body.outputs...)
		return &node{op: "Loop", inputs: []string{"trips"}, attrs: attrs{"body": body}, outputs: outputs}
	}
	negated := &node{op: "Neg", inputs: []string{"y"}, outputs: []string{"n"}}
	for name, c := range map[string]struct {
		scales bool
		edit   func(m *model)
	}{
		"alone":  {true, nil},
		"output": {false, func(m *model) { m.body.outputs = append(m.body.outputs, "y") }},
		"read": {false, func(m *model) {
			m.body.nodes, m.body.outputs = append(m.body.nodes, negated), append(m.body.outputs, "n")
		}},
		"normalized twice": {false, func(m *model) {
			m.body.nodes, m.body.outputs = append(m.body.nodes, normOf("y", "z2")), append(m.body.outputs, "z2")
		}},
		"identity": {false, func(m *model) {
			m.body.nodes = []*node{m.body.nodes[0], {op: "Identity", inputs: []string{"y"}, outputs: []string{"same"}}, normOf("same", "z")}
		}},
		"identity of what is read": {false, func(m *model) {
			m.body.nodes = []*node{m.body.nodes[0], {op: "Identity", inputs: []string{"y"}, outputs: []string{"same"}}, normOf("same", "z"), negated}
			m.body.outputs = append(m.body.outputs, "n")
		}},
		"read in a loop": {false, func(m *model) {
			m.body.nodes = append(m.body.nodes, trips(m, &subgraph{nodes: []*node{negated}, outputs: []string{"n"}}, "all"))
			m.body.outputs = append(m.body.outputs, "all")
		}},
		"output of a loop's body": {false, func(m *model) {
			m.body.nodes = append(m.body.nodes, trips(m, &subgraph{outputs: []string{"y"}}, "all"))
			m.body.outputs = append(m.body.outputs, "all")
		}},
		"normalized in a loop": {false, func(m *model) {
			m.body.nodes[1] = trips(m, &subgraph{nodes: []*node{normOf("y", "norm")}, outputs: []string{"norm"}}, "z")
		}},
		"normalized in a loop and read outside": {false, func(m *model) {
			m.body.nodes[1] = trips(m, &subgraph{nodes: []*node{normOf("y", "norm")}, outputs: []string{"norm"}}, "z")
			m.body.nodes, m.body.outputs = append(m.body.nodes, negated), append(m.body.outputs, "n")
		}},
		"all in a loop": {true, func(m *model) {
			m.body.nodes = []*node{trips(m, &subgraph{nodes: m.body.nodes, outputs: []string{"z"}}, "z")}
		}},
		"all in a loop that returns the product": {false, func(m *model) {
			m.body.nodes = []*node{trips(m, &subgraph{nodes: m.body.nodes, outputs: []string{"z", "y"}}, "z", "all")}
			m.body.outputs = append(m.body.outputs, "all")
		}},
		"function": {false, func(m *model) {
			names := []string{"x", "w", "s", "o", "m", "v"}
			m.functions = map[string]*function{key("local", "Block", ""): {inputs: names, opset: 18, body: &subgraph{nodes: m.body.nodes, outputs: []string{"z"}}}}
			m.body.nodes = []*node{{domain: "local", op: "Block", inputs: names, outputs: []string{"z"}}}
		}},
		"training": {false, func(m *model) { m.body.nodes[1].attrs = attrs{"training_mode": 1} }},
		"given scale": {false, func(m *model) {
			delete(m.body.constants, "s")
			m.body.nodes = append([]*node{{op: "ReduceMax", inputs: []string{"x", "axes"}, attrs: attrs{"keepdims": 0}, outputs: []string{"s"}}}, m.body.nodes...)
			m.body.constants["axes"] = int64s(0, 2, 3)
		}},
		"given weights": {false, func(m *model) {
			m.body.inputs[0].name, m.body.nodes[0].inputs = "x", []string{"x", "w2"}
			delete(m.body.constants, "w")
			m.body.constants["axes"] = int64s(0)
			m.body.nodes = append([]*node{{op: "ReduceMean", inputs: []string{"x", "axes"}, outputs: []string{"one"}}, {op: "Concat", attrs: attrs{"axis": 0},
				inputs: []string{"one", "one"}, outputs: []string{"w2"}}}, m.body.nodes...)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			want, scaled := normCase{norm: plain}.run(t, c.edit)
			require.False(t, scaled)
			z, scaled := normCase{norm: plain}.run(t, c.edit, WithScaledWeights())
			require.Equal(t, c.scales, scaled)
			RequireClose(t, "z", want, z)
			require.True(t, c.scales || graph.Equal(want, z), "left as it is: %s, want %s", z, want)
		})
	}
}

// TestScaledWeightsTypes checks that parameters of another type than the product are as much a mistake with the
// option as without.
func TestScaledWeightsTypes(t *testing.T) {
	wide := mapped(plain, func(p *graph.Tensor) *graph.Tensor { return graph.Of(floats[float32](p)) })
	m, _ := normCase{norm: wide}.model(nil)
	for _, options := range [][]Option{nil, {WithScaledWeights()}} {
		_, err := compile(m, newSettings(options))
		require.ErrorContains(t, err, "dtypes float32 and float64 differ")
	}
}

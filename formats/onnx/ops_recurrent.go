package onnx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Recurrent layers: each step of a sequence computes states from the states before. The products of all steps with the
// input are computed before as one product. Up to unrolledSteps steps become parts of the graph, as iterations of Loop do;
// more steps, or a number that is not known at load, are a loop of runs of one program (ops_steps.go). ops_cells.go has the
// computation of a step.

var recurrents = []operator{
	{"GRU", 1, 2, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"output_sequence": 0}), gru},
	{"GRU", 3, 6, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"output_sequence": 0, "linear_before_reset": 0}), gru},
	{"GRU", 7, 13, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"linear_before_reset": 0}), gru},
	{"GRU", 14, latest, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"linear_before_reset": 0, "layout": 0}), gru},
	{"LSTM", 1, 6, 3, 8, ir.Floats, with(recurrentAttrs, attrs{"output_sequence": 0, "input_forget": 0}), lstm},
	{"LSTM", 7, 13, 3, 8, ir.Floats, with(recurrentAttrs, attrs{"input_forget": 0}), lstm},
	{"LSTM", 14, latest, 3, 8, ir.Floats, with(recurrentAttrs, attrs{"input_forget": 0, "layout": 0}), lstm},
	{"RNN", 1, 6, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"output_sequence": 0, "activations": []string{"Tanh", "Tanh"}}), rnn},
	{"RNN", 7, 13, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"activations": []string{"Tanh", "Tanh"}}), rnn},
	{"RNN", 14, latest, 3, 6, ir.Floats, with(recurrentAttrs, attrs{"layout": 0, "activations": []string{"Tanh", "Tanh"}}), rnn},
}

var recurrentAttrs = attrs{
	"activations": unset{[]string{}}, "activation_alpha": []float64{}, "activation_beta": []float64{},
	"clip": unset{0.}, "direction": "forward", "hidden_size": unset{0},
}

// cell describes the computation of a layer.
type cell struct {
	gates, states int
	functions     []string // default activations
	sizeAxis      int      // the axis of input 2 that counts states
	weights       func(c *call, d int) weights
	step          func(l *layer, x graph.Node, states []graph.Node) []graph.Node
}

// layer is a layer in one direction.
type layer struct {
	cell
	size      int                                           // number of states
	inputs    graph.Node                                    // products with the input, plus bias: [steps, batch, gates*size]
	times     func(h graph.Node, begin, end int) graph.Node // product with columns of the weights of the states, [size, gates*size]
	bias      graph.Node                                    // bias of those products, [gates*size]
	peepholes []graph.Node                                  // peepholes of the gates, or none
	f         []func(x graph.Node) graph.Node               // activations
	linear    bool                                          // linear_before_reset
	coupled   bool                                          // input_forget
}

// weights multiply the input and the states in one direction.
type weights struct {
	input  func(x graph.Node) graph.Node
	states func(h graph.Node, begin, end int) graph.Node
}

// floatWeights are the weights of inputs 1 and 2, [directions, gates*size, n].
func (c *call) floatWeights(d int) weights {
	w, r := c.x(1).Index(0, d).T(), c.x(2).Index(0, d).T()
	return weights{
		input:  func(x graph.Node) graph.Node { return x.MatMul(w) },
		states: func(h graph.Node, begin, end int) graph.Node { return h.MatMul(r.SliceAxis(-1, begin, end, 1)) },
	}
}

// unrolledSteps is the most steps that become parts of the graph.
const unrolledSteps = 8

// stepNodes is the number of nodes that a step counts as.
const stepNodes = 8

// directions says for each direction whether it goes from the last step to the first.
var directions = map[string][]bool{"forward": {false}, "reverse": {true}, "bidirectional": {false, true}}

// recurrent returns the first state after each step, and the last states of each kind. A shorter sequence of the batch
// keeps its states from its end on, and its results there are 0.
func (c *call) recurrent(of cell) []value {
	backward, x := directions[c.text("direction")], c.x(0)
	if backward == nil {
		return c.fail("direction %q: it must be forward, reverse or bidirectional", c.text("direction"))
	}
	batched := c.op.since >= 14 && c.flag("layout")
	if batched {
		x = x.SwapAxes(0, 1)
	}
	size, known := c.x(2).Shape()[of.sizeAxis].Int()
	if !known || size < 1 || !c.x(2).Shape()[0].Is(len(backward)) {
		return c.fail("weights of shape %s for %d directions", c.x(2).Shape(), len(backward))
	}
	functions := c.activations(of.functions, len(backward))
	if c.err != nil {
		return nil
	}
	var ys []graph.Node
	finals := make([][]graph.Node, of.states)
	for d, back := range backward {
		y, last := c.direction(of, functions[d], x, d, size, back, batched)
		if c.err != nil {
			return nil
		}
		ys = append(ys, y)
		for k := range last {
			finals[k] = append(finals[k], last[k])
		}
	}
	y := graph.Stack(1, ys...)
	if batched {
		y = y.Permute(2, 0, 1, 3)
	}
	out := []value{{kind: computed, node: y, stage: c.after}}
	for _, of := range finals {
		axis := 0
		if batched {
			axis = 1
		}
		out = append(out, value{kind: computed, node: graph.Stack(axis, of...), stage: c.after})
	}
	return out
}

// direction computes a direction.
func (c *call) direction(of cell, f []func(graph.Node) graph.Node, x graph.Node, d, size int, back, batched bool) (y graph.Node, last []graph.Node) {
	first := c.initial(x, of.states, d, size, batched)
	steps, fixed := x.Shape()[0].Int()
	if !fixed || steps > unrolledSteps {
		return c.looped(of, f, x, d, size, back, first)
	}
	if c.spend(steps * stepNodes); c.err != nil {
		return y, nil
	}
	l := c.layer(of, x, d, size)
	l.f = f
	return l.run(steps, back, first, c.lengths())
}

// layer reads the weights of a direction.
func (c *call) layer(of cell, x graph.Node, d, size int) *layer {
	w := of.weights(c, d)
	l := &layer{cell: of, size: size, times: w.states, inputs: w.input(x)}
	n := of.gates * size
	l.bias = graph.Fill(x.DType(), 0, n)
	if c.has(3) {
		b := c.x(3).Index(0, d)
		l.inputs, l.bias = l.inputs.Add(b.SliceAxis(0, 0, n, 1)), b.SliceAxis(0, n, 2*n, 1)
	}
	if c.has(7) {
		for k := range 3 {
			l.peepholes = append(l.peepholes, c.x(7).Index(0, d).SliceAxis(0, k*size, (k+1)*size, 1))
		}
	}
	l.linear = optional[int](c, "linear_before_reset") != 0
	l.coupled = optional[int](c, "input_forget") != 0
	return l
}

// initial returns the states before the first step.
func (c *call) initial(x graph.Node, n, d, size int, batched bool) []graph.Node {
	axis := 0
	if batched {
		axis = 1
	}
	states := make([]graph.Node, n)
	for k := range states {
		if states[k] = graph.Fill(x.DType(), 0, x.Shape()[1], size); c.has(5 + k) {
			states[k] = c.x(5+k).Index(axis, d)
		}
	}
	return states
}

// lengths returns the length of each sequence, [batch, 1], or nil if all have full length.
func (c *call) lengths() *graph.Node {
	if !c.has(4) {
		return nil
	}
	n := c.x(4).Unsqueeze(-1)
	return &n
}

// run computes all steps. It returns the first state after each step, and all states after the last step.
func (l *layer) run(steps int, back bool, states []graph.Node, lengths *graph.Node) (y graph.Node, last []graph.Node) {
	if steps == 0 {
		return l.inputs.SliceAxis(-1, 0, l.size, 1), states
	}
	ys := make([]graph.Node, steps)
	for i := range steps {
		t := i
		if back {
			t = steps - 1 - i
		}
		ys[t], states = l.at(l.inputs.Index(0, t), states, lengths, t)
	}
	return graph.Stack(0, ys...), states
}

// at computes step t, a number or a Node. It returns the result and the states.
func (l *layer) at(x graph.Node, states []graph.Node, lengths *graph.Node, t any) (y graph.Node, next []graph.Node) {
	next = l.step(l, x, states)
	y = next[0]
	if lengths != nil {
		on := lengths.Gt(t)
		y = graph.Where(on, y, 0)
		for k := range next {
			next[k] = graph.Where(on, next[k], states[k])
		}
	}
	return y, next
}

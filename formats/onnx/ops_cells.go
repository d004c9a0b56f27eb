package onnx

import (
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// The steps of recurrent layers and their activations.

func rnn(c *call) []value {
	return c.recurrent(cell{gates: 1, states: 1, functions: []string{"Tanh"}, step: rnnStep, sizeAxis: 2, weights: (*call).floatWeights})
}

func gru(c *call) []value {
	return c.recurrent(cell{gates: 3, states: 1, functions: []string{"Sigmoid", "Tanh"}, step: gruStep, sizeAxis: 2, weights: (*call).floatWeights})
}

func lstm(c *call) []value {
	return c.recurrent(lstmCell)
}

var lstmCell = cell{gates: 4, states: 2, functions: []string{"Sigmoid", "Tanh", "Tanh"}, step: lstmStep, sizeAxis: 2, weights: (*call).floatWeights}

// product returns the products of states with the weights of some gates, plus their bias.
func (l *layer) product(h graph.Node, first, end int) graph.Node {
	begin, stop := first*l.size, end*l.size
	return l.times(h, begin, stop).Add(l.bias.SliceAxis(0, begin, stop, 1))
}

// gate returns the elements of one gate.
func (l *layer) gate(y graph.Node, k int) graph.Node {
	return y.SliceAxis(-1, k*l.size, (k+1)*l.size, 1)
}

func rnnStep(l *layer, x graph.Node, states []graph.Node) []graph.Node {
	return []graph.Node{l.f[0](x.Add(l.product(states[0], 0, 1)))}
}

// gruStep computes a step with the gates z (update), r (reset) and h (hidden).
func gruStep(l *layer, x graph.Node, states []graph.Node) []graph.Node {
	h := states[0]
	zr := l.f[0](x.SliceAxis(-1, 0, 2*l.size, 1).Add(l.product(h, 0, 2)))
	z, r := l.gate(zr, 0), l.gate(zr, 1)
	var hidden graph.Node
	if l.linear {
		hidden = r.Mul(l.product(h, 2, 3))
	} else {
		hidden = l.product(r.Mul(h), 2, 3)
	}
	next := l.f[1](l.gate(x, 2).Add(hidden))
	return []graph.Node{z.Scalar(1).Sub(z).Mul(next).Add(z.Mul(h))}
}

// lstmStep computes a step with the gates i (input), o (output), f (forget) and c (cell), and peepholes of the first
// three. The second state is the cell's.
func lstmStep(l *layer, x graph.Node, states []graph.Node) []graph.Node {
	before := states[1]
	gates := x.Add(l.product(states[0], 0, 4))
	open := func(k int, cell graph.Node) graph.Node {
		y := l.gate(gates, k)
		if l.peepholes != nil {
			y = y.Add(l.peepholes[k].Mul(cell))
		}
		return l.f[0](y)
	}
	in := open(0, before)
	forget := in.Scalar(1).Sub(in)
	if !l.coupled {
		forget = open(2, before)
	}
	c := forget.Mul(before).Add(in.Mul(l.f[1](l.gate(gates, 3))))
	return []graph.Node{open(1, c).Mul(l.f[2](c)), c}
}

// activation is a function of gates with up to two parameters.
type activation struct {
	numbers     int
	alpha, beta float64 // default parameters
	of          func(x graph.Node, alpha, beta float64) graph.Node
}

// gateFunctions maps lower-case names to activations.
var gateFunctions = map[string]activation{
	"affine":      {2, 1, 0, func(x graph.Node, alpha, beta float64) graph.Node { return x.Mul(alpha).Add(beta) }},
	"elu":         {1, 1, 0, func(x graph.Node, alpha, _ float64) graph.Node { return x.ELU(alpha) }},
	"hardsigmoid": {2, exactly(0.2), 0.5, func(x graph.Node, alpha, beta float64) graph.Node { return x.HardSigmoid(alpha, beta) }},
	"leakyrelu":   {1, exactly(0.01), 0, func(x graph.Node, alpha, _ float64) graph.Node { return x.LeakyReLU(alpha) }},
	"relu":        {0, 0, 0, func(x graph.Node, _, _ float64) graph.Node { return x.Maximum(0) }},
	"scaledtanh":  {2, 1, 1, func(x graph.Node, alpha, beta float64) graph.Node { return x.Mul(beta).Tanh().Mul(alpha) }},
	"sigmoid":     {0, 0, 0, func(x graph.Node, _, _ float64) graph.Node { return x.Sigmoid() }},
	"softplus":    {0, 0, 0, func(x graph.Node, _, _ float64) graph.Node { return x.Softplus() }},
	"softsign":    {0, 0, 0, func(x graph.Node, _, _ float64) graph.Node { return x.Softsign() }},
	"tanh":        {0, 0, 0, func(x graph.Node, _, _ float64) graph.Node { return x.Tanh() }},
	"thresholdedrelu": {1, 1, 0, func(x graph.Node, alpha, _ float64) graph.Node {
		return graph.Where(x.Ge(alpha), x, 0)
	}},
}

// activations returns the functions of each direction. Functions with parameters take them in order from the
// attributes. With the attribute clip their operands are clipped, except that of the third function, the state of
// cells, as in onnxruntime.
func (c *call) activations(usual []string, directions int) [][]func(graph.Node) graph.Node {
	names, ok := attr[[]string](c, "activations")
	if !ok {
		for range directions {
			names = append(names, usual...)
		}
	}
	if len(names) < directions*len(usual) {
		c.fail("activations %q: there must be %d for each of %d directions", names, len(usual), directions)
		return nil
	}
	alphas, betas := need[[]float64](c, "activation_alpha"), need[[]float64](c, "activation_beta")
	limit, clips := attr[float64](c, "clip")
	out := make([][]func(graph.Node) graph.Node, directions)
	for i, name := range names[:directions*len(usual)] {
		f, ok := gateFunctions[strings.ToLower(name)]
		if !ok {
			c.fail("activation %q is not known", name)
			return nil
		}
		if f.numbers > 0 && len(alphas) > 0 {
			f.alpha, alphas = alphas[0], alphas[1:]
		}
		if f.numbers > 1 && len(betas) > 0 {
			f.beta, betas = betas[0], betas[1:]
		}
		out[i/len(usual)] = append(out[i/len(usual)], func(x graph.Node) graph.Node {
			if clips && i%len(usual) < 2 {
				x = x.Clip(-limit, limit)
			}
			return f.of(x, f.alpha, f.beta)
		})
	}
	return out
}

package formula

import "github.com/stridefuse/stridefuse/graph"

// Unseen has formulas for which no built-in kernels were made, on vectors of n elements of their type. They measure the
// cost of tilings (docs/speed.md). A few have a built-in kernel by chance, such as leaky ReLU and lerp.
var Unseen = []struct {
	Name  string
	DType graph.DType
	Of    func(x []graph.Node) graph.Node
	Ins   int
}{
	{"sgd-decay", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Mul(0.9999).Sub(x[1].Mul(0.01)) }, 2},
	{"adam", graph.Float32, func(x []graph.Node) graph.Node {
		m, v := x[1].Mul(0.9).Add(x[0].Mul(0.1)), x[2].Mul(0.999).Add(x[0].Square().Mul(0.001))
		return x[3].Sub(m.Mul(0.001).Div(v.Sqrt().Add(1e-8)))
	}, 4},
	{"huber", graph.Float32, func(x []graph.Node) graph.Node {
		d := x[0].Sub(x[1]).Abs()
		return graph.Where(d.Lt(1), d.Square().Mul(0.5), d.Sub(0.5))
	}, 2},
	{"leaky", graph.Float32, func(x []graph.Node) graph.Node { return graph.Where(x[0].Gt(0), x[0], x[0].Mul(0.01)) }, 1},
	{"hard-swish", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Mul(x[0].Add(3).Clip(0, 6)).Mul(1.0 / 6) }, 1},
	{"smoothstep", graph.Float32, func(x []graph.Node) graph.Node {
		t := x[0].Sub(0.2).Mul(1.6).Clip(0, 1)
		return t.Square().Mul(t.Mul(-2).Add(3))
	}, 1},
	{"lerp", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Add(x[1].Sub(x[0]).Mul(x[2])) }, 3},
	{"luminance", graph.Float32, func(x []graph.Node) graph.Node {
		return x[0].Mul(0.2126).Add(x[1].Mul(0.7152)).Add(x[2].Mul(0.0722))
	}, 3},
	{"over", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Mul(x[2]).Add(x[1].Mul(x[2].Mul(-1).Add(1))) }, 3},
	{"complex-mul-abs", graph.Float32, func(x []graph.Node) graph.Node {
		re, im := x[0].Mul(x[2]).Sub(x[1].Mul(x[3])), x[0].Mul(x[3]).Add(x[1].Mul(x[2]))
		return re.Square().Add(im.Square()).Sqrt()
	}, 4},
	{"horner5", graph.Float32, func(x []graph.Node) graph.Node {
		p := x[0].Mul(0.1).Add(0.2)
		for _, c := range []float64{0.3, 0.4, 0.5, 0.6} {
			p = p.Mul(x[0]).Add(c)
		}
		return p
	}, 1},
	{"zscore-clip", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Sub(x[1]).Div(x[2].Add(0.1)).Clip(-3, 3) }, 3},
	{"in-range", graph.Float32, func(x []graph.Node) graph.Node {
		return graph.Where(x[0].Gt(0.2).And(x[0].Lt(0.8)), x[0], 0)
	}, 1},
	{"count-three", graph.Float32, func(x []graph.Node) graph.Node {
		y := x[0].Gt(0.1).Cast(graph.Float32)
		return y.Add(x[0].Gt(0.4).Cast(graph.Float32)).Add(x[0].Gt(0.7).Cast(graph.Float32))
	}, 1},
	{"haversine-part", graph.Float32, func(x []graph.Node) graph.Node {
		s, u := x[0].Sub(x[1]).Mul(0.5).Sin(), x[2].Mul(0.5).Sin()
		return s.Square().Add(x[0].Cos().Mul(x[1].Cos()).Mul(u.Square()))
	}, 3},
	{"stencil-f64", graph.Float64, func(x []graph.Node) graph.Node {
		return x[0].Add(x[1]).Add(x[2]).Add(x[3]).Sub(x[4].Mul(4)).Mul(0.1).Add(x[4])
	}, 5},
	{"wave-f64", graph.Float64, func(x []graph.Node) graph.Node {
		return x[0].Mul(2).Sub(x[1]).Add(x[2].Sub(x[0].Mul(2)).Add(x[3]).Mul(0.25))
	}, 4},
	{"lennard-jones-f64", graph.Float64, func(x []graph.Node) graph.Node {
		s := x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Reciprocal()
		s6 := s.Mul(s).Mul(s)
		return s6.Mul(s6).Sub(s6).Mul(4)
	}, 3},
	{"quadratic-f64", graph.Float64, func(x []graph.Node) graph.Node {
		return x[1].Square().Sub(x[0].Mul(x[2]).Mul(4)).Maximum(0).Sqrt().Sub(x[1]).Div(x[0].Mul(2))
	}, 3},
	{"bytes-mix", graph.Uint8, func(x []graph.Node) graph.Node {
		return x[0].Cast(graph.Float32).Mul(0.7).Add(x[1].Cast(graph.Float32).Mul(0.3)).Cast(graph.Uint8)
	}, 2},
	{"contrast-bytes", graph.Uint8, func(x []graph.Node) graph.Node {
		return x[0].Cast(graph.Float32).Sub(128).Mul(1.2).Add(138).Clip(0, 255).Cast(graph.Uint8)
	}, 1},
	{"sharpen-bytes", graph.Uint8, func(x []graph.Node) graph.Node {
		a, b := x[0].Cast(graph.Float32), x[1].Cast(graph.Float32)
		return a.Add(a.Sub(b).Mul(0.6)).Clip(0, 255).Cast(graph.Uint8)
	}, 2},
	{"gated-f16", graph.Float16, func(x []graph.Node) graph.Node { return x[0].SiLU().Mul(x[1]) }, 2},
	{"residual-bf16", graph.BFloat16, func(x []graph.Node) graph.Node { return x[1].Mul(0.5).Add(x[0]).Mul(x[2]).Add(x[3]) }, 4},
	{"hash-i32", graph.Int32, func(x []graph.Node) graph.Node {
		h := x[0].Xor(x[0].Shr(16)).Mul(0x7feb352d)
		return h.Xor(h.Shr(15)).Mul(0x68bc21eb)
	}, 1},
	{"mix-i32", graph.Int32, func(x []graph.Node) graph.Node {
		return x[0].Mul(x[2].Mul(-1).Add(256)).Add(x[1].Mul(x[2])).Add(128).Shr(8)
	}, 3},
	{"outlier-mask", graph.Float32, func(x []graph.Node) graph.Node {
		return graph.Where(x[0].Sub(x[1]).Abs().Gt(x[2].Mul(3)).Or(x[0].IsNaN()), x[1], x[0])
	}, 3},
	{"lion", graph.Float32, func(x []graph.Node) graph.Node {
		return x[2].Sub(x[1].Mul(0.9).Add(x[0].Mul(0.1)).Sign().Add(x[2].Mul(0.01)).Mul(1e-4))
	}, 3},
	{"rmsprop-centered", graph.Float32, func(x []graph.Node) graph.Node {
		return x[3].Sub(x[0].Mul(0.001).Div(x[1].Sub(x[2].Square()).Add(1e-8).Sqrt()))
	}, 4},
	{"spring-f64", graph.Float64, func(x []graph.Node) graph.Node {
		force := x[0].Sub(x[1]).Mul(-40).Sub(x[2].Mul(0.3))
		return x[0].Add(x[2].Add(force.Div(x[3]).Mul(0.01)).Mul(0.01))
	}, 4},
	{"gravity", graph.Float32, func(x []graph.Node) graph.Node {
		r := x[0].Square().Add(x[1].Square()).Add(x[2].Square()).Add(0.01)
		return x[0].Mul(x[3]).Div(r.Mul(r.Sqrt()))
	}, 4},
	{"van-der-waals", graph.Float32, func(x []graph.Node) graph.Node {
		n, t, v := x[0], x[1], x[2]
		return n.Mul(8.314).Mul(t).Div(v.Sub(n.Mul(0.04))).Sub(n.Square().Mul(1.4).Div(v.Square()))
	}, 3},
	{"hamming", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Mul(x[1].Mul(6.28).Cos().Mul(-0.46).Add(0.54)) }, 2},
	{"tone-map", graph.Float32, func(x []graph.Node) graph.Node { return x[0].Mul(x[0].Div(16).Add(1)).Div(x[0].Add(1)) }, 1},
	{"logistic-f64", graph.Float64, func(x []graph.Node) graph.Node {
		return x[0].Add(x[0].Mul(x[1]).Mul(x[0].Div(x[2]).Mul(-1).Add(1)).Mul(0.01))
	}, 3},
	{"cross-entropy", graph.Float32, func(x []graph.Node) graph.Node {
		return x[0].Maximum(0).Sub(x[0].Mul(x[1])).Add(x[0].Abs().Neg().Exp().Log1p())
	}, 2},
	{"nesterov", graph.Float32, func(x []graph.Node) graph.Node {
		v := x[1].Mul(0.9).Sub(x[0].Mul(0.01))
		return x[2].Add(v.Mul(0.9)).Sub(x[0].Mul(0.01))
	}, 3},
	{"composite-bytes", graph.Uint8, func(x []graph.Node) graph.Node {
		a, b, alpha := x[0].Cast(graph.Uint16), x[1].Cast(graph.Uint16), x[2].Cast(graph.Uint16)
		return a.Mul(alpha).Add(b.Mul(alpha.Xor(255))).Add(128).Shr(8).Cast(graph.Uint8)
	}, 3},
	{"manhattan-i32", graph.Int32, func(x []graph.Node) graph.Node {
		return x[0].Sub(x[1]).Abs().Add(x[2].Sub(x[3]).Abs()).Minimum(100)
	}, 4},
	{"scale-bf16", graph.BFloat16, func(x []graph.Node) graph.Node { return x[0].Mul(x[1]).Add(x[2]).Maximum(0) }, 3},
	{"relativity-f64", graph.Float64, func(x []graph.Node) graph.Node {
		v := x[0].Square().Add(x[1].Square()).Add(x[2].Square())
		return x[3].Div(v.Mul(0.1).Neg().Add(1).Sqrt())
	}, 4},
	{"soft-threshold", graph.Float32, func(x []graph.Node) graph.Node {
		return x[0].Sign().Mul(x[0].Abs().Sub(x[1]).Maximum(0))
	}, 2},
}

// unseen returns the graphs of Unseen.
func unseen() (graphs []graph.Node) {
	for i := range Unseen {
		graphs = append(graphs, UnseenGraph(i))
	}
	return graphs
}

// UnseenGraph returns formula i of Unseen on inputs of n elements.
func UnseenGraph(i int) graph.Node {
	f := &Unseen[i]
	in := make([]graph.Node, f.Ins)
	for k := range in {
		in[k] = graph.Input(string(rune('a'+k)), f.DType, graph.Dim("n"))
	}
	return f.Of(in)
}

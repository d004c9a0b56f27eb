// Package formula has the graphs that the benchmark program measures. They are a separate package so that kernels can
// be generated for them.
package formula

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels

// Add is c = a + b.
func Add() graph.Node {
	in := vectors("a", "b")
	return in[0].Add(in[1])
}

// Chain5 is y = (a*b + c)*a - b/(abs(c) + 1).
func Chain5() graph.Node {
	in := vectors("a", "b", "c")
	a, b, c := in[0], in[1], in[2]
	return a.Mul(b).Add(c).Mul(a).Sub(b.Div(c.Abs().Add(1)))
}

// The interest rate and the volatility in BlackScholes.
const rate, volatility = 0.05, 0.3

// BlackScholes is the price of European calls from the spot price, the strike price and the years to expiry.
func BlackScholes() graph.Node {
	in := vectors("spot", "strike", "years")
	spot, strike, years := in[0], in[1], in[2]
	width := years.Sqrt().Mul(volatility)
	d1 := spot.Div(strike).Log().Add(years.Mul(rate + volatility*volatility/2)).Div(width)
	d2 := d1.Sub(width)
	return spot.Mul(normal(d1)).Sub(strike.Mul(years.Mul(-rate).Exp()).Mul(normal(d2)))
}

// normal is the standard normal distribution at x.
func normal(x graph.Node) graph.Node { return x.Mul(1 / math.Sqrt2).Erf().Mul(0.5).Add(0.5) }

// vectors returns inputs of one common size n.
func vectors(names ...string) []graph.Node {
	in := make([]graph.Node, len(names))
	for i, name := range names {
		in[i] = graph.Input(name, graph.Float32, graph.Dim("n"))
	}
	return in
}

// Graphs returns the programs to generate kernels for.
func Graphs() ([]*graph.Program, error) {
	full := []graph.Node{
		Add(), Chain5(), BlackScholes(),
		Scaled(256), Scaled(4096), Outer(256), Outer(4096),
		Transposed(256), Transposed(4096), Strided(256), Strided(4096),
		Dense(1024), Image(2160, 3840), Distances(2048, 64), Mandelbrot(2048),
	}
	full = append(append(full, unseen()...), dtypes()...)
	var programs []*graph.Program
	for _, y := range full {
		for _, options := range [][]graph.Item{{y}, {y, graph.WithFast()}} {
			p, err := graph.Compile(options...)
			if err != nil {
				return nil, err
			}
			programs = append(programs, p)
		}
	}
	return programs, nil
}

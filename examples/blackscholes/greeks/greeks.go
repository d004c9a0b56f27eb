// Package greeks is the graph behind the blackscholes example: the prices of European options and their sensitivities.
package greeks

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

//go:generate go run github.com/stridefuse/stridefuse/cmd/genkernels

// Names are the outputs of Program, in order.
var Names = []string{"price", "delta", "gamma", "vega", "theta", "rho"}

// Program compiles the Black-Scholes formulas for a chain: n options of one kind on one underlying. All inputs are
// float64. One element each: the spot price, the yearly interest rate (0.05 is five percent) and the kind, 1 for calls
// and -1 for puts. Vectors [n]: the strike prices, the years to expiry and the yearly volatilities. The outputs [n] are
// the price and its derivatives: delta and gamma in the spot price, vega in the volatility, theta in time (years), rho
// in the rate. One loop computes them all.
func Program(opts ...graph.Item) (*graph.Program, error) {
	spot, rate, kind := graph.Input("spot", graph.Float64), graph.Input("rate", graph.Float64), graph.Input("kind", graph.Float64)
	column := func(name string) graph.Node { return graph.Input(name, graph.Float64, graph.Dim("n")) }
	strike, years, vol := column("strike"), column("years"), column("vol")

	root := years.Sqrt()
	width := vol.Mul(root)
	drift := rate.Add(vol.Square().Mul(0.5)).Mul(years)
	d1 := spot.Div(strike).Log().Add(drift).Div(width)
	d2 := d1.Sub(width)

	// What the holder receives and pays, each times its probability.
	gets := kind.Mul(normal(kind.Mul(d1)))
	pays := kind.Mul(normal(kind.Mul(d2))).Mul(strike).Mul(rate.Neg().Mul(years).Exp())
	density := d1.Square().Mul(-0.5).Exp().Mul(1 / math.Sqrt(2*math.Pi))

	price := spot.Mul(gets).Sub(pays)
	gamma := density.Div(spot.Mul(width))
	vega := spot.Mul(density).Mul(root)
	theta := vega.Mul(vol).Div(years.Mul(-2)).Sub(rate.Mul(pays))
	rho := years.Mul(pays)
	return graph.Compile(append(opts, price, gets, gamma, vega, theta, rho, graph.WithName("blackscholes"))...)
}

// normal returns the standard normal distribution at x. It uses erfc, which keeps its digits far out, where 1 + erf
// would lose them.
func normal(x graph.Node) graph.Node { return x.Mul(-1 / math.Sqrt2).Erfc().Mul(0.5) }

// Graphs returns the programs to generate kernels for.
func Graphs() ([]*graph.Program, error) {
	p, err := Program()
	return []*graph.Program{p}, err
}

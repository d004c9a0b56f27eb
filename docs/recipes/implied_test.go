package recipes_test

import (
	"context"
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Volatilities from prices of options: Newton's method with the price's derivative by graph.Grad, for all strikes at
// once. No formula of a sensitivity is written by hand.
func Example_implied() {
	const spot, rate, years = 100.0, 0.03, 0.5
	n := graph.Dim("n")
	vol, strike, quote := graph.Input("vol", graph.Float64, n), graph.Input("strike", graph.Float64, n), graph.Input("quote", graph.Float64, n)
	width := vol.Mul(math.Sqrt(years))
	d := strike.Mul(1 / spot).Log().Neg().Add(rate * years).Div(width).Add(width.Mul(0.5))
	normal := func(x graph.Node) graph.Node { return x.Mul(-1 / math.Sqrt2).Erfc().Mul(0.5) }
	price := normal(d).Mul(spot).Sub(strike.Mul(math.Exp(-rate * years)).Mul(normal(d.Sub(width))))
	vega := graph.Grad(price, vol)[0] // the gradient of the sum: each price depends on its own volatility
	better := vol.Sub(price.Sub(quote).Div(vega))
	p, err := graph.Compile(better, vega, graph.WithInputs(vol, strike, quote))
	check(err)

	strikes, quotes := graph.Of([]float64{80, 90, 100, 110, 120}), graph.Of([]float64{22.89, 14.88, 8.26, 3.68, 1.34})
	found := []*graph.Tensor{graph.Full(graph.Float64, 0.3, 5), nil}
	for range 6 {
		found, err = p.RunAll(context.Background(), found[0], strikes, quotes)
		check(err)
	}
	fmt.Println(found[0], found[1])
	// Output:
	// float64[5]
	// [0.33315172 0.29996855 0.26798412 0.24168777 0.22713816] float64[5]
	// [14.91968709 22.48520212 27.78611862 26.19965872 17.76872035]
}

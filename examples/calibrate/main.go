// Calibrate fits the SABR model of volatilities to prices of options and prints sensitivities. The graph has the
// formula of the price and no other: Jacobians and sensitivities are its derivatives, by graph.JVP and graph.Grad.
//
// It prints the parameters of each expiry with their standard errors. Then, for one expiry, the sensitivities of Black
// and Scholes as graph.Grad finds them, their greatest differences from the hand-written ones of examples/blackscholes,
// and the sensitivities of the calibrated model, for which nobody has written formulas by hand.
//
//	go run ./examples/calibrate
package main

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/stridefuse/stridefuse/examples/blackscholes/greeks"
	"github.com/stridefuse/stridefuse/examples/internal/least"
	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

//go:embed quotes.csv
var quotes string // calls of four expiries, made up by quotes.py

const (
	spot    = 100
	rate    = 0.03
	strikes = 8 // of each expiry, one line after another
	shown   = 2 // the expiry whose sensitivities are printed
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "calibrate:", err)
		os.Exit(1)
	}
}

// market has the inputs of a price, each a scalar or [n].
type market struct{ spot, rate, strike, years graph.Node }

// price returns the prices of calls (Black and Scholes, 1973) for volatilities.
func (m market) price(vol graph.Node) graph.Node {
	width := vol.Mul(m.years.Sqrt())
	d := m.spot.Div(m.strike).Log().Add(m.rate.Mul(m.years)).Div(width).Add(width.Mul(0.5))
	normal := func(x graph.Node) graph.Node { return x.Mul(-1 / math.Sqrt2).Erfc().Mul(0.5) }
	return m.spot.Mul(normal(d)).Sub(m.strike.Mul(m.rate.Mul(m.years).Neg().Exp()).Mul(normal(d.Sub(width))))
}

// vol returns the volatilities of the SABR model with an exponent of 1 (Hagan, Kumar, Lesniewski and Woodward, Managing
// smile risk, 2002, equation 2.18). alpha is the volatility of the forward price, rho the correlation of the two, nu the
// volatility of alpha. Where the strike is the forward price, z/x(z) is 0/0: there it is a line, and Where passes no NaN
// back from the branch that is not taken.
func (m market) vol(alpha, rho, nu graph.Node) graph.Node {
	forward := m.spot.Mul(m.rate.Mul(m.years).Exp())
	z := forward.Div(m.strike).Log().Mul(nu.Div(alpha))
	root := z.Square().Sub(z.Mul(rho).Mul(2)).Add(1).Sqrt()
	x := root.Add(z).Sub(rho).Div(rho.Neg().Add(1)).Log()
	smile := graph.Where(z.Abs().Lt(1e-5), z.Mul(rho).Mul(-0.5).Add(1), z.Div(x))
	drift := rho.Mul(nu).Mul(alpha).Div(4).Add(nu.Square().Mul(rho.Square().Mul(-3).Add(2)).Div(24))
	return alpha.Mul(smile).Mul(drift.Mul(m.years).Add(1))
}

func run(ctx context.Context, w io.Writer) error {
	table, err := csv.Read(strings.NewReader(quotes), graph.Float64, "years", "strike", "price")
	if err != nil {
		return err
	}
	input := func(name string) graph.Node { return graph.Input(name, graph.Float64, graph.Dim("n")) }
	years, strike, quote := input("years"), input("strike"), input("quote")
	p := graph.Input("p", graph.Float64, 3)
	m := market{graph.Scalar(graph.Float64, spot), graph.Scalar(graph.Float64, rate), strike, years}
	cents := m.price(m.vol(p.At(0), p.At(1), p.At(2))).Sub(quote).Mul(100)
	problem, err := least.New(cents, p, years, strike, quote)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, "years   alpha             rho               nu                root mean square, cents")
	var fits [][]float64
	for i := 0; i < table.Extent(0); i += strikes {
		q := table.SliceAxis(0, i, i+strikes, 1)
		way, err := problem.Solve(ctx, []float64{0.3, 0, 0.5}, q.Index(1, 0), q.Index(1, 1), q.Index(1, 2))
		if err != nil {
			return err
		}
		fit := way[len(way)-1]
		e, err := fit.Errors(strikes)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%.4f", number(q, 0, 0))
		for k, v := range fit.Parameters {
			fmt.Fprintf(w, "  %7.4f ± %.4f ", v, e[k])
		}
		fmt.Fprintf(w, " %6.2f\n", math.Sqrt(fit.Cost/strikes))
		fits = append(fits, fit.Parameters)
	}
	return sensitivities(ctx, w, table.SliceAxis(0, shown*strikes, (shown+1)*strikes, 1), fits[shown])
}

// sensitivities prints the derivatives of the prices of an expiry. Inputs are [n], so the gradient of the sum of the
// prices has the derivative of each option's price.
func sensitivities(ctx context.Context, w io.Writer, quotes *graph.Tensor, fit []float64) error {
	each := func(v float64) graph.Node { return graph.Fill(graph.Float64, v, quotes.Extent(0)).Materialize() }
	m := market{each(spot), each(rate), graph.Const(quotes.Index(1, 1)), graph.Const(quotes.Index(1, 0))}
	alpha, rho, nu := each(fit[0]), each(fit[1]), each(fit[2])
	vol := m.vol(alpha, rho, nu)

	fixed := graph.StopGradient(vol) // Black and Scholes: the volatility depends on nothing
	price := m.price(fixed)
	g := graph.Grad(price, m.spot, fixed, m.years, m.rate)
	black := graph.Nodes{price, g[0], graph.Grad(g[0], m.spot)[0], g[1], g[2].Neg(), g[3]} // as greeks.Names

	price = m.price(vol) // SABR: it moves with the spot price
	g = graph.Grad(price, m.spot, alpha, rho, nu)
	smile := graph.Nodes{price, g[0], graph.Grad(g[0], m.spot)[0], g[1], g[2], g[3]}

	p, err := graph.Compile(black, smile, vol)
	if err != nil {
		return err
	}
	outs, err := p.RunAll(ctx)
	if err != nil {
		return err
	}
	hand, err := greeks.Program()
	if err != nil {
		return err
	}
	scalar := func(v float64) *graph.Tensor { return graph.Full(graph.Float64, v) }
	want, err := hand.RunAll(ctx, scalar(spot), scalar(rate), scalar(1), quotes.Index(1, 1), quotes.Index(1, 0), outs[12])
	if err != nil {
		return err
	}
	print(w, "Black and Scholes by graph.Grad", greeks.Names, quotes, outs[:6])
	fmt.Fprint(w, "by hand ")
	for k := range want {
		fmt.Fprintf(w, "%10.0e", furthest(want[k], outs[k]))
	}
	fmt.Fprintln(w, " at most away")
	print(w, "SABR by graph.Grad", []string{"price", "delta", "gamma", "d alpha", "d rho", "d nu"}, quotes, outs[6:12])
	return nil
}

// print writes a table with a row for each option.
func print(w io.Writer, title string, names []string, quotes *graph.Tensor, columns []*graph.Tensor) {
	fmt.Fprintf(w, "\n%s\n  strike", title)
	for _, name := range names {
		fmt.Fprintf(w, "%10s", name)
	}
	for i := range quotes.Extent(0) {
		fmt.Fprintf(w, "\n%8.2f", number(quotes, i, 1))
		for _, c := range columns {
			fmt.Fprintf(w, "%10.5f", number(c, i))
		}
	}
	fmt.Fprintln(w)
}

// furthest returns the greatest distance of two vectors' elements.
func furthest(a, b *graph.Tensor) (most float64) {
	for i := range a.Extent(0) {
		most = max(most, math.Abs(number(a, i)-number(b, i)))
	}
	return most
}

// number returns an element, or NaN.
func number(t *graph.Tensor, at ...int) float64 {
	v, err := graph.At[float64](t, at...)
	if err != nil {
		return math.NaN()
	}
	return v
}

package main

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

const year = 12 // in months

// series is an input of n months. It is float64 because a sum of hundreds of months has more digits than each of them:
// the difference of two running sums in float32 would be off in the third decimal.
func series(name string) graph.Node { return graph.Input(name, graph.Float64, graph.Dim("n")) }

// trend compiles the least-squares line through a series. Its outputs are the slope per year, the mean, the residuals
// [n], and the mean residual of each month of the year [12]. n is a multiple of 12.
func trend() (*graph.Program, error) {
	x := series("x")
	n := x.Shape()[0]
	t := graph.Iota(graph.Int32, n).Cast(graph.Float64).Div(year)
	t = t.Sub(t.Mean())
	mean := x.Mean()
	x = x.Sub(mean)
	slope := t.Mul(x).Sum().Div(t.SumSquares())
	rest := x.Sub(t.Mul(slope))
	season := rest.Reshape(n.Div(year), year).Mean(0)
	return graph.Compile(slope, mean, rest, season, graph.WithName("trend"))
}

// runningMean compiles running means of w months: n-w+1 means, the greatest, its index, and the difference of each
// middle month (the earlier one if w is even) from its mean. A mean is the difference of two running sums, for any w.
func runningMean(w int) (*graph.Program, error) {
	x := series("x")
	upTo := x.CumSum(0).SliceAxis(0, w-1, math.MaxInt, 1)
	before := x.CumSum(0, graph.Exclusive).SliceAxis(0, 0, 1-w, 1)
	mean := upTo.Sub(before).Div(w)
	around := x.SliceAxis(0, (w-1)/2, -(w / 2), 1).Sub(mean)
	return graph.Compile(mean, mean.Max(), mean.ArgMax(), around, graph.WithName("runningmean"))
}

// correlation compiles Pearson's coefficient of two series of one length.
func correlation() (*graph.Program, error) {
	a, b := series("a"), series("b")
	a, b = a.Sub(a.Mean()), b.Sub(b.Mean())
	r := a.Mul(b).Sum().Div(a.SumSquares().Mul(b.SumSquares()).Sqrt())
	return graph.Compile(r, graph.WithName("correlation"))
}

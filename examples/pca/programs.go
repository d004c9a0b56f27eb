package main

import "github.com/stridefuse/stridefuse/graph"

// Each program serves every table: n rows of d numbers, and k components.
var n, d, k = graph.Dim("n"), graph.Dim("d"), graph.Dim("k")

// covariance compiles x [n,d] -> the means of the columns [d], and their
// covariances [d,d]. The transpose is a view: x - mean is stored once, and the
// product reads it both ways.
func covariance() (*graph.Program, error) {
	x := graph.Input("x", graph.Float64, n, d)
	mean := x.Mean(0)
	x = x.Sub(mean)
	rows := graph.Fill(graph.Float64, 1, n).Sum()
	return graph.Compile(mean, x.T().MatMul(x).Div(rows.Sub(1)), graph.WithName("covariance"))
}

// power compiles a step of power iteration: cov [d,d], the components that are
// known, found [k,d], and v [d] -> a vector [d] of length 1 that is nearer to the
// next component, and how far it is from v. A row of zeros in found is none.
//
// What w has of the known ones is taken out by Gram-Schmidt, at every step: cov
// would otherwise make much of the little that rounding leaves.
func power() (*graph.Program, error) {
	cov := graph.Input("cov", graph.Float64, d, d)
	found := graph.Input("found", graph.Float64, k, d)
	v := graph.Input("v", graph.Float64, d)
	w := cov.MatMul(v)
	w = w.Sub(found.T().MatMul(found.MatMul(w)))
	w = w.Div(w.Norm2())
	return graph.Compile(w, w.Sub(v).Norm2(), graph.WithName("power"))
}

// projection compiles x [n,d], its mean [d], cov [d,d] and components [k,d] -> the
// components, each with its greatest number positive, for v and -v are as good;
// the rows along them [n,k]; the variances there [k], and their shares of that of
// x [k]; and two numbers that are 0 but for rounding: how far the components are
// from an orthonormal base, and from eigenvectors of cov.
func projection() (*graph.Program, error) {
	x := graph.Input("x", graph.Float64, n, d)
	mean := graph.Input("mean", graph.Float64, d)
	cov := graph.Input("cov", graph.Float64, d, d)
	c := graph.Input("components", graph.Float64, k, d)

	up := c.Max(1, graph.KeepDims).Ge(c.Min(1, graph.KeepDims).Neg())
	c = graph.Where(up, c, c.Neg())
	scores := x.Sub(mean).MatMul(c.T())
	variance := scores.Var(0, graph.DDOF(1))
	share := variance.Div(cov.Diagonal(0, 0, 1).Sum())

	row := graph.Iota(graph.Int64, k)
	identity := row.Unsqueeze(1).Eq(row).Cast(graph.Float64)
	skew := c.MatMul(c.T()).Sub(identity).Abs().Max()
	off := c.MatMul(cov).Sub(variance.Unsqueeze(1).Mul(c)).Abs().Max()
	return graph.Compile(c, scores, variance, share, skew, off, graph.WithName("projection"))
}

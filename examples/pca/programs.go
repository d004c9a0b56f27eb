package main

import "github.com/stridefuse/stridefuse/graph"

// Each program works for every table: n rows of d numbers, and k components.
var n, d, k = graph.Dim("n"), graph.Dim("d"), graph.Dim("k")

// covariance compiles x [n,d] -> the means of the columns [d], and their covariances [d,d]. The transpose is a view: x
// - mean is stored once, and the product reads it in both orders.
func covariance() (*graph.Program, error) {
	x := graph.Input("x", graph.Float64, n, d)
	mean := x.Mean(0)
	x = x.Sub(mean)
	rows := graph.Fill(graph.Float64, 1, n).Sum()
	return graph.Compile(mean, x.T().MatMul(x).Div(rows.Sub(1)), graph.WithName("covariance"))
}

// power compiles a step of power iteration. Inputs are cov [d,d], the known components found [k,d], and v [d]. Outputs
// are a unit vector [d] that is nearer to the next component, and its distance from v. Rows of zeros in found stand for
// unknown components.
//
// Each step removes the known components from w by Gram-Schmidt, because cov would amplify what rounding leaves of
// them.
func power() (*graph.Program, error) {
	cov := graph.Input("cov", graph.Float64, d, d)
	found := graph.Input("found", graph.Float64, k, d)
	v := graph.Input("v", graph.Float64, d)
	w := cov.MatMul(v)
	w = w.Sub(found.T().MatMul(found.MatMul(w)))
	w = w.Div(w.Norm2())
	return graph.Compile(w, w.Sub(v).Norm2(), graph.WithName("power"))
}

// projection compiles x [n,d], its mean [d], cov [d,d] and components [k,d] -> the components, each with its greatest
// number positive (v and -v are equivalent); the rows along them [n,k]; the variances there [k], and their shares of
// the total [k]; and two numbers that are 0 up to rounding: how far the components are from orthonormal, and from
// eigenvectors of cov.
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

package recipes_test

import (
	"context"
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// A curve fitted with its uncertainties: a*exp(-b*t) by the method of Gauss and Newton. JVP makes the Jacobian of the
// residuals, a column a parameter. (examples/fit has more parameters, and a method that also converges from further away.)
func Example_curve() {
	n := graph.Dim("n")
	t, y, p := graph.Input("t", graph.Float64, n), graph.Input("y", graph.Float64, n), graph.Input("p", graph.Float64, 2)
	r := p.At(0).Mul(p.At(1).Neg().Mul(t).Exp()).Sub(y)
	column := func(along ...float64) graph.Node {
		return graph.JVP(r, []graph.Node{p}, []graph.Node{graph.Const(graph.Of(along))})
	}
	j := graph.Stack(1, column(1, 0), column(0, 1))
	program, err := graph.Compile(r.SumSquares(), j.T().MatMul(j), j.T().MatMul(r), graph.WithInputs(p, t, y))
	check(err)

	times, counts := graph.Of([]float64{0, 1, 2, 3, 4, 5, 6, 7}), graph.Of([]float64{1003, 744, 548, 405, 305, 219, 163, 128})
	fit := []float64{800, 0.5}
	var errors [2]float64
	for range 8 {
		outs, err := program.RunAll(context.Background(), graph.Of(fit), times, counts)
		check(err)
		cost, err := graph.At[float64](outs[0])
		check(err)
		m, err := graph.Data[float64](outs[1])
		check(err)
		v, err := graph.Data[float64](outs[2])
		check(err)
		det := m[0]*m[3] - m[1]*m[2]
		variance := cost / float64(times.Size()-len(fit))
		errors = [2]float64{math.Sqrt(variance * m[3] / det), math.Sqrt(variance * m[0] / det)}
		fit = []float64{fit[0] - (m[3]*v[0]-m[1]*v[1])/det, fit[1] - (m[0]*v[1]-m[2]*v[0])/det}
	}
	fmt.Printf("a = %.1f ± %.1f\nb = %.4f ± %.4f\n", fit[0], errors[0], fit[1], errors[1])
	// Output:
	// a = 1003.0 ± 3.1
	// b = 0.3007 ± 0.0016
}

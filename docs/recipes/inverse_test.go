package recipes_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// An unknown of a simulation found by its derivative: how well a rod conducts heat, from temperatures at one end while
// the other is held at 100 degrees. JVP takes the derivative through all steps of the simulation.
func Example_inverse() {
	const cells, steps, every = 10, 120, 20
	conductivity := graph.Input("conductivity", graph.Float64)
	measured := graph.Input("measured", graph.Float64, steps/every)
	hot, u := graph.Fill(graph.Float64, 100, 1), graph.Fill(graph.Float64, 0, cells)
	var end []graph.Node
	for step := 1; step <= steps; step++ {
		left, right := graph.Concat(0, hot, u.Slice(":-1")), graph.Concat(0, u.Slice("1:"), u.Slice("-1:"))
		u = left.Add(right).Sub(u.Mul(2)).Mul(conductivity).Add(u)
		if step%every == 0 {
			end = append(end, u.At(-1))
		}
	}
	r := graph.Stack(0, end...).Sub(measured)
	j := graph.JVP(r, []graph.Node{conductivity}, []graph.Node{graph.Scalar(graph.Float64, 1)})
	better := conductivity.Sub(j.MatMul(r).Div(j.SumSquares())) // a step of Gauss and Newton
	p, err := graph.Compile(better, r.SumSquares(), graph.WithInputs(conductivity, measured))
	check(err)

	at, data := graph.ScalarOf(0.1), graph.Of([]float64{1.5, 12.1, 24.8, 36.7, 46.6, 55.0})
	for range 5 {
		outs, err := p.RunAll(context.Background(), at, data)
		check(err)
		fmt.Println("conductivity", at, "squared error", outs[1])
		at = outs[0]
	}
	// Output:
	// conductivity float64[] 0.1 squared error float64[] 6074.5038991520105
	// conductivity float64[] 0.4312918854024824 squared error float64[] 110.33321074024894
	// conductivity float64[] 0.38336119884705866 squared error float64[] 0.2224630746080448
	// conductivity float64[] 0.3851817704889499 squared error float64[] 0.035283495514453124
	// conductivity float64[] 0.3851852280885429 squared error float64[] 0.035282824502734844
}

package recipes_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/optim"
)

// A classifier trained by gradients: which of three species an iris is, from four lengths. Every fifth flower is held
// out.
func Example_train() {
	file, err := os.Open("../../examples/normalize/iris.csv")
	check(err)
	defer file.Close()
	table, err := csv.Read(file, graph.Float32, "Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")
	check(err)
	species := make([]int64, table.Extent(0)) // 50 flowers of each, one species after another
	for i := range species {
		species[i] = int64(i / 50)
	}

	rows := graph.Input("rows", graph.Int64, graph.Dim("n"))
	x, labels := graph.Const(table).Take(0, rows), graph.Const(graph.Of(species)).Take(0, rows)
	var params optim.Parameters
	w, b := params.Add("w", graph.Zeros(graph.Float32, 4, 3)), params.Add("b", graph.Zeros(graph.Float32, 3))
	scores := x.MatMul(w).Add(b)
	fit, err := optim.New(optim.Adam{Rate: optim.Constant(0.05)}, optim.CrossEntropy(scores, labels).Mean(), &params, rows)
	check(err)
	right, err := graph.Compile(scores.ArgMax(-1).Eq(labels).Sum(), graph.WithInputs(append(params.Nodes(), rows)...))
	check(err)

	var training, held []int64
	for i := range species {
		if i%5 == 0 {
			held = append(held, int64(i))
		} else {
			training = append(training, int64(i))
		}
	}
	ctx := context.Background()
	for step := 1; step <= 300; step++ {
		loss, err := fit.Step(ctx, graph.Of(training))
		check(err)
		if step%100 == 0 {
			fmt.Printf("step %d: loss %.3f\n", step, loss)
		}
	}
	n, err := right.Run(ctx, append(params.Tensors(), graph.Of(held))...)
	check(err)
	fmt.Println("right of", len(held), "held out:", n)
	// Output:
	// step 100: loss 0.162
	// step 200: loss 0.103
	// step 300: loss 0.082
	// right of 30 held out: int64[] 29
}

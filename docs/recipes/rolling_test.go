package recipes_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

// check ends a recipe on an error; a program would return it.
func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Carbon dioxide over Mauna Loa by months: the mean and the deviation of each 12 months, the greatest fall from the
// highest month so far, and a weighted mean of each year in which a month counts 0.8 of the next.
func Example_rolling() {
	file, err := os.Open("../../examples/climate/co2.csv")
	check(err)
	defer file.Close()
	ppm, err := csv.Read(file, graph.Float64, "ppm") // float64[n,1]
	check(err)

	const year = 12
	x := graph.Input("x", graph.Float64, graph.Dim("n"), 1).Squeeze(1)
	months := x.Window(0, year, 1, 1) // [n-11,12]: a view
	drawdown := x.CumMax(0).Sub(x).Max()
	weights := graph.Scalar(graph.Float64, 0.8).Pow(graph.Iota(graph.Float64, year).Flip(0))
	weighted := months.Mul(weights).Sum(-1).Div(weights.Sum())
	p, err := graph.Compile(
		graph.Output("mean", months.Mean(-1)),
		graph.Output("deviation", months.Std(-1)),
		graph.Output("drawdown", drawdown),
		graph.Output("weighted", weighted),
	)
	check(err)
	out, err := p.RunNamed(context.Background(), graph.Feeds{"x": ppm})
	check(err)
	for _, name := range []string{"mean", "deviation", "weighted"} {
		fmt.Printf("%-9s %.2f\n", name, last(out[name], 3))
	}
	fmt.Printf("drawdown  %.2f\n", last(out["drawdown"].Reshape(1), 1))
	// Output:
	// mean      [363.51 363.65 363.82]
	// deviation [2.12 1.99 1.96]
	// weighted  [362.93 362.87 363.19]
	// drawdown  [7.17]
}

// last returns the last elements of a vector.
func last(t *graph.Tensor, n int) []float64 {
	data, err := graph.Data[float64](t)
	check(err)
	return data[len(data)-n:]
}

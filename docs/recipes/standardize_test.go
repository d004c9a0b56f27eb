package recipes_test

import (
	"context"
	stdcsv "encoding/csv"
	"os"
	"strconv"

	"github.com/stridefuse/stridefuse/formats/csv"
	"github.com/stridefuse/stridefuse/graph"
)

// The columns of a table less their means, in units of their deviations, as CSV.
func Example_standardize() {
	file, err := os.Open("../../examples/climate/sunspots.csv")
	check(err)
	defer file.Close()
	columns := []string{"decimal_year", "sunspots"}
	table, err := csv.Read(file, graph.Float64, columns...)
	check(err)

	x := graph.Input("x", graph.Float64, graph.Dim("rows"), len(columns))
	p, err := graph.Compile(x.Standardize(0, 0))
	check(err)
	out, err := p.Run(context.Background(), table)
	check(err)

	w := stdcsv.NewWriter(os.Stdout)
	check(w.Write(columns))
	data, err := graph.Data[float64](out)
	check(err)
	for row := range 3 {
		var cells []string
		for _, v := range data[row*len(columns):][:len(columns)] {
			cells = append(cells, strconv.FormatFloat(v, 'f', 4, 64))
		}
		check(w.Write(cells))
	}
	w.Flush()
	check(w.Error())
	// Output:
	// decimal_year,sunspots
	// -1.7314,0.1550
	// -1.7302,0.2609
	// -1.7290,0.4312
}

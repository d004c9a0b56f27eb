// Normalize scales the measurements of the iris data to [0,1], column by
// column. The number of rows is symbolic: one program serves every size.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/examples/internal/table"
	"github.com/stridefuse/stridefuse/graph"
)

//go:embed iris.csv
var iris []byte

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "normalize:", err)
		os.Exit(1)
	}
}

func run() error {
	flowers, err := table.Read(bytes.NewReader(iris), "iris.csv")
	if err != nil {
		return err
	}
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 4) // n flowers, any n
	lo, hi := graph.Input("lo", graph.Float32, 4), graph.Input("hi", graph.Float32, 4)
	p, err := graph.Compile(x.Sub(lo).Div(hi.Sub(lo)), graph.WithName("normalize"))
	if err != nil {
		return err
	}
	fmt.Print(p, "\n")

	all := graph.Of(flowers.Data, flowers.Rows, flowers.Cols)
	least, most := columnRange(flowers)
	fmt.Println(flowers.Header)
	for _, rows := range []string{":3", "::50", ":"} { // three sizes, one of them strided
		part := all.Slice(rows)
		y, err := p.Run(context.Background(), part, graph.Of(least), graph.Of(most))
		if err != nil {
			return err
		}
		if rows == ":" { // shows the end of the longest one
			y = y.Slice("-3:")
		}
		fmt.Printf("rows %s of the data: %s\n", rows, y)
	}
	return nil
}

// columnRange returns the least and the greatest value of each column.
func columnRange(t *table.Table) (least, most []float32) {
	least, most = append(least, t.Data[:t.Cols]...), append(most, t.Data[:t.Cols]...)
	for i, v := range t.Data {
		c := i % t.Cols
		least[c], most[c] = min(least[c], v), max(most[c], v)
	}
	return least, most
}

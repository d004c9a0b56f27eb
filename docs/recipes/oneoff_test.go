package recipes_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
)

// One formula on slices, in NumPy's notation.
func Example_oneOff() {
	price := []float64{101.5, 99.0, 102.25, 104.0}
	volume := []float64{1200, 800, 1500, 900}
	in := map[string]graph.Node{
		"price":  graph.Const(graph.Of(price)),
		"volume": graph.Const(graph.Of(volume)),
	}
	y, err := formula.Parse("(price * volume).sum() / volume.sum()", in)
	check(err)
	p, err := graph.Compile(y)
	check(err)
	mean, err := p.Run(context.Background())
	check(err)
	fmt.Println("mean price by volume:", mean)
	// Output:
	// mean price by volume: float64[] 101.8125
}

package sparse_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/sparse"
)

// A softmax of each row, of rows of 2, 0 and 3 values.
func ExampleRagged() {
	offsets := graph.Const(graph.Of([]int64{0, 2, 2, 5}))
	r := sparse.NewRagged(offsets, graph.Input("x", graph.Float32, graph.Dim("k")))
	e := r.With(r.Values.Sub(r.Spread(r.Max())).Exp())
	p, err := graph.Compile(e.Values.Div(e.Spread(e.Sum())))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Run(context.Background(), graph.Of([]float32{1, 1, 7, 7, -100})))
	// Output:
	// float32[5]
	// [0.5 0.5 0.5 0.5 0. ] <nil>
}

// The elements of a dense matrix that are not 0, and a program of any sizes that multiplies.
func ExampleCSR_MatMul() {
	ctx := context.Background()
	e, err := sparse.FromDense(ctx, graph.Of([]float32{0, 2, 0, 0, 0, 0, 1, 0, 3}, 3, 3))
	if err != nil {
		panic(err)
	}
	fmt.Println(e.Offsets, e.Cols, e.Values)
	k := graph.Dim("k")
	a := sparse.NewCSR(graph.Input("offsets", graph.Int64, graph.Dim("m+1")), graph.Input("cols", graph.Int64, k), graph.Input("values", graph.Float32, k), graph.Dim("n"))
	y := a.MatMul(graph.Input("x", graph.Float32, graph.Dim("n")))
	p, err := graph.Compile(graph.Output("y", y))
	if err != nil {
		panic(err)
	}
	outs, err := p.RunNamed(ctx, graph.Feeds{"offsets": e.Offsets, "cols": e.Cols, "values": e.Values, "x": graph.Of([]float32{1, 10, 100})})
	fmt.Println(outs["y"], err)
	// Output:
	// int64[4]
	// [0 1 1 3] int64[3]
	// [1 0 2] float32[3]
	// [2. 1. 3.]
	// float32[3]
	// [ 20.   0. 301.] <nil>
}

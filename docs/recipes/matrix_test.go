package recipes_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/graph"
)

// general is a matrix in BLAS layout, such as gonum's blas64.General: rows that are Stride elements apart.
type general struct {
	Rows, Cols, Stride int
	Data               []float64
}

// tensor returns the matrix as a tensor over the same memory.
func (m general) tensor() *graph.Tensor {
	return graph.OfLayout(m.Data, graph.Layout{Shape: []int{m.Rows, m.Cols}, Strides: []int{m.Stride, 1}})
}

// The rows of another library's matrix are normalized: it is read in place, and the result is copied back between the
// gaps of its rows.
func Example_matrix() {
	m := general{Rows: 2, Cols: 3, Stride: 4, Data: []float64{1, 2, 2, -1, 0, 3, 4, -1}}
	x := graph.Input("x", graph.Float64, graph.Dim("rows"), graph.Dim("cols"))
	p, err := graph.Compile(x.Div(x.Norm2(1, graph.KeepDims)))
	check(err)
	out := graph.New(graph.Float64, m.Rows, m.Cols)
	check(p.RunInto(context.Background(), []*graph.Tensor{out}, m.tensor()))
	check(graph.Copy(m.tensor(), out))
	fmt.Printf("%.2f\n", m.Data)
	// Output:
	// [0.33 0.67 0.67 -1.00 0.00 0.60 0.80 -1.00]
}

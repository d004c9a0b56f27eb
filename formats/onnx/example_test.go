package onnx_test

import (
	"context"
	"fmt"

	"github.com/stridefuse/stridefuse/formats/onnx"
	"github.com/stridefuse/stridefuse/graph"
)

// A model whose exporter named the sizes of two inputs that it adds differently. One program serves all runs in which they
// are equal; sizes that only broadcast are compiled by the run, and sizes that do not fit are its error.
func ExampleProgram_Sizes() {
	p, err := onnx.Load("testdata/exported/two_unknown_names.onnx")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range p.Sizes() {
		fmt.Println(s, "is", s.Name)
	}
	ctx := context.Background()
	for _, n := range [][2]int{{3, 3}, {3, 1}, {3, 2}} {
		feeds := graph.Feeds{}
		for i, name := range p.Inputs() {
			feeds[name] = graph.Ones(graph.Float32, n[i], 3, 4)
		}
		out, err := p.Run(ctx, feeds)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(out["y0"].Shape())
	}
	// Output:
	// input x axis 0 is unk__1
	// input w axis 0 is unk__2
	// [3 3 4]
	// [3 3 4]
	// onnx: for inputs of these shapes: axis 0 of input "x" is 3, and axis 0 of input "w" is 2, which the model takes as one size: Add (makes y0): example_test.go:28: add: shapes [3,3,4] and [2,3,4] do not broadcast: axis 0 is 3 and 2
}

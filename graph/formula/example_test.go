package formula_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
)

func ExampleParse() {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 2)
	y, err := formula.Parse("(x - x.mean(0)) / sqrt(x.var(0) + 1e-6)", map[string]graph.Node{"x": x})
	if err != nil {
		log.Fatal(err)
	}
	p, err := graph.Compile(y)
	if err != nil {
		log.Fatal(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float32{1, 10, 3, 30}, 2, 2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output:
	// float32[2,2]
	// [[-0.9999995 -1.       ]
	//  [ 0.9999995  1.       ]]
}

// The message shows where a formula is wrong.
func ExampleError() {
	a := graph.Input("a", graph.Float32, 3)
	_, err := formula.Parse("2*a + sqr(a)", map[string]graph.Node{"a": a})
	e := err.(*formula.Error)
	fmt.Println(e.Column(), e.Msg)
	// Output:
	// 7 there is no function sqr: did you mean sqrt?
}

func ExampleSignature() {
	fmt.Println(formula.Signature("var"))
	// Output:
	// var(a, axis=None, ddof=0, keepdims=False)
}

// An error of a run names the byte of the formula where the function is.
func ExampleParseFile() {
	a := graph.Input("a", graph.Float32, 3)
	y, err := formula.ParseFile("formula", "1 + take(a, 7)", map[string]graph.Node{"a": a})
	if err != nil {
		log.Fatal(err)
	}
	p, err := graph.Compile(y)
	if err != nil {
		log.Fatal(err)
	}
	_, err = p.Run(context.Background(), graph.Of([]float32{1, 2, 3}))
	fmt.Println(err)
	// Output:
	// formula:5: run: take: index 7 of the indices int64[] is outside axis 0 of a float32[3]: allowed are 0 to 2
}

package graph_test

import (
	"context"
	"fmt"
	"log"

	"github.com/stridefuse/stridefuse/graph"
)

// A step of gradient descent on a linear model: Grad returns Nodes, which one program computes together with the loss.
func ExampleGrad() {
	x := graph.Input("x", graph.Float64, graph.Dim("n"), 2)
	target := graph.Input("target", graph.Float64, graph.Dim("n"))
	w := graph.Input("w", graph.Float64, 2)
	loss := x.MatMul(w).Sub(target).Square().Mean()
	step := w.Sub(graph.Grad(loss, w)[0].Mul(0.1))
	p, err := graph.Compile(loss, step)
	if err != nil {
		log.Fatal(err)
	}
	rows, want := graph.Of([]float64{1, 0, 0, 1, 1, 1}, 3, 2), graph.Of([]float64{2, -1, 1})
	weights := graph.Zeros(graph.Float64, 2)
	for i := range 301 {
		outs, err := p.RunAll(context.Background(), rows, want, weights)
		if err != nil {
			log.Fatal(err)
		}
		if i%100 == 0 {
			v, _ := graph.At[float64](outs[0])
			fmt.Printf("%3d: loss %.2e\n", i, v)
		}
		weights = outs[1]
	}
	fmt.Println(weights)
	// Output:
	//   0: loss 2.00e+00
	// 100: loss 1.53e-06
	// 200: loss 1.55e-12
	// 300: loss 1.58e-18
	// float64[2]
	// [ 2. -1.]
}

// Derivatives of any order: Grad of a gradient, and products of the Hessian with a vector.
func ExampleHVP() {
	x, v := graph.Input("x", graph.Float64, 2), graph.Input("v", graph.Float64, 2)
	a, b := x.At(0), x.At(1)
	f := a.Scalar(1).Sub(a).Square().Add(b.Sub(a.Square()).Square().Mul(100)) // Rosenbrock's function
	product := graph.HVP(f, []graph.Node{x}, []graph.Node{v})[0]
	p, err := graph.Compile(graph.Grad(f, x)[0], product)
	if err != nil {
		log.Fatal(err)
	}
	outs, err := p.RunAll(context.Background(), graph.Of([]float64{1, 2}), graph.Of([]float64{1, 0}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(outs[0])
	fmt.Println(outs[1])
	// Output:
	// float64[2]
	// [-400.  200.]
	// float64[2]
	// [ 402. -400.]
}

// WithVJP replaces a derivative: here rounding lets the cotangent through.
func ExampleWithVJP() {
	x := graph.Input("x", graph.Float64, 3)
	rounded := graph.WithVJP(x.Round(), func(_, g graph.Node) []graph.Node { return []graph.Node{g} }, x)
	p, err := graph.Compile(graph.Grad(rounded.Square().Sum(), x))
	if err != nil {
		log.Fatal(err)
	}
	out, err := p.Run(context.Background(), graph.Of([]float64{0.4, 1.2, 2.7}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out)
	// Output:
	// float64[3]
	// [0. 2. 6.]
}

package graph_test

import (
	"context"
	"fmt"
	"os"

	"github.com/stridefuse/stridefuse/graph"
)

func ExampleWithProgress() {
	x := graph.Input("x", graph.Float32, 1000)
	p, err := graph.Compile(x.Sort(0), graph.WithName("sort"), graph.WithProgress(func(_ context.Context, p graph.Progress) {
		fmt.Printf("%s: %.0f%%, %d of %d steps\n", p.Program, 100*p.Fraction, p.Done, p.Steps)
	}))
	if err != nil {
		panic(err)
	}
	_, err = p.Run(context.Background(), graph.Zeros(graph.Float32, 1000))
	fmt.Println(err)
	// Output:
	// sort: 100%, 1 of 1 steps
	// <nil>
}

func ExampleProgram_Profile() {
	x, w := graph.Input("x", graph.Float32, 64, 100), graph.Input("w", graph.Float32, 100, 32)
	p, err := graph.Compile(x.MatMul(w).Tanh(), graph.WithProfile())
	if err != nil {
		panic(err)
	}
	if _, err := p.Run(context.Background(), graph.Zeros(graph.Float32, 64, 100), graph.Zeros(graph.Float32, 100, 32)); err != nil {
		panic(err)
	}
	q := p.Profile()
	last := q.Steps[len(q.Steps)-1]
	fmt.Println(q.Runs, last.Time > 0, last.GFLOPPerSecond() > 0)
	// Output: 1 true true
}

func ExampleProgram_WriteDOT() {
	x := graph.Input("x", graph.Float32, 4)
	p, err := graph.Compile(graph.Output("y", x.Exp()), graph.WithName("exp"))
	if err != nil {
		panic(err)
	}
	if err := p.WriteDOT(os.Stdout, graph.Steps); err != nil {
		panic(err)
	}
	// Output:
	// digraph "exp" {
	//   node [shape=box, style="filled,rounded", fillcolor=white, fontname=monospace, fontsize=11]
	//   edge [fontname=monospace, fontsize=9]
	//   n0 [label="x\nf32[4]", tooltip="f32[4], 16 B", fillcolor=gray90]
	//   n2 [label="y\nf32[4]", tooltip="f32[4], 16 B", fillcolor=gray90]
	//   n1 [label="step 0\n1 op over [1,4]\n16 B read, 16 B stored", tooltip="kernel (u0:f32) { t0 = exp u0; store t0 }", fillcolor="0.000 0.15 1.0"]
	//   n0 -> n1
	//   n1 -> n2
	// }
}

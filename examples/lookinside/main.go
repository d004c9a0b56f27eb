// Lookinside prints a graph after every pass of the compiler, as text that parses back: views become strides, a chain
// becomes one kernel.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/stridefuse/stridefuse/graph"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "lookinside:", err)
		os.Exit(1)
	}
}

func run(out io.Writer) error {
	x := graph.Input("x", graph.Float32, 6, 4)
	w := graph.Input("w", graph.Float32, 6)
	rising := x.Slice("1:").Sub(x.Slice(":-1")) // differences of neighbours, [5,4]
	y := rising.T().Mul(w.Slice("::-1").Slice("1:")).Div(4).Add(rising.T().Abs())
	z := y.Reshape(-1).Gt(0.5)
	p, err := graph.Compile(y, z, graph.WithName("lookinside"))
	if err != nil {
		return err
	}
	if err := p.Dump(out, ""); err != nil {
		return err
	}
	fmt.Fprint(out, "\n", p.Explain())
	return nil
}

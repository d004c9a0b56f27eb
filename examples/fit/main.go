// Fit adjusts the seven parameters of a curve to 39 years of carbon dioxide over Mauna Loa, and says how uncertain they
// are. The curve is a level, an exponential growth and a season of two harmonics:
//
//	y(t) = level + grown*exp(rate*t) + sin1*sin(2πt) + cos1*cos(2πt) + sin2*sin(4πt) + cos2*cos(4πt)
//
// The residuals and their derivatives come from one graph; graph.JVP makes the Jacobian, a column a parameter. The
// method is that of Levenberg and Marquardt.
//
//	go run ./examples/fit
package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/stridefuse/stridefuse/examples/internal/table"
	"github.com/stridefuse/stridefuse/graph"
)

// The record is in the datasets package of R: Keeling and Whorf, Scripps Institution of Oceanography.
//
//go:embed co2.csv
var co2 []byte

var names = []string{"level", "grown", "rate", "sin1", "cos1", "sin2", "cos2"}

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fit:", err)
		os.Exit(1)
	}
}

// curve returns the model at the times t, [n], for the parameters p, [7].
func curve(t, p graph.Node) graph.Node {
	y := p.At(2).Mul(t).Exp().Mul(p.At(1)).Add(p.At(0))
	for k := range 2 {
		angle := t.Mul(2 * math.Pi * float64(k+1))
		y = y.Add(angle.Sin().Mul(p.At(3 + 2*k))).Add(angle.Cos().Mul(p.At(4 + 2*k)))
	}
	return y
}

// normal compiles the sum of squared residuals r'r, and J'J and J'r of their Jacobian J.
func normal() (*graph.Program, error) {
	n := graph.Dim("n")
	t, y := graph.Input("t", graph.Float64, n), graph.Input("y", graph.Float64, n)
	p := graph.Input("p", graph.Float64, len(names))
	r := curve(t, p).Sub(y)
	columns := make([]graph.Node, len(names))
	for i := range columns {
		along := make([]float64, len(names))
		along[i] = 1
		columns[i] = graph.JVP(r, []graph.Node{p}, []graph.Node{graph.Const(graph.Of(along))})
	}
	j := graph.Stack(1, columns...)
	return graph.Compile(r.SumSquares(), j.T().MatMul(j), j.T().MatMul(r))
}

func run(ctx context.Context, w io.Writer) error {
	record, err := table.Read(bytes.NewReader(co2), "co2.csv")
	if err != nil {
		return err
	}
	data := make([]float64, len(record.Data))
	for i, v := range record.Data {
		data[i] = float64(v)
	}
	rows := graph.Of(data, record.Rows, record.Cols)
	months := graph.Arange(graph.Float64, 0, float64(record.Rows)/12, 1./12)
	f := &fitter{ctx: ctx, t: months, y: rows.Index(1, 1), p: []float64{300, 15, 0.03, 0, 0, 0, 0}}
	if f.program, err = normal(); err != nil {
		return err
	}
	if err := f.fit(w); err != nil {
		return err
	}
	return f.print(w)
}

// Fit adjusts the seven parameters of a curve to 39 years of carbon dioxide over Mauna Loa, and says how uncertain they
// are. The curve is a level, an exponential growth and a season of two harmonics:
//
//	y(t) = level + grown*exp(rate*t) + sin1*sin(2πt) + cos1*cos(2πt) + sin2*sin(4πt) + cos2*cos(4πt)
//
// The residuals and their derivatives come from one graph; graph.JVP makes the Jacobian, a column a parameter. The
// method is that of Levenberg and Marquardt, in examples/internal/least.
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

	"github.com/stridefuse/stridefuse/examples/internal/least"
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

	n := graph.Dim("n")
	t, y, p := graph.Input("t", graph.Float64, n), graph.Input("y", graph.Float64, n), graph.Input("p", graph.Float64, len(names))
	problem, err := least.New(curve(t, p).Sub(y), p, t, y)
	if err != nil {
		return err
	}
	way, err := problem.Solve(ctx, []float64{300, 15, 0.03, 0, 0, 0, 0}, months, rows.Index(1, 1))
	if err != nil {
		return err
	}
	for step, f := range way[1:] {
		fmt.Fprintf(w, "step %2d: %.4f ppm\n", step+1, math.Sqrt(f.Cost/float64(record.Rows-len(names))))
	}
	found := way[len(way)-1]
	errors, err := found.Errors(record.Rows)
	for i, e := range errors {
		fmt.Fprintf(w, "%-6s %10.5f ± %.5f\n", names[i], found.Parameters[i], e)
	}
	return err
}

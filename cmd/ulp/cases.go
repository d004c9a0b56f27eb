package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The cases that peers.py compares with other libraries: the worst arguments of the
// table, and reductions that lose digits or overflow on the way. A line is a kind ("at"
// or "of"), the function, the type, the library's result and the arguments; of a
// reduction a text comes before its elements.

// compared64 are the functions of the cases.
var compared64 = []ir.Op{ir.OpTan, ir.OpSin, ir.OpCos, ir.OpAtan2, ir.OpExp, ir.OpExp2, ir.OpExpm1, ir.OpLog10, ir.OpSinh, ir.OpCosh,
	ir.OpTanh, ir.OpErf, ir.OpErfc, ir.OpGELU, ir.OpSigmoid, ir.OpLogit}

func writeCases(ctx context.Context, w io.Writer, t table) error {
	for _, op := range compared64 {
		list, err := chosen(op.String())
		if err != nil {
			return err
		}
		r, ok := t.find(op, ir.Float64, false)
		if !ok {
			return fmt.Errorf("%s is not in the table", op)
		}
		e, err := newEngine[float64](list[0], false, abi.Best())
		if err != nil {
			return err
		}
		args := []float64{r.at[0], r.at[1]}[:op.Info().Arity]
		out, err := e.run(ctx, []float64{r.at[0]}, []float64{r.at[1]})
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "at %s f64 %x %s\n", op, out[0], hex(args))
	}
	if err := writeComplexCases(ctx, w); err != nil {
		return err
	}
	return writeReductions(ctx, w)
}

// reduceCase is one line of elements.
type reduceCase struct {
	name, text string
	node       func(x graph.Node) graph.Node
	data       []float64 // rounded to float32 unless double
	double     bool
}

// reduceCases returns the lines.
func reduceCases() []reduceCase {
	sum := func(x graph.Node) graph.Node { return x.CumSum(0).Index(0, -1) }
	product := func(x graph.Node) graph.Node { return x.CumProd(0).Index(0, -1) }
	whole := func(x graph.Node) graph.Node { return x.Prod() }
	variance := func(x graph.Node) graph.Node { return x.Var() }
	around := make([]float64, 3000)
	for i := range around {
		around[i] = 1e8 + 1e4*math.Sin(float64(i*i))
	}
	factors := repeated(20, 1e-3, 1480, 1, 20, 1e3)
	return []reduceCase{
		{"logsumexp", "0_and_1000_times_-20", func(x graph.Node) graph.Node { return x.LogSumExp() }, repeated(1, 0, 1000, -20), true},
		{"var", "3000_around_1e8,_distance_1e4", variance, around, false},
		{"var", "3000_times_0.1", variance, repeated(3000, 0.1), false},
		{"prod", "20_times_1e-3,_ones,_20_times_1e3", whole, factors, false},
		{"prod", "20_times_1e-300,_ones,_20_times_1e300", whole, repeated(20, 1e-300, 1480, 1, 20, 1e300), true},
		{"prod", "1e-300_and_1e300_in_turn,_64_of_them", whole, slices.Repeat([]float64{1e-300, 1e300}, 32), true},
		{"cumprod", "20_times_1e-3,_ones,_20_times_1e3", product, factors, false},
		{"cumsum", "-3e38,_zeros,_3e38_twice_from_1024_on", sum, repeated(1, -3e38, 1023, 0, 2, 3e38), false},
		{"cumsum", "3e38_twice,_zeros,_-3e38_twice_from_1024_on", sum, repeated(2, 3e38, 1022, 0, 2, -3e38), false},
	}
}

// repeated returns elements, given pairs of how many there are and what they are.
func repeated(pairs ...float64) (out []float64) {
	for pair := range slices.Chunk(pairs, 2) {
		out = append(out, slices.Repeat(pair[1:], int(pair[0]))...)
	}
	return out
}

func writeReductions(ctx context.Context, w io.Writer) error {
	for _, c := range reduceCases() {
		got, err := c.run(ctx)
		if err != nil {
			return err
		}
		dt, args := "f32", make([]float64, len(c.data))
		if c.double {
			dt = "f64"
		}
		for i, v := range c.data {
			if args[i] = v; !c.double {
				args[i] = float64(float32(v))
			}
		}
		fmt.Fprintf(w, "of %s %s %s %s %s\n", c.name, dt, hexOf(got), c.text, hex(args))
	}
	return nil
}

func (c *reduceCase) run(ctx context.Context) (float64, error) {
	dt := graph.Float32
	if c.double {
		dt = graph.Float64
	}
	x := graph.Input("x", graph.Float64, len(c.data)).Cast(dt)
	p, err := graph.Compile(c.node(x).Cast(graph.Float64))
	if err != nil {
		return 0, err
	}
	out, err := p.Run(ctx, graph.Of(c.data))
	if err != nil {
		return 0, err
	}
	data, err := graph.Data[float64](out)
	if err != nil {
		return 0, err
	}
	return data[0], nil
}

func hex(xs []float64) string {
	out := make([]string, len(xs))
	for i, x := range xs {
		out[i] = hexOf(x)
	}
	return strings.Join(out, " ")
}

func hexOf(x float64) string {
	if x-x != 0 { // as Python writes them
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
	}
	return fmt.Sprintf("%x", x)
}

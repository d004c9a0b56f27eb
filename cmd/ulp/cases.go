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

// The cases that peers.py compares with other libraries: the worst arguments in the table, others that a search found,
// ends of ranges, and reductions that lose digits or overflow on the way. A line has a kind ("at" for functions, "of"
// for reductions), the function, the type, the library's result and the arguments. For a function the tier comes before
// the result, for a reduction a description before the elements.

// pointCase is a function with arguments; without any it stands for the arguments in the table.
type pointCase struct {
	op   ir.Op
	dt   ir.DType
	fast bool
	at   []float64
}

var pointCases = []pointCase{
	{op: ir.OpTan, at: []float64{0x1.ddd35898fbcfp+3}}, {op: ir.OpTan}, {op: ir.OpTan, fast: true, at: []float64{-0x1.9ac60cc78bf3cp+8}}, {op: ir.OpTan, fast: true},
	{op: ir.OpSin}, {op: ir.OpSin, fast: true}, {op: ir.OpCos}, {op: ir.OpCos, fast: true, at: []float64{-0x1.8ebf934p-27}}, {op: ir.OpCos, fast: true},
	{op: ir.OpCos, dt: ir.Float32, fast: true, at: []float64{0x1.000002p-24}},
	{op: ir.OpAtan2, at: []float64{-0x1.f191370abeb98p-1020, 0x1.e3f96edc0439cp-1019}}, {op: ir.OpAtan2}, {op: ir.OpAtan2, dt: ir.Float32, fast: true},
	{op: ir.OpExp}, {op: ir.OpExp2}, {op: ir.OpExpm1}, {op: ir.OpExpm1, at: []float64{0x1p-1074}},
	{op: ir.OpLog10}, {op: ir.OpLog10, fast: true, at: []float64{0x1.090f9f0450967p+0}}, {op: ir.OpLog10, fast: true, at: []float64{1e22}},
	{op: ir.OpSinh}, {op: ir.OpSinh, at: []float64{0x1p-1074}}, {op: ir.OpCosh}, {op: ir.OpTanh},
	{op: ir.OpErf}, {op: ir.OpErfc, at: []float64{0x1.a2f8e363ede92p-1}}, {op: ir.OpErfc},
	{op: ir.OpGELU, at: []float64{-0x1.59b0bb744df08p-2}}, {op: ir.OpGELU}, {op: ir.OpGELUTanh},
	{op: ir.OpSigmoid}, {op: ir.OpSigmoid, fast: true}, {op: ir.OpLogit},
	{op: ir.OpELU}, {op: ir.OpELU, dt: ir.Float32, fast: true, at: []float64{-0x1.62f72ap-2, 0x1.b1505ap-8}},
	{op: ir.OpSELU, dt: ir.Float32, fast: true, at: []float64{0x1.e769acp+127}},
}

func writeCases(ctx context.Context, w io.Writer, t table) error {
	for _, c := range pointCases {
		if c.dt == ir.Invalid {
			c.dt = ir.Float64
		}
		if c.at == nil {
			r, ok := t.find(c.op, c.dt, c.fast)
			if !ok {
				return fmt.Errorf("%s is not in the table", c.op)
			}
			c.at = r.at[:c.op.Info().Arity]
		}
		got, err := c.run(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "at %s %s %s %s %s\n", c.op, c.dt.Text(), tierName(c.fast), hexOf(got), hex(c.at))
	}
	if err := writeComplexCases(ctx, w); err != nil {
		return err
	}
	return writeReductions(ctx, w)
}

func (c *pointCase) run(ctx context.Context) (float64, error) {
	list, err := chosen(c.op.String())
	if err != nil {
		return 0, err
	}
	if c.dt == ir.Float32 {
		return runAt[float32](ctx, list[0], c)
	}
	return runAt[float64](ctx, list[0], c)
}

func runAt[T float](ctx context.Context, f *function, c *pointCase) (float64, error) {
	e, err := newEngine[T](f, c.fast, abi.Best())
	if err != nil {
		return 0, err
	}
	out, err := e.run(ctx, []T{T(c.at[0])}, []T{T(c.at[len(c.at)-1])})
	if err != nil {
		return 0, err
	}
	return float64(out[0]), nil
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
	first := func(x graph.Node) graph.Node { return x.LogSoftmax(0).Index(0, 0) }
	outer := func(x graph.Node) graph.Node {
		return x.SliceAxis(0, 0, 2, 1).Reshape(2, 1).MatMul(x.SliceAxis(0, 2, 4, 1).Reshape(1, 2)).Reshape(4).Index(0, 0)
	}
	around := make([]float64, 3000)
	for i := range around {
		around[i] = 1e8 + 1e4*math.Sin(float64(i*i))
	}
	factors := repeated(20, 1e-3, 1480, 1, 20, 1e3)
	return []reduceCase{
		{"logsumexp", "0_and_1000_times_-20", func(x graph.Node) graph.Node { return x.LogSumExp() }, repeated(1, 0, 1000, -20), true},
		{"logsoftmax", "0_and_1000_times_-20,_the_first", first, repeated(1, 0, 1000, -20), true},
		{"matmul", "[[1e-30],[1e-30]]_and_[[1e-30,1e-30]]", outer, repeated(4, 1e-30), false},
		{"std", "3000_around_1e8,_distance_1e4", func(x graph.Node) graph.Node { return x.Std() }, around, false},
		{"var", "3000_times_0.1", variance, repeated(3000, 0.1), true},
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

// repeated returns a list of elements, from pairs of a count and an element.
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
	if x-x != 0 { // in Python's notation
		return strings.ToLower(strings.TrimPrefix(fmt.Sprint(x), "+"))
	}
	return fmt.Sprintf("%x", x)
}

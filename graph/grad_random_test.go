package graph_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestGradOfRandomGraphs compares programs of gradients with the definitions of their ops, bit for bit: fused or not, on
// any number of workers, in assembly and in Go.
func TestGradOfRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs := irtest.Func(t, irtest.Config{Reductions: true, Products: 12, Layouts: true, DTypes: ir.Reals | ir.SetOf(ir.Int64, ir.Bool)})
		checkGradPrograms(t, f, inputs, nil)
	})
}

// TestGradOfRandomSymbolicGraphs is TestGradOfRandomGraphs with symbolic sizes.
func TestGradOfRandomSymbolicGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs, sizes := irtest.SymbolicFunc(t, irtest.Config{Reductions: true, Products: 12, DTypes: ir.Floats | ir.SetOf(ir.Int64, ir.Bool)})
		checkGradPrograms(t, f, inputs, sizes)
	})
}

// checkGradPrograms runs the gradients of the first result of a graph under every option.
func checkGradPrograms(t *rapid.T, f *ir.Func, inputs []eval.Array, sizes map[string]int) {
	var params, xs []graph.Node
	outputs := replay(f, func(i int) graph.Node {
		p := f.Params[i]
		x := graph.Input(p.Name(), p.Type.DType, p.Type.Shape)
		if params = append(params, x); ir.Fractions.Has(p.Type.DType) {
			xs = append(xs, x)
		}
		return x
	})
	k := slices.IndexFunc(outputs, func(y graph.Node) bool { return ir.Fractions.Has(y.DType()) })
	if k < 0 || len(xs) == 0 {
		return
	}
	grads := graph.Grad(outputs[k], xs...)
	for _, g := range grads {
		if err := g.Err(); err != nil && (strings.Contains(err.Error(), "bitcast: the bits") || strings.Contains(err.Error(), "window_quantile: ")) {
			return // ops without a derivative
		}
		noError(t, g.Err(), f)
	}
	defined, captured, err := graph.Define(grads...)
	if err != nil && strings.Contains(err.Error(), "no input tells the size") { // only declared inputs tell it
		return
	}
	noError(t, err, f)
	if len(captured) > 0 {
		t.Fatalf("the gradients capture tensors\n%s", defined)
	}
	bound, err := defined.Bind(sizes)
	noError(t, err, defined)
	var given []eval.Array
	for _, p := range bound.Params {
		given = append(given, inputs[slices.IndexFunc(f.Params, func(v *ir.Value) bool { return v.Name() == p.Name() })])
	}
	want, err := eval.Eval(bound, given)
	noError(t, err, bound)
	var tensors []*graph.Tensor
	for i, p := range f.Params {
		tensors = append(tensors, toTensor(t, inputs[i], p.Attr.At))
	}
	chunk := graph.ChunkElems(rapid.IntRange(1, 40).Draw(t, "chunk"))
	for _, options := range [][]graph.Item{
		{graph.WithDebug(graph.Verify)}, {graph.WithDebug(graph.NoFusion)}, {graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.AVX2)},
		{graph.WithWorkers(1), chunk}, {graph.WithWorkers(2), chunk}, {graph.WithWorkers(3), chunk, graph.WithDebug(graph.TilingOnly)},
	} {
		p, err := graph.Compile(append(options, grads, graph.WithInputs(params...))...)
		noError(t, err, bound)
		outs, err := p.RunAll(context.Background(), tensors...)
		noError(t, err, bound)
		var got []eval.Array
		for _, out := range outs {
			got = append(got, toArray(t, out))
		}
		if diff := irtest.Diff(want, got); diff != "" {
			t.Fatalf("%s\n%s\n%s", diff, bound, p.Explain())
		}
	}
}

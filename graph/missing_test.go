package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestMissingKernels: the signature of a formula without a generated kernel is reported, or is an error on request.
func TestMissingKernels(t *testing.T) {
	x := graph.Input("x", graph.Float32, graph.Dim("n"), 8)
	odd := x.Mul(3).Sin().Sub(x.Tanh()).Mul(x).Add(0.125)
	p, err := graph.Compile(odd)
	require.NoError(t, err)
	missing := p.Missing()
	require.Len(t, missing, 1)
	require.Contains(t, p.Kernels(), missing[0])
	require.Contains(t, p.Explain(), missing[0])

	_, err = graph.Compile(odd, graph.WithGeneratedKernels(), graph.WithName("odd"))
	require.EqualError(t, err, here2(-1)+": compile odd: 1 kernel not generated: run go generate in the package whose function returns this program:\n\t"+missing[0])

	for name, items := range map[string][]graph.Item{"chain": {formula.Chain5()}, "one op": {x.Exp()}, "rows": {x.Add(1).Sum(1)}} {
		p, err := graph.Compile(append(items, graph.WithGeneratedKernels())...)
		require.NoError(t, err, name)
		require.Empty(t, p.Missing(), name)
	}
	require.Nil(t, (*graph.Program)(nil).Missing())
}

// TestKernelsCanBeMade: the signatures that Kernels lists for products of any type and shape are valid, so genkernels
// can make them.
func TestKernelsCanBeMade(t *testing.T) {
	for _, d := range ir.OpDot.Info().Domain.List() {
		x, y := graph.Input("x", d, 65, 3, 4), graph.Input("y", d, 65, 4, 3)
		wide, tall := graph.Input("wide", d, 70, 90), graph.Input("tall", d, 90, 40)
		for name, out := range map[string]graph.Node{
			"small": x.MatMul(y), "swapped": x.MatMul(x.Permute(0, 2, 1)), "pixels": graph.Input("p", d, 1000, 3).MatMul(graph.Input("m", d, 3, 3)),
			"large": wide.MatMul(tall), "vector": wide.MatMul(graph.Input("v", d, 90)), "scan": wide.CumSum(0), "places": wide.ArgMax(0), "columns": wide.Sum(0),
		} {
			p, err := graph.Compile(out)
			require.NoError(t, err)
			for _, sig := range p.Kernels() {
				_, err := kernel.ParseCode(sig)
				require.NoError(t, err, "%s of %s: %s", name, d, sig)
			}
		}
	}
}

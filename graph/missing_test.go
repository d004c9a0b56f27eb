package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/bench/formula"
	"github.com/stridefuse/stridefuse/graph"
)

// TestMissingKernels: a formula that nobody generated is told by its signature, and can be
// made an error; one that was is not.
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

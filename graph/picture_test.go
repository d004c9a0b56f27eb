package graph_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestUnfusedEdges checks the pictures of random graphs: an edge has a reason exactly if a value is computed in one
// step and read in another, through views or not.
func TestUnfusedEdges(t *testing.T) {
	cut := 0
	checkUntil(t, func() bool { return cut > 0 }, func(t *rapid.T) {
		f, _ := irtest.Func(t, irtest.Config{Reductions: true, Products: 12})
		p, err := graph.CompileFunc(f)
		require.NoError(t, err)
		values, steps, edges, err := p.Picture()
		require.NoError(t, err)
		want := unfused(values, steps)
		for _, e := range edges {
			if e.To >= len(values) || len(steps[e.From]) == 0 {
				continue // to a result, or from an input, which may be copied
			}
			require.Equal(t, want[[2]int{e.From, e.To}], e.Why != "", "%d to %d: %q\n%s\n%s", e.From, e.To, e.Why, f, explaining{p})
			require.Equal(t, e.Label != "", e.Why != "")
			if e.Why != "" {
				cut++
			}
		}
	})
	require.Positive(t, cut)
}

// unfused returns the edges from a value to a reader (or to the first view before one) that no step computes together
// with it.
func unfused(values []*ir.Value, steps [][]int) map[[2]int]bool {
	edges := map[[2]int]bool{}
	for r := range values {
		if len(steps[r]) == 0 {
			continue
		}
		for _, a := range values[r].Args {
			reader, from := r, slices.Index(values, a)
			for len(steps[from]) == 0 && values[from].Op.IsView() {
				reader, from = from, slices.Index(values, values[from].Args[0])
			}
			together := slices.ContainsFunc(steps[r], func(s int) bool { return slices.Contains(steps[from], s) })
			if len(steps[from]) > 0 && !together {
				edges[[2]int{from, reader}] = true
			}
		}
	}
	return edges
}

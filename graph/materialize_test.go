package graph_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// TestStencilsAreStoredByCost: the result of a row filter that a column filter reads at several offsets is computed
// once, and read from memory.
func TestStencilsAreStoredByCost(t *testing.T) {
	x := f32("x", 40, 50)
	rows := x.Slice(":, :-2").Add(x.Slice(":, 1:-1")).Add(x.Slice(":, 2:"))
	columns := func(y graph.Node) graph.Node {
		sum := y.Slice(":-4")
		for i := 1; i < 5; i++ {
			sum = sum.Add(y.Slice(fmt.Sprintf("%d:%d", i, 36+i)))
		}
		return sum
	}
	stored := func(y graph.Node) int {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		n := 0
		for _, d := range p.Ledger() {
			if d.Kind == plan.Materialized || d.Kind == plan.Staged {
				n++
			}
		}
		require.Zero(t, p.Copies())
		return n
	}
	require.Equal(t, 1, stored(columns(rows)), "five readers of two additions")
	require.Equal(t, 0, stored(rows.Slice(":-1").Add(rows.Slice("1:"))), "two readers")
	require.Equal(t, 1, stored(rows.Materialize().Slice(":-1").Add(rows.Materialize().Slice("1:"))))

	in := graph.Normal(graph.Float32, 1, 0, 1, 40, 50)
	ys := graph.Nodes{columns(rows), columns(rows.Materialize()), rows, rows.Materialize().Add(0)}
	bits := everyWay(t, ys, in)
	require.Equal(t, bits[0], bits[1])
	require.Equal(t, bits[2], bits[3])
}

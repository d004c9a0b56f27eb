package irtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestFunc checks that random graphs are valid, evaluate, and keep the limits.
func TestFunc(t *testing.T) {
	seen := map[ir.Op]int{}
	elsewhere := []ir.Op{ir.OpParam, ir.OpExtent, ir.OpReduceChunks, ir.OpTable, ir.OpScalb, ir.OpLeaves} // made by callers, by graph.Mean, by passes, by expansions, of nodes that form trees
	missing := func() []ir.Op {
		return slices.DeleteFunc(ir.Ops(), func(op ir.Op) bool { return seen[op] > 0 || slices.Contains(elsewhere, op) })
	}
	const rounds = 100 // by far enough for each op, though some are rare; with -short a round has few graphs
	for round := 0; round < rounds && len(missing()) > 0; round++ {
		for _, cfg := range []Config{{}, {Layouts: true, Accesses: true}, {NoViews: true, MaxNodes: 15, MaxElems: 100}, {Reductions: true, Products: 12}, {Reductions: true, DTypes: ir.SetOf(ir.Bool, ir.Int32)}} {
			rapid.Check(t, func(t *rapid.T) {
				f, inputs := Func(t, cfg)
				requireValid(t, f, cfg)
				for _, v := range f.Body {
					seen[v.Op]++
				}
				out, err := eval.Eval(f, inputs)
				require.NoError(t, err)
				require.Len(t, out, len(f.Results))
			})
		}
	}
	require.Empty(t, missing(), "no random graph has these")
}

func requireValid(t *rapid.T, f *ir.Func, cfg Config) {
	cfg = cfg.withDefaults()
	require.NoError(t, ir.Verify(f, ir.StageGraph))
	require.LessOrEqual(t, len(f.Body), cfg.MaxNodes)
	require.LessOrEqual(t, len(f.Results), 3)
	for _, v := range f.Body {
		shape, ok := v.Type.Shape.Ints()
		require.True(t, ok)
		n, err := layout.NumElems(shape)
		require.NoError(t, err)
		if !cfg.Reductions {
			require.LessOrEqual(t, n, cfg.MaxElems, "%s", f)
		}
	}
}

// TestSymbolicFunc checks that symbolic graphs hold for their sizes.
func TestSymbolicFunc(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f, inputs, sizes := SymbolicFunc(t, Config{})
		require.NoError(t, ir.Verify(f, ir.StageGraph))
		bound, err := f.Bind(sizes)
		require.NoError(t, err, "%v\n%s", sizes, f)
		requireValid(t, bound, Config{})
		_, err = eval.Eval(bound, inputs)
		require.NoError(t, err, "%v\n%s", sizes, f)
	})
}

package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// raggedOffsets returns the offsets of rows of some lengths, and the row of each element.
func raggedOffsets(lengths []int) (offsets, rows *graph.Tensor) {
	o, at := []int64{0}, []int64{}
	for r, n := range lengths {
		for range n {
			at = append(at, int64(r))
		}
		o = append(o, int64(len(at)))
	}
	return graph.Of(o), graph.Of(at)
}

// TestRagged compares bit for bit with segment reductions of the same elements: elements and products, single ones and
// slices, in views, of all types.
func TestRagged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.OneOf(rapid.IntRange(0, 3), rapid.IntRange(0, 50)), 1, 20).Draw(t, "lengths")
		offsets, rowOf := raggedOffsets(lengths)
		k, rows, extent := rowOf.Size(), len(lengths), rapid.IntRange(1, 30).Draw(t, "extent")
		d := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float32, graph.Float64, graph.Int32, graph.Int64, graph.Uint64, graph.Float16, graph.Int8}).Draw(t, "type")
		cols := rapid.SampledFrom([]int{0, 1, 2, 7, 8, 9, 33, 100}).Draw(t, "columns") // 0 means single elements
		width := max(1, cols)
		ids := graph.Const(bags(t, uint64(rapid.IntRange(0, 99).Draw(t, "seed")), extent, 1, k).Reshape(k))
		table, weights := graph.Input("table", d, extent, width), graph.Const(tableOf(t, d, []int{max(1, k), 1})).SliceAxis(0, 0, k, 1)
		if rapid.Bool().Draw(t, "flipped") {
			table = table.Flip(0)
		}
		if cols == 0 {
			table, weights = table.Index(1, 0), weights.Index(1, 0)
		}
		x := table.Take(0, ids)
		switch rapid.IntRange(0, 3).Draw(t, "weights") {
		case 0:
			x = x.Mul(weights)
		case 1:
			x = weights.Mul(x)
		case 2:
			x = x.Mul(2).Abs()
		}
		o := graph.Const(offsets)
		var y, want graph.Node
		switch rapid.SampledFrom([]string{"sum", "sum", "min", "max"}).Draw(t, "reduction") {
		case "sum":
			y, want = x.RaggedSum(o), x.SegmentSum(rowOf, rows)
		case "min":
			y, want = x.RaggedMin(o), x.SegmentMin(rowOf, rows)
		case "max":
			y, want = x.RaggedMax(o), x.SegmentMax(rowOf, rows)
		}
		in := tableOf(t, d, []int{extent, width})
		expected := run(t, want, in)
		for _, options := range append(bagOptions, []graph.Item{graph.WithDebug(graph.NoFusion)}) {
			p, err := graph.Compile(append(options, y)...)
			require.NoError(t, err)
			got, err := p.Run(t.Context(), in)
			require.NoError(t, err)
			require.True(t, graph.Equal(expected, got), explaining{p})
		}
	})
}

// TestProductsOfSparseMatrices: the product of a sparse matrix with a vector or a matrix is one step that stores no
// products.
func TestProductsOfSparseMatrices(t *testing.T) {
	const rows, count, extent = 1000, 20000, 3000
	offsets, index, values := graph.Input("offsets", graph.Int64, rows+1), graph.Input("index", graph.Int64, count), graph.Input("values", graph.Float32, count)
	for _, y := range []graph.Node{
		graph.Input("x", graph.Float32, extent).Take(0, index).Mul(values).RaggedSum(offsets),
		values.Mul(graph.Input("x", graph.Float32, extent).Take(0, index)).RaggedSum(offsets),
		graph.Input("x", graph.Float32, extent, 16).Take(0, index).Mul(values.Unsqueeze(-1)).RaggedSum(offsets),
	} {
		p, err := graph.Compile(y)
		require.NoError(t, err)
		require.Zero(t, p.Temporaries(), explaining{p})
		require.Contains(t, p.Explain(), "step 0  a ragged_mul_add of lines")
		require.NotContains(t, p.Explain(), "step 1 ")
		for _, d := range p.Ledger() {
			require.Equal(t, plan.Fused, d.Kind, "%s: %s", d.Op, explaining{p})
		}
	}
}

// TestRaggedErrors: wrong offsets and indices are errors of the run, fused or not.
func TestRaggedErrors(t *testing.T) {
	const extent, cols = 5, 16
	table := graph.Normal(graph.Float32, 1, 0, 1, extent, cols)
	offsets, index := graph.Input("offsets", graph.Int64, 4), graph.Input("index", graph.Int64, 6)
	y := graph.Input("table", graph.Float32, extent, cols).Take(0, index).Mul(graph.Iota(graph.Float32, 6).Unsqueeze(-1)).RaggedSum(offsets)
	good := []int64{0, 4, 1, 2, 3, 0}
	for _, c := range []struct {
		offsets, index []int64
		want           string
	}{
		{[]int64{0, 2, 2, 6}, good, ""},
		{[]int64{1, 2, 2, 6}, good, "raggedsum: index -1 is outside an axis of 3 elements"},
		{[]int64{0, 2, 2, 5}, good, "raggedsum: index 3 is outside an axis of 3 elements"},
		{[]int64{0, 2, 2, 7}, good, "raggedsum: index 7 is outside an axis of 7 elements"},
		{[]int64{0, 3, 1, 6}, good, "raggedsum: index -2 is outside an axis of 1 elements"},
		{[]int64{-1, 2, 2, 6}, good, "raggedsum: index -1 is outside an axis of 7 elements"},
		{[]int64{0, 2, 2, 6}, []int64{0, 4, 1, 2, 5, 0}, "take: index 5 at [4] of the indices index int64[6] is outside axis 0 of table float32[5,16]"},
		{[]int64{0, 2, 2, 6}, []int64{0, 4, 1, 2, 1, -1}, "take: index -1 at [5] of the indices index int64[6] is outside axis 0 of table float32[5,16]"},
	} {
		for _, options := range append(bagOptions, []graph.Item{graph.WithDebug(graph.NoFusion)}) {
			p, err := graph.Compile(append(options, y)...)
			require.NoError(t, err)
			feeds := map[string]*graph.Tensor{"table": table, "offsets": graph.Of(c.offsets), "index": graph.Of(c.index)}
			var ins []*graph.Tensor
			for _, in := range p.Inputs() {
				ins = append(ins, feeds[in.Name])
			}
			_, err = p.Run(t.Context(), ins...)
			if c.want == "" {
				require.NoError(t, err)
				continue
			}
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, "ragged_test.go")
		}
	}
}

// TestRaggedMisuse: meaningless arguments are errors at the user's line; no elements and no rows are valid.
func TestRaggedMisuse(t *testing.T) {
	x, offsets := graph.Const(graph.Ones(graph.Float32, 3, 2)), graph.Const(graph.Of([]int64{0, 1, 3}))
	for want, y := range map[string]graph.Node{
		"raggedsum: float32[] and offsets int64[3]: rows are of slices of the first axis":      graph.Scalar(graph.Float32, 1).RaggedSum(offsets),
		"raggedmax: float32[3,2] and offsets int64[3,1]: rows are of slices of the first axis": x.RaggedMax(offsets.Unsqueeze(-1)),
		"raggedmin: does not take bool":              x.Eq(1).RaggedMin(offsets),
		"raggedsum: the indices are float32":         x.RaggedSum(graph.Const(graph.Ones(graph.Float32, 3))),
		"there must be one more than there are rows": x.RaggedSum(graph.Const(graph.New(graph.Int64, 0))),
		"there is no row for the elements":           x.RaggedSum(graph.Const(graph.New(graph.Int64, 1))),
	} {
		require.ErrorContains(t, y.Err(), want)
		require.ErrorContains(t, y.Err(), "ragged_test.go")
	}
	empty := graph.Input("x", graph.Float32, 0, 2)
	for _, rows := range []int{0, 2} {
		got := run(t, empty.RaggedMax(graph.New(graph.Int64, rows+1)), graph.New(graph.Float32, 0, 2))
		require.Equal(t, []int{rows, 2}, got.Shape())
		for r := range rows {
			e, err := graph.At[float32](got, r, 0)
			require.NoError(t, err)
			require.Equal(t, ir.ToFloat(ir.Float32, ir.EmptyReduction(ir.OpMax, ir.Float32)), float64(e))
		}
	}
	p, err := graph.Compile(empty.RaggedSum(graph.Input("offsets", graph.Int64, 3)))
	require.NoError(t, err)
	for _, bad := range [][]int64{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}} {
		_, err = p.Run(t.Context(), graph.New(graph.Float32, 0, 2), graph.Of(bad))
		require.ErrorContains(t, err, "outside an axis of 1 elements")
	}
}

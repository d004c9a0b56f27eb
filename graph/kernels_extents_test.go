package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestKernelsOfExtents: the kernels that genkernels emits for a formula of matrices serve all sizes, including extents
// of 1, and broadcast matrices. Formulas with columns, and reductions of rows, run tilings in the cases of
// tilingsOfColumns, each of which occurs.
func TestKernelsOfExtents(t *testing.T) {
	n, m := graph.Dim("n"), graph.Dim("m")
	x, y := graph.Input("x", graph.Float32, n, m), graph.Input("y", graph.Float32, n, m)
	row, column, one := graph.Input("row", graph.Float32, m), graph.Input("column", graph.Float32, n, 1), graph.Input("one", graph.Float32)
	z, w := cmplx.Input("z", graph.Float32, n, m), cmplx.Input("w", graph.Float32, n, m)
	pixels := graph.Input("pixels", graph.Uint8, n, m, 3)
	alike := map[string]graph.Node{
		"chain":  x.Mul(y).Add(1).Tanh().Sub(x),
		"row":    x.Mul(row).Add(0.5).Tanh().Mul(row),
		"scalar": x.Mul(one).Add(row).Erf(),

		"complex": z.Mul(w).Sub(z).Mul(w).Interleaved(),
		"planes":  pixels.Permute(2, 0, 1).Cast(graph.Float32).Mul(0.3).Tanh(),
		"pixels":  graph.Stack(-1, x.Tanh(), y.Mul(2).Exp(), x.Sub(y)),
	}
	columns := map[string]graph.Node{
		"column":    x.Sub(column).Mul(column).Exp().Add(2),
		"both":      x.Sub(column).Mul(row).Sigmoid().Mul(y),
		"outer":     row.Mul(column).Add(row).Tanh(),
		"condition": graph.Where(x.Lt(row), x.Exp(), y.Mul(column)),
		"row sum":   x.Mul(row).Add(1).Tanh().Sum(1),
		"centered":  x.Sub(x.Mean(1, graph.KeepDims)).Mul(row).Tanh(),
		"softmax":   x.Mul(row).Softmax(-1),
		"layernorm": x.LayerNorm(2, 1, 1e-5),
	}
	for name, z := range alike {
		eachExtent(t, z, func(c extents, missing []string) { require.Empty(t, missing, "%s of %+v", name, c) })
	}
	occurs := make([]bool, len(tilingsOfColumns))
	for name, z := range columns {
		eachExtent(t, z, func(c extents, missing []string) {
			expected := false
			for i, applies := range tilingsOfColumns {
				if applies(c) {
					expected, occurs[i] = true, occurs[i] || len(missing) > 0
				}
			}
			require.True(t, expected || len(missing) == 0, "%s of %+v: %v", name, c, missing)
		})
	}
	require.NotContains(t, occurs, false)
}

// extents is one case: a size, and the matrix with a broadcast axis, or -1.
type extents struct{ rows, cols, matrix, axis int }

// tilingsOfColumns are the cases in which a formula with a column has no generated kernel.
var tilingsOfColumns = []func(extents) bool{
	// The rows of a matrix of one column become one line, along which a column operand varies.
	func(c extents) bool { return c.cols == 1 },
	// Many short rows also become one line.
	func(c extents) bool { return c.cols < 8 && c.rows > 8*c.cols },
	// A row of one broadcast element is an operand of another class.
	func(c extents) bool { return c.axis == 1 },
}

// eachExtent calls f for sizes and layouts of a formula's inputs, with the kernels that each needs in addition to those
// that genkernels emits.
func eachExtent(t *testing.T, z graph.Node, f func(c extents, missing []string)) {
	p, err := graph.Compile(z)
	require.NoError(t, err)
	kernels, ins := p.Kernels(), p.Inputs()
	for _, rows := range []int{1, 2, 7, 100} {
		for _, cols := range []int{1, 2, 7, 100, 1000} {
			check := func(matrix, axis int, layouts []*layout.Layout) {
				missing, err := p.MissingBeside(kernels, map[string]int{"n": rows, "m": cols}, layouts)
				require.NoError(t, err)
				f(extents{rows, cols, matrix, axis}, missing)
			}
			check(-1, -1, nil)
			for i, in := range ins {
				if in.Shape.String() != "[n,m]" {
					continue
				}
				for axis := range 2 {
					l, layouts := layout.RowMajor(rows, cols), make([]*layout.Layout, len(ins))
					l.Strides[axis], layouts[i] = 0, &l
					check(i, axis, layouts)
				}
			}
		}
	}
}

// TestKernelsOfOneRow: what genkernels emits for layers and a training step serves a batch of one.
func TestKernelsOfOneRow(t *testing.T) {
	x, target := graph.Input("x", graph.Float32, graph.Dim("n"), 20), graph.Input("target", graph.Float32, graph.Dim("n"), 3)
	v, w, b := graph.Input("v", graph.Float32, 20, 30), graph.Input("w", graph.Float32, 30, 3), graph.Input("b", graph.Float32, 30)
	hidden := x.MatMul(v).Add(b).Maximum(0)
	y := hidden.MatMul(w)
	d := y.Sub(target)
	p, err := graph.Compile(y.Softmax(-1), d.Square().Mean(), w.Sub(hidden.T().MatMul(d).Mul(0.1)), b.Sub(d.MatMul(w.T()).Mul(hidden.Gt(0).Cast(graph.Float32)).Sum(0)))
	require.NoError(t, err)
	kernels := p.Kernels()
	for _, rows := range []int{1, 2, 7, 100, 2000} {
		missing, err := p.MissingBeside(kernels, map[string]int{"n": rows}, nil)
		require.NoError(t, err)
		require.Empty(t, missing, "%d rows", rows)
	}
}

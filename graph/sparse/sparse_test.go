package sparse_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/sparse"
)

var ctx = context.Background()

func run(t require.TestingT, x graph.Node) *graph.Tensor { return runWith(t, x, nil) }

// runWith runs a program with those of the inputs that it has.
func runWith(t require.TestingT, x graph.Node, inputs map[string]*graph.Tensor) *graph.Tensor {
	p, err := graph.Compile(x)
	require.NoError(t, err)
	var args []*graph.Tensor
	for _, in := range p.Inputs() {
		args = append(args, inputs[in.Name])
	}
	out, err := p.Run(ctx, args...)
	require.NoError(t, err)
	return out
}

// equal requires that two tensors have one type, shape and elements; -0 is 0.
func equal(t require.TestingT, want, got *graph.Tensor, about ...any) {
	require.Equal(t, want.DType(), got.DType(), about...)
	require.Equal(t, want.Shape(), got.Shape(), about...)
	same, err := graph.At[bool](run(t, graph.Const(want).Eq(got).All()))
	require.NoError(t, err)
	require.True(t, same, "%v: want %v\ngot %v", about, want, got)
}

// drawDense returns a matrix of small integers, most of them 0: their sums and products are exact.
func drawDense(t *rapid.T, name string, dt graph.DType, m, n int) *graph.Tensor {
	numbers := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0, 0, 1, -2, 3}), m*n, m*n).Draw(t, name)
	return run(t, graph.Const(graph.Of(numbers, m, n)).Cast(dt))
}

// TestMatrix makes sparse matrices of dense ones, computes with them in programs of any size, and
// compares with the dense operations.
func TestMatrix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dt := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64, graph.Int32}).Draw(t, "dtype")
		m, n, wide := rapid.IntRange(0, 6).Draw(t, "m"), rapid.IntRange(0, 6).Draw(t, "n"), rapid.IntRange(0, 3).Draw(t, "wide")
		dense := drawDense(t, "a", dt, m, n)
		if rapid.Bool().Draw(t, "flipped") {
			dense = dense.Flip(1)
		}
		e, err := sparse.FromDense(ctx, dense)
		require.NoError(t, err)

		mm, nn, k := graph.Dim("m"), graph.Dim("n"), graph.Dim("k")
		values := graph.Input("values", dt, k)
		coo := sparse.NewCOO(graph.Input("rows", graph.Int64, k), graph.Input("cols", graph.Int64, k), values, mm, nn)
		x, d := graph.Input("x", dt, nn, graph.Dim("wide")), graph.Input("d", dt, mm, nn)
		offsets := graph.Input("offsets", graph.Int64, graph.Dim("m+1"))
		csr := sparse.NewCSR(offsets, graph.Input("cols", graph.Int64, k), values, nn)
		again := coo.CSR()

		xt, other := drawDense(t, "x", dt, n, wide), drawDense(t, "d", dt, m, n)
		inputs := map[string]*graph.Tensor{"values": e.Values, "rows": e.Rows, "cols": e.Cols, "offsets": e.Offsets, "x": xt, "d": other}
		a := graph.Const(dense)
		for name, c := range map[string]struct{ got, want graph.Node }{
			"dense":       {coo.AddTo(d.Sub(d)), a},
			"add":         {coo.AddTo(d), a.Add(other)},
			"mul":         {coo.Mul(d).AddTo(d), a.Mul(other).Add(other)},
			"matmul":      {coo.MatMul(x).Add(d.Sum(1).Unsqueeze(-1)), a.MatMul(xt).Add(graph.Const(other).Sum(1).Unsqueeze(-1))},
			"transpose":   {coo.T().MatMul(d), a.T().MatMul(other)},
			"csr":         {csr.MatMul(x), a.MatMul(xt)},
			"csr of coo":  {again.MatMul(x).Add(d.Sum(1).Unsqueeze(-1)), a.MatMul(xt).Add(graph.Const(other).Sum(1).Unsqueeze(-1))},
			"csr dense":   {csr.COO().AddTo(d), a.Add(other)},
			"sum of rows": {csr.Sum(), a.Sum(1).Cast(dt)},
		} {
			equal(t, run(t, c.want), runWith(t, c.got, inputs), name)
		}
	})
}

// TestKnown makes a matrix of known sizes whose elements are in any order, two of them at one place.
func TestKnown(t *testing.T) {
	rows, cols := graph.Of([]int32{1, 0, 1, 1}), graph.Of([]uint8{2, 0, 0, 2})
	a := sparse.NewCOO(graph.Const(rows), graph.Const(cols), graph.Const(graph.Of([]float32{1, 2, 3, 4})), 2, 3)
	want := graph.Of([]float32{2, 0, 0, 3, 0, 5}, 2, 3)
	equal(t, want, run(t, a.Dense()))
	equal(t, want, run(t, a.CSR().Dense()))
	equal(t, graph.Of([]int64{0, 1, 4}), run(t, a.CSR().Offsets))
	equal(t, graph.Of([]float32{2, 1, 3, 4}), run(t, a.CSR().Values))
	equal(t, graph.Of([]float32{2, 8}), run(t, a.MatMul(graph.Const(graph.Ones(graph.Float32, 3)))))
	equal(t, graph.Of([]float32{2, 8.0 / 3}), run(t, a.CSR().Mean()))
	equal(t, run(t, a.Dense().T().MatMul(graph.Const(want))), run(t, a.T().MatMul(graph.Const(want))))
}

// TestRagged compares with loops over rows, some of them empty.
func TestRagged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 6).Draw(t, "lengths")
		wide := rapid.IntRange(1, 3).Draw(t, "wide")
		offsets := []int64{0}
		for _, n := range lengths {
			offsets = append(offsets, offsets[len(offsets)-1]+int64(n))
		}
		k := int(offsets[len(lengths)])
		values := run(t, graph.Const(graph.Normal(graph.Float64, 1, 0, 9, k, wide)).Round())
		r := sparse.NewRagged(graph.Input("offsets", graph.Int64, graph.Dim("m+1")), graph.Input("values", graph.Float64, graph.Dim("k"), wide))
		inputs := map[string]*graph.Tensor{"values": values, "offsets": graph.Of(offsets)}
		rowOf, padded := make([]int64, 0, k), graph.Full(graph.Float64, -7, len(lengths), 4, wide)
		for row, n := range lengths {
			rowOf = append(rowOf, slices.Repeat([]int64{int64(row)}, n)...)
			if n > 0 {
				require.NoError(t, graph.Copy(padded.Index(0, row).SliceAxis(0, 0, n, 1), values.SliceAxis(0, int(offsets[row]), int(offsets[row])+n, 1)))
			}
		}
		equal(t, graph.Of(rowOf), runWith(t, r.RowOf().Add(r.Values.Sum(1).Mul(0).Cast(graph.Int64)), inputs))
		equal(t, padded, runWith(t, r.Padded(4, -7), inputs))
		for row, n := range lengths {
			if n == 0 {
				continue
			}
			one := graph.Const(padded.Index(0, row).SliceAxis(0, 0, n, 1))
			equal(t, run(t, one.Sum(0)), runWith(t, r.Sum(), inputs).Index(0, row).Clone())
			equal(t, run(t, one.Max(0)), runWith(t, r.Max(), inputs).Index(0, row).Clone())
			equal(t, run(t, one.Min(0)), runWith(t, r.Min(), inputs).Index(0, row).Clone())
			equal(t, run(t, one.Sum(0).Div(float64(n))), runWith(t, r.Mean(), inputs).Index(0, row).Clone())
			spread := runWith(t, r.With(r.Values.Sub(r.Spread(r.Max()))).Sum(), inputs).Index(0, row).Clone()
			equal(t, run(t, one.Sub(one.Max(0)).Sum(0)), spread)
		}
	})
}

// TestMisuse compiles what has no meaning, and runs programs with bad offsets and indices.
func TestMisuse(t *testing.T) {
	f := func(shape ...int) graph.Node { return graph.Const(graph.Ones(graph.Float32, shape...)) }
	i := func(v ...int64) graph.Node { return graph.Const(graph.Of(v)) }
	a := sparse.NewCOO(i(0, 1), i(0, 2), f(2), 2, 3)
	r := sparse.NewRagged(i(0, 2, 5), f(5, 2))
	for want, x := range map[string]graph.Node{
		"coo: rows [2], columns [3] and values [2]: they must be vectors of one length":   sparse.NewCOO(i(0, 1), i(0, 1, 2), f(2), 2, 3).Dense(),
		"coo: rows [2], columns [2] and values [2,1]: they must be vectors of one length": sparse.NewCOO(i(0, 1), i(0, 1), f(2, 1), 2, 3).CSR().MatMul(f(3)),
		"extent": sparse.NewCOO(i(0), i(0), f(1), "m", 3).Dense(),
		"ragged: offsets [2,2] and values [4]: they must have shapes [rows+1] and [k, ...]":       sparse.NewRagged(graph.Const(graph.Ones(graph.Int64, 2, 2)), f(4)).Sum(),
		"ragged: offsets [0] and values [4]: they must have shapes [rows+1] and [k, ...]":         sparse.NewCSR(i(), i(0, 1, 2, 3), f(4), 3).Sum(),
		"matmul: an array [2] and a sparse matrix [2,3]: the array must begin with the axes [3]":  a.MatMul(f(2)),
		"at: an array [3,2] and a sparse matrix [2,3]: the array must begin with the axes [2,3]":  a.Mul(f(3, 2)).Dense(),
		"addto: an array [2] and a sparse matrix [2,3]: the array must begin with the axes [2,3]": a.AddTo(f(2)),
		"matmul: an array of int64 and a sparse matrix of float32: Cast one of them":              a.MatMul(i(1, 2, 3)),
		"coo: rows [2], columns [2] and values [3]: they must be vectors of one length":           a.With(f(3)).Dense(),
		"spread: [3] for 2 rows":             r.Spread(f(3)),
		"with: [4] values for rows of [5,2]": r.With(f(4)).Sum(),
	} {
		_, err := graph.Compile(x)
		require.ErrorContains(t, err, want)
		require.Regexp(t, `^sparse_test.go:\d+: `, err.Error())
	}
	for want, x := range map[string]graph.Node{
		"index 3":    sparse.NewCOO(i(0, 1), i(0, 3), f(2), 2, 3).Dense(),
		"index 2":    sparse.NewCOO(i(0, 2), i(0, 1), f(2), 2, 3).MatMul(f(3)),
		"index 6":    sparse.NewRagged(i(0, 2, 6), f(5)).Sum(),
		"index -1":   sparse.NewRagged(i(1, 2, 5), f(5)).Sum(),
		"index 2 ":   sparse.NewRagged(i(0, 2, 4), f(5)).Sum(),
		"index 2 at": r.Padded(2, 0),
		"index -2 ":  sparse.NewRagged(i(0, 5, 3, 9), f(9)).Mean(),
		"index -1 i": sparse.NewCSR(i(0, 3, 2, 4), i(0, 1, 2, 0), f(4), 3).MatMul(f(3)),
	} {
		p, err := graph.Compile(x) // computes what depends on constants alone
		if err == nil {
			_, err = p.Run(ctx)
		}
		require.ErrorContains(t, err, want)
	}
	_, err := sparse.FromDense(ctx, graph.Ones(graph.Float32, 3))
	require.ErrorContains(t, err, "fromdense: shape [3]: a matrix has 2 axes")
	_, err = sparse.FromDense(ctx, nil)
	require.Error(t, err)
}

package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
)

// TestBindPositions checks that copies of a graph know where its params are
// from, and that an error of one says so.
func TestBindPositions(t *testing.T) {
	f := &ir.Func{}
	p := f.Param("z", ir.Type{DType: F32, Shape: ir.Shape{ir.Sym("n")}}, nil)
	p.Pos = ir.Pos{File: "main.go", Line: 7}
	f.Results = f.Params
	g, err := f.Bind(map[string]int{"n": 3})
	require.NoError(t, err)
	require.Equal(t, p.Pos, g.Params[0].Pos)
	require.Equal(t, p.Pos, f.Clone().Params[0].Pos)

	for size, want := range map[string]string{
		"m": `main.go:7: input z: extent n: the size "n" is not bound`,
		"n": "main.go:7: input z: shape [n]: extent n of axis 0 is -1, which is negative",
	} {
		_, err := f.Bind(map[string]int{size: -1})
		require.EqualError(t, err, want)
		var e *ir.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, p.Pos, e.Pos)
	}
}

// TestCopiesStandApart checks that values made many at a time share no operands,
// and that a copy of a graph, bound or not, can be changed apart from it.
func TestCopiesStandApart(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: F32, Shape: ir.ShapeOf(3)}, nil)
	args := []*ir.Value{x, x}
	for range 300 {
		v, err := f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, args...)
		require.NoError(t, err)
		args[0] = v
	}
	f.Results = f.Body[299:]
	text := f.String()
	bound, err := f.Bind(nil)
	require.NoError(t, err)
	for _, g := range []*ir.Func{f.Clone(), bound} {
		require.Equal(t, text, g.String())
		for i, v := range g.Body {
			v.Op, v.Args[1] = ir.OpMul, g.Body[max(i-1, 0)]
		}
		require.Equal(t, text, f.String())
	}
}

// TestSweep checks that Sweep keeps what the results need, in its order, and
// numbers it.
func TestSweep(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: F32}, nil)
	add := mustAdd(t, f)
	a := add(ir.OpNeg, ir.Attr{}, x)
	add(ir.OpAbs, ir.Attr{}, a)
	b := add(ir.OpSqrt, ir.Attr{}, a)
	f.Results = []*ir.Value{b}
	f.Sweep()
	require.Equal(t, []*ir.Value{a, b}, f.Body)
	require.Equal(t, []int{0, 1, 2}, []int{a.ID, b.ID, add(ir.OpNeg, ir.Attr{}, b).ID})
	require.Equal(t, []int{0, 1, 3}, []int{f.Index(x), f.Index(a), f.Index(f.Body[2])})
}

// TestCopiesGrow: a copy of a graph may be changed and grow, and neither the graph nor other copies change with it.
func TestCopiesGrow(t *testing.T) {
	sumOf := func(n int) *ir.Func {
		f := &ir.Func{Name: "sum"}
		x := f.Param("x", ir.Type{DType: F32, Shape: ir.ShapeOf(3)}, nil)
		y := x
		for range n {
			var err error
			y, err = f.Add(ir.OpAdd, ir.Attr{}, ir.Pos{}, y, x)
			require.NoError(t, err)
		}
		f.Results = []*ir.Value{y}
		return f
	}
	held, err := sumOf(4).Bind(nil)
	require.NoError(t, err)
	text := held.String()
	for _, n := range []int{30, 3, 300, 1, 2000, 8} {
		f := sumOf(n)
		g, err := f.Bind(nil)
		require.NoError(t, err)
		require.Equal(t, f.String(), g.String())
		for range 100 { // more than there is room for
			v, err := g.Add(ir.OpNeg, ir.Attr{}, ir.Pos{}, g.Results[0])
			require.NoError(t, err)
			require.Len(t, v.Args, 1)
			g.Results[0] = v
		}
		require.NoError(t, ir.Verify(g, ir.StageGraph))
		g.Sweep()
		require.Equal(t, text, held.String())
	}
}

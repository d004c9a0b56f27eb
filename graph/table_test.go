package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// TestTable compares chains over bytes, computed by lookup tables, with the same chains over floats: the bits are the
// same.
func TestTable(t *testing.T) {
	const rows, cols = 40, 67
	bytes, floats := make([]uint8, rows*cols*3), make([]float32, rows*cols*3)
	for i := range bytes {
		bytes[i] = uint8(i*7919 + i>>3)
		floats[i] = float32(int8(bytes[i]))
	}
	signed := graph.Input("x", graph.Uint8, rows, cols, 3).Bitcast(graph.Int8).Materialize()
	scale := graph.Const(graph.Of([]float32{1.5, -2, float32(math.Inf(1))}))
	for name, of := range map[string]func(x graph.Node) graph.Node{
		"flat":     func(x graph.Node) graph.Node { return x.Pow(2.2).Add(1) },
		"channels": func(x graph.Node) graph.Node { return x.Sin().Mul(scale) },
		"strided":  func(x graph.Node) graph.Node { return x.Slice("::2, 60:3:-1, 1").Tan() },
	} {
		p, err := graph.Compile(of(signed.Cast(graph.Float32)))
		require.NoError(t, err)
		got, err := p.Run(context.Background(), graph.Of(bytes, rows, cols, 3))
		require.NoError(t, err)
		require.Contains(t, p.Explain(), ": table", name)
		computed, err := graph.Compile(of(graph.Input("x", graph.Float32, rows, cols, 3)))
		require.NoError(t, err)
		want, err := computed.Run(context.Background(), graph.Of(floats, rows, cols, 3))
		require.NoError(t, err)
		require.Equal(t, elements(t, want), elements(t, got), name)
	}
}

// TestTableParts compares loops that look up a part of their body with their definition.
func TestTableParts(t *testing.T) {
	bytes := []graph.DType{graph.Uint8, graph.Int8, graph.Bool, graph.Float8E4M3FN, graph.Float8E5M2, graph.Int4}
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(20, 40).Draw(t, "rows"), rapid.IntRange(30, 50).Draw(t, "columns")
		in := []eval.Array{
			irtest.Array(t, rapid.SampledFrom(bytes).Draw(t, "type"), rows, cols, 3), irtest.Array(t, graph.Uint8, rows, cols, 3),
			irtest.Array(t, graph.Float32, rows, cols, 3), irtest.Array(t, graph.Float32, 3),
		}
		x, y := inputLike("x", toTensor(t, in[0], nil)), inputLike("y", toTensor(t, in[1], nil))
		full, channel := inputLike("full", toTensor(t, in[2], nil)), inputLike("channel", toTensor(t, in[3], nil))
		seen := rapid.SampledFrom([]func(x graph.Node) graph.Node{
			func(x graph.Node) graph.Node { return x }, func(x graph.Node) graph.Node { return x.Slice("::-1, ::2") },
			func(x graph.Node) graph.Node { return x.Permute(2, 1, 0) }, func(x graph.Node) graph.Node { return x.Index(-1, 1) },
		}).Draw(t, "seen")
		float := rapid.SampledFrom([]graph.DType{graph.Float32, graph.Float64}).Draw(t, "float")
		costly := func(x graph.Node) graph.Node {
			x = x.Cast(float)
			for range rapid.IntRange(1, 3).Draw(t, "ops") {
				switch rapid.IntRange(0, 4).Draw(t, "op") {
				case 0:
					x = x.Div(255).Abs().Pow(2.2)
				case 1:
					x = x.Sin()
				case 2:
					x = x.Add(1).Mul(x)
				case 3:
					x = x.Tanh()
				case 4:
					x = x.Atan()
				}
			}
			return x
		}
		z := costly(x)
		if rapid.Bool().Draw(t, "by channel") {
			z = z.Mul(channel.Cast(float))
		}
		z = seen(z)
		used := graph.Nodes{}
		for range rapid.IntRange(1, 2).Draw(t, "uses") {
			switch rapid.IntRange(0, 6).Draw(t, "use") {
			case 0:
				used = append(used, z.Sum())
			case 1:
				used = append(used, z.Max(0))
			case 2:
				used = append(used, z.Sum(-1).Mul(2))
			case 3:
				used = append(used, z.Mul(seen(full).Cast(float)).Add(1))
			case 4:
				used = append(used, z.Mul(0.5).Add(seen(costly(y)).Mul(0.5)))
			case 5:
				used = append(used, z.Sub(z.Max(-1).Unsqueeze(-1)), z.Add(seen(x).Cast(float)))
			case 6:
				used = append(used, z.CumSum(0), z.Mul(seen(y).Cast(float)))
			}
		}
		f, _, err := graph.Define(used...)
		require.NoError(t, err)
		named := map[string]eval.Array{"x": in[0], "y": in[1], "full": in[2], "channel": in[3]}
		var inputs []eval.Array
		for _, p := range f.Params {
			inputs = append(inputs, named[p.Name()])
		}
		checkPrograms(t, f, inputs, nil)
	})
}

// TestTableExplained requires that loops use lookup tables for values that are reduced, or combined with others, where
// that pays.
func TestTableExplained(t *testing.T) {
	for _, n := range []int{300, 1 << 13, 1<<13 + 1} {
		x, y := graph.Input("x", graph.Uint8, n), graph.Input("y", graph.Float32, n)
		pow := x.Cast(graph.Float32).Pow(2.2)
		for name, z := range map[string]graph.Node{
			"sum": pow.Sum(), "product": pow.Mul(y), "bool": x.Cast(graph.Bool).Materialize().Cast(graph.Float32).Sin().Tanh().Mul(y),
		} {
			p, err := graph.Compile(z)
			require.NoError(t, err)
			if n < 1000 {
				require.NotContains(t, p.Explain(), ": table", "%s of %d", name, n)
				continue
			}
			require.Contains(t, p.Explain(), ": table", "%s of %d", name, n)
			require.Contains(t, p.Explain(), "it costs less to look it up in a table of what each byte gives", "%s of %d", name, n)
		}
	}
}

// TestConstantsOfTilings has two reductions that differ only in constants: they share a draft.
func TestConstantsOfTilings(t *testing.T) {
	x, y := graph.Input("x", graph.Float32, 130, 301), graph.Input("y", graph.Float32, 301, 130)
	f := func(a, b, c float32) graph.Node {
		return x.Div(y.T()).Add(b).Div(y.T()).Sub(c).Div(a).Maximum(c).Minimum(b * 100).Abs()
	}
	for _, of := range []func(graph.Node) graph.Node{
		func(z graph.Node) graph.Node { return z.Sum(0) }, func(z graph.Node) graph.Node { return z.Sum(1) },
		func(z graph.Node) graph.Node { return z.Max() }, func(z graph.Node) graph.Node { return z.CumSum(0) },
		func(z graph.Node) graph.Node { return z.ArgMax(0) }, func(z graph.Node) graph.Node { return z.Sub(z.Mean(1, graph.KeepDims)) },
	} {
		everyWay(t, graph.Nodes{of(f(2, 3, 4)), of(f(5, 7, 9))}, graph.Uniform(graph.Float32, 1, -500, 500, 130, 301), graph.Uniform(graph.Float32, 2, 0.5, 300, 301, 130))
	}
}

// TestTableCompiles compiles functions of bytes whose values are read several times, and many functions of one byte,
// through a view: the time depends on the number of values, not on the number of paths.
func TestTableCompiles(t *testing.T) {
	x := graph.Input("x", graph.Uint8, 100, 100, 3)
	w := graph.Input("w", graph.Float32, 100, 100)
	total, y := w, w
	for c := range 3 {
		z := x.Index(-1, c).Cast(graph.Float32)
		for range 60 {
			z = z.Add(z.Mul(0.25))
		}
		total = total.Mul(z.Sin())
	}
	z := x.Index(-1, 1).Cast(graph.Float32)
	for range 600 {
		z = z.Sin()
		y = y.Mul(z).Add(1)
	}
	b := graph.Input("b", graph.Uint8, 100, 100)
	prev, outs := b.Cast(graph.Int32), []graph.Item{total, y}
	outs = append(outs, prev)
	for range 1500 {
		prev = prev.Mul(b.Cast(graph.Int32))
		outs = append(outs, prev.Cast(graph.Uint8))
	}
	_, err := graph.Compile(outs...)
	require.NoError(t, err)
}

package stream_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// input returns an input of n rows of some columns.
func input(name string, dt graph.DType, row ...any) graph.Node {
	return graph.Input(name, dt, append([]any{graph.Dim("n")}, row...)...)
}

// cases has a program for each rule of package blocks.
var cases = map[string]func() graph.Nodes{
	"elementwise": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		return graph.Nodes{x.Mul(2).Tanh(), x}
	},
	"rows": func() graph.Nodes {
		x := input("x", graph.Float32, 40)
		return graph.Nodes{x.Softmax(1), x.Sum(1), x.CumSum(1), x.ArgMax(1)}
	},
	"sum": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		return graph.Nodes{x.Sum(0), x.Sum(), x.Prod(0), x.Max(0), x.Min(), x.Mean(0)}
	},
	"sum of rows and more": func() graph.Nodes {
		x := input("x", graph.Float32, 5, 300)
		return graph.Nodes{x.Sum(), x.Sum(0, 1), x.Sum(0, 2), x.Max(0, 2), x.Permute(1, 0, 2).Sum(1)}
	},
	"sum past a cache": func() graph.Nodes {
		x := input("x", graph.Float32, 2, 1030)
		return graph.Nodes{x.Sum(), x.Sum(0, 2), x.Cast(graph.Float64).Sum()}
	},
	"products": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		y := x.Cast(graph.Float64).Mul(300).Exp()
		return graph.Nodes{y.Prod(0), y.Prod(), x.Mul(30).Exp().Prod(0), y.Reciprocal().Cast(graph.Float16).Prod(0)}
	},
	"products past a cache": func() graph.Nodes {
		x := input("x", graph.Float32, 2, 1030).Mul(80).Exp().Cast(graph.Float64) // exp of float64 is slow without FMA
		x = x.Mul(x).Mul(x)
		return graph.Nodes{x.Prod(), x.Prod(0, 2)}
	},
	"integers": func() graph.Nodes {
		x := input("x", graph.Float32, 3).Mul(100).Cast(graph.Int16)
		return graph.Nodes{x.Sum(0), x.Max(), x.Gt(3).All(0), x.Cast(graph.Int64).Prod(0), x.AnyBits(0), x.XorBits(0)}
	},
	"float16": func() graph.Nodes {
		x := input("x", graph.Float32, 3).Cast(graph.Float16)
		return graph.Nodes{x.Sum(0), x.Max(0)}
	},
	"normalize": func() graph.Nodes {
		x := input("x", graph.Float32, 4)
		return graph.Nodes{x.Sub(x.Mean(0)).Div(x.Std(0).Add(1e-6)), x.Var(0)}
	},
	"flat": func() graph.Nodes {
		x := input("x", graph.Float32, 6)
		return graph.Nodes{x.Flatten().Sum(), x.Reshape(-1, 2).CumSum(0), x.ArgMax(), x.Reshape(-1, 2, 3).Sum(0, 1)}
	},
	"arg": func() graph.Nodes {
		x := input("x", graph.Float32, 3).Mul(4).Round()
		return graph.Nodes{x.ArgMax(0), x.ArgMin(0), x.ArgMin()}
	},
	"nan": func() graph.Nodes {
		x := input("x", graph.Float32, 3).Log()
		return graph.Nodes{x.Max(0), x.Min(), x.ArgMax(0), x.Sum(0), x.NanSum(0)}
	},
	"topk": func() graph.Nodes {
		x := input("x", graph.Float32, 3).Mul(8).Round()
		best, at := x.TopK(0, 20)
		least, where := x.BottomK(0, 3)
		return graph.Nodes{best, at, least, where}
	},
	"scan": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		return graph.Nodes{x.CumSum(0), x.CumMax(0), x.CumSum(0, graph.Exclusive), x.Cast(graph.Float64).CumSum(0)}
	},
	"scan then sum": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		y := x.CumSum(0).Sin()
		return graph.Nodes{y.Sub(y.Mean(0)), y.CumProd(0), x.Cast(graph.Int32).CumSum(0, graph.Exclusive), x.Gt(0).Cast(graph.Int64).CumSum(0)}
	},
	"scan past the range": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		y := x.Cast(graph.Float64)
		return graph.Nodes{x.Mul(1e38).CumSum(0), x.Mul(3e38).CumSum(0, graph.Exclusive), y.Mul(3e307).CumSum(0), x.Mul(9).Exp().CumProd(0), y.Mul(90).Exp().CumProd(0, graph.Exclusive)}
	},
	"product": func() graph.Nodes {
		x := input("x", graph.Float32, 6)
		w := graph.Const(graph.Uniform(graph.Float32, 7, -1, 1, 6, 5))
		return graph.Nodes{x.MatMul(w).Tanh(), x.MatMul(w.Index(1, 0)), w.T().MatMul(x.T()).T()}
	},
	"gram": func() graph.Nodes {
		x := input("x", graph.Float32, 6)
		v := x.Index(1, 2)
		return graph.Nodes{x.T().MatMul(x), x.T().MatMul(v), v.Dot(v), x.Cast(graph.Int32).T().MatMul(x.Cast(graph.Int32))}
	},
	"gram of halves": func() graph.Nodes {
		x := input("x", graph.Float32, 6).Cast(graph.Float16)
		return graph.Nodes{x.T().MatMul(x)}
	},
	"count": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		bin := x.Add(1).Mul(8).Cast(graph.Int64).Clip(0, 15)
		return graph.Nodes{bin.BinCount(16), x.SegmentSum(bin.Index(1, 0), 16), x.SegmentMax(bin.Index(1, 1), 16)}
	},
	"iota": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		i := graph.Iota(graph.Int32, graph.Dim("n"))
		return graph.Nodes{x.Mul(i.Unsqueeze(1).Cast(graph.Float32)), i.Sum(), i}
	},
	"table": func() graph.Nodes {
		x := input("x", graph.Float32, 3)
		table := graph.Const(graph.Uniform(graph.Float32, 9, -1, 1, 16))
		return graph.Nodes{table.Take(0, x.Add(1).Mul(8).Cast(graph.Int64).Clip(0, 15)), table.Sort(0).SearchSorted(x, true), table.SearchSorted(x.Index(1, 0), false)}
	},
	"several inputs": func() graph.Nodes {
		x, y := input("x", graph.Float32, 3), input("y", graph.Float32, 3)
		w := graph.Input("w", graph.Float32, 3)
		return graph.Nodes{x.Sub(y).Mul(w), x.Mul(y).Sum(0), w.Exp().Sum()}
	},
}

// tensors returns tensors for the inputs of a program.
func tensors(t require.TestingT, p *graph.Program, n int) map[string]*graph.Tensor {
	ins := map[string]*graph.Tensor{}
	for i, in := range p.Inputs() {
		shape, err := in.Shape.Bind(map[string]int{"n": n})
		require.NoError(t, err)
		extents, _ := shape.Ints()
		ins[in.Name] = graph.Uniform(in.DType, uint64(i), -1, 1, extents...)
	}
	return ins
}

// inMemory returns what a program computes on tensors.
func inMemory(t require.TestingT, p *graph.Program, ins map[string]*graph.Tensor) map[string]*graph.Tensor {
	var list []*graph.Tensor
	for _, in := range p.Inputs() {
		list = append(list, ins[in.Name])
	}
	outs, err := p.RunAll(context.Background(), list...)
	require.NoError(t, err)
	all := map[string]*graph.Tensor{}
	for i, out := range p.Outputs() {
		all[out.Name] = outs[i]
	}
	return all
}

// jobOf returns a job on tensors, with outputs in memory.
func jobOf(p *graph.Program, ins map[string]*graph.Tensor, rows, workers int) stream.Job {
	j := stream.Job{Program: p, Inputs: map[string]stream.Source{}, Outputs: map[string]stream.Sink{}, Rows: rows}
	for name, x := range ins {
		j.Inputs[name] = stream.Memory(x)
	}
	for _, out := range p.Outputs() {
		j.Outputs[out.Name] = &stream.InMemory{}
	}
	j.Options = []graph.Option{graph.WithWorkers(workers)}
	return j
}

// outputs runs a job and returns all of its outputs.
func outputs(t require.TestingT, j stream.Job) map[string]*graph.Tensor {
	whole, err := j.Run(context.Background())
	require.NoError(t, err)
	all := maps.Clone(whole)
	for name, s := range j.Outputs {
		if all[name] == nil {
			all[name] = s.(*stream.InMemory).Tensor
		}
	}
	return all
}

func requireSame(t require.TestingT, want, got map[string]*graph.Tensor, what string) {
	require.Equal(t, slices.Sorted(maps.Keys(want)), slices.Sorted(maps.Keys(got)))
	for name := range want {
		require.True(t, graph.Equal(want[name], got[name]), "%s of %s:\nin memory %s\nby blocks %s", name, what, want[name], got[name])
	}
}

// TestSameBits compares blocks of several sizes with memory.
func TestSameBits(t *testing.T) {
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			p, err := graph.Compile(build())
			require.NoError(t, err)
			for _, n := range []int{1, 700, 1025, 7*1024 + 1, 9000} {
				if n < 20 && name == "topk" {
					continue
				}
				ins := tensors(t, p, n)
				want := inMemory(t, p, ins)
				for i, count := range []int{1, 1, 2, 2, 7, 7} {
					j := jobOf(p, ins, (n+count-1)/count, 1+i%2)
					plan, err := j.Plan()
					require.NoError(t, err)
					requireSame(t, want, outputs(t, j), fmt.Sprint(plan, "\n", p))
				}
			}
		})
	}
}

// TestSameBitsOfRandomPrograms makes programs of random operations on rows and on what they
// reduce to. Each has some that are reduced along the rows, and most read them several times.
func TestSameBitsOfRandomPrograms(t *testing.T) {
	passes := 0
	rapid.Check(t, func(t *rapid.T) {
		p, err := graph.Compile(randomProgram(t))
		require.NoError(t, err)
		n := rapid.IntRange(1, 5000).Draw(t, "rows")
		ins := tensors(t, p, n)
		j := jobOf(p, ins, rapid.IntRange(1, n).Draw(t, "rows of a block"), rapid.IntRange(1, 2).Draw(t, "workers"))
		j.Progress = func(p stream.Progress) { passes = max(passes, p.Passes) }
		requireSame(t, inMemory(t, p, ins), outputs(t, j), p.String())
	})
	if !testing.Short() { // of few programs none may need so many
		require.Greater(t, passes, 1)
	}
}

// randomProgram draws operations on values of three columns, with rows or without.
func randomProgram(t *rapid.T) graph.Nodes {
	rows := graph.Nodes{input("x", graph.Float32, 3), input("y", graph.Float32, 3)}
	var whole graph.Nodes
	pick := func(from graph.Nodes) graph.Node { return rapid.SampledFrom(from).Draw(t, "operand") }
	onRows := []func(x graph.Node) graph.Node{
		func(x graph.Node) graph.Node { return x.Mul(pick(rows)) },
		func(x graph.Node) graph.Node { return x.Sub(pick(append(whole, x.Index(1, 0).Unsqueeze(1)))) },
		func(x graph.Node) graph.Node { return x.Sin() },
		func(x graph.Node) graph.Node { return x.Flip(1).Clip(-4, 4) },
		func(x graph.Node) graph.Node { return x.Sub(x.Sum(1, graph.KeepDims)) },
		func(x graph.Node) graph.Node { return x.CumSum(0).Clip(-9, 9) },
		func(x graph.Node) graph.Node { return x.CumMin(0, graph.Exclusive).Clip(-9, 9) },
		func(x graph.Node) graph.Node {
			return x.MatMul(graph.Const(graph.Uniform(graph.Float32, 3, -1, 1, 3, 3)))
		},
		func(x graph.Node) graph.Node { return x.Permute(1, 0).Tanh().Permute(1, 0) },
	}
	reduced := []func(x graph.Node) graph.Node{
		func(x graph.Node) graph.Node { return x.Mean(0) },
		func(x graph.Node) graph.Node { return x.Max(0) },
		func(x graph.Node) graph.Node { return x.Var().BroadcastTo(3) },
		func(x graph.Node) graph.Node { return x.ArgMin(0).Cast(graph.Float32) },
		func(x graph.Node) graph.Node { return x.T().MatMul(pick(rows)).Index(0, 1) },
		func(x graph.Node) graph.Node {
			return pick(append(whole, graph.Scalar(graph.Float32, 2))).Mul(x.Sum(0))
		},
		func(x graph.Node) graph.Node { best, _ := x.TopK(0, 1); return best.Index(0, 0) },
		func(x graph.Node) graph.Node {
			return x.Mul(3).Cast(graph.Int64).Clip(0, 2).BinCount(3).Cast(graph.Float32)
		},
	}
	for range rapid.IntRange(2, 12).Draw(t, "operations") {
		if x := pick(rows); rapid.Bool().Draw(t, "reduce") {
			whole = append(whole, rapid.SampledFrom(reduced).Draw(t, "op")(x))
		} else {
			rows = append(rows, rapid.SampledFrom(onRows).Draw(t, "op")(x))
		}
	}
	return append(whole, rows[len(rows)-1])
}

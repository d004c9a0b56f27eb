package graph_test

import (
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// ranges are where functions are differentiable and not too steep, if that is not everywhere.
var ranges = map[ir.Op][2]float64{
	ir.OpSqrt: {0.2, 3}, ir.OpLog: {0.2, 3}, ir.OpLog2: {0.2, 3}, ir.OpLog10: {0.2, 3}, ir.OpLog1p: {-0.7, 3}, ir.OpPow: {0.3, 2}, ir.OpRsqrt: {0.3, 3},
	ir.OpCbrt: {0.2, 3}, ir.OpReciprocal: {0.4, 3}, ir.OpDiv: {0.4, 3}, ir.OpAsin: {-0.9, 0.9}, ir.OpAcos: {-0.9, 0.9}, ir.OpAcosh: {1.2, 4}, ir.OpAtanh: {-0.9, 0.9},
	ir.OpTan: {-1.2, 1.2}, ir.OpLogit: {0.1, 0.9}, ir.OpMod: {0.5, 5}, ir.OpFMod: {0.5, 5}, ir.OpHypot: {0.3, 3}, ir.OpAtan2: {0.3, 3},
	ir.OpELU: {-2, 2}, ir.OpCELU: {0.3, 2}, ir.OpHardSwish: {-5, 5}, ir.OpLdexp: {-2, 2},
}

// structured has a sample of each op that is not elementwise.
var structured = map[ir.Op]func(t *rapid.T) gradSample{
	ir.OpReshape: func(t *rapid.T) gradSample {
		return of3(t, func(x graph.Node) graph.Node { return x.Reshape(x.Shape().NumElems()) })
	},
	ir.OpPermute: func(t *rapid.T) gradSample {
		order := rapid.Permutation([]int{0, 1, 2}).Draw(t, "order")
		return of3(t, func(x graph.Node) graph.Node { return x.Permute(order) })
	},
	ir.OpSlice: func(t *rapid.T) gradSample {
		step := rapid.SampledFrom([]int{1, 2, 3, -1, -2}).Draw(t, "step")
		from := rapid.IntRange(0, 2).Draw(t, "from")
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		return of3(t, func(x graph.Node) graph.Node {
			if step < 0 {
				return x.SliceAxis(axis, math.MaxInt, from, step)
			}
			return x.SliceAxis(axis, min(from, 1), math.MaxInt, step)
		})
	},
	ir.OpIndex: func(t *rapid.T) gradSample {
		axis, at := rapid.IntRange(0, 2).Draw(t, "axis"), rapid.IntRange(-2, 1).Draw(t, "at")
		return of3(t, func(x graph.Node) graph.Node { return x.Index(axis, at) })
	},
	ir.OpFlip: func(t *rapid.T) gradSample {
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		return of3(t, func(x graph.Node) graph.Node { return x.Flip(axis) })
	},
	ir.OpExpand: func(t *rapid.T) gradSample {
		s := of3(t, func(x graph.Node) graph.Node { return x.BroadcastTo(2, x.Shape()[0], 3, x.Shape()[2]) })
		s.shapes[0][1] = 1
		return s
	},
	ir.OpDiagonal: func(t *rapid.T) gradSample {
		axes := rapid.Permutation([]int{0, 1, 2}).Draw(t, "axes")
		k := rapid.IntRange(-1, 2).Draw(t, "k")
		s := of3(t, func(x graph.Node) graph.Node { return x.Diagonal(k, axes[0], axes[1]) })
		if s.fixed = 1; k == 0 {
			s.fixed = 0
			s.shapes[0][axes[0]] = s.shapes[0][axes[1]]
		}
		return s
	},
	ir.OpWindow: func(t *rapid.T) gradSample {
		size, step, dilation := rapid.IntRange(1, 4).Draw(t, "size"), rapid.IntRange(1, 3).Draw(t, "step"), rapid.IntRange(1, 3).Draw(t, "dilation")
		axis := rapid.IntRange(0, 1).Draw(t, "axis")
		s := gradSample{shapes: [][]int{{2, 3}}, f: func(x []graph.Node) graph.Node { return x[0].Window(axis, size, step, dilation) }}
		s.shapes[0][axis] = (size-1)*dilation + 1 + rapid.IntRange(0, 4).Draw(t, "more")
		return s
	},
	ir.OpSqueeze: func(t *rapid.T) gradSample {
		s := of3(t, func(x graph.Node) graph.Node { return x.Squeeze(1) })
		s.shapes[0][1] = 1
		return s
	},
	ir.OpUnsqueeze: func(t *rapid.T) gradSample {
		return of3(t, func(x graph.Node) graph.Node { return x.Unsqueeze(1, -1) })
	},
	ir.OpSum:  reductionOf(graph.Node.Sum),
	ir.OpProd: reductionOf(graph.Node.Prod),
	ir.OpAMin: reductionOf(graph.Node.Min),
	ir.OpAMax: reductionOf(graph.Node.Max),

	ir.OpCumSum:  scanOf(graph.Node.CumSum),
	ir.OpCumProd: scanOf(graph.Node.CumProd),
	ir.OpCumMin: scanOf(func(x graph.Node, axis any, o ...graph.ReduceOption) graph.Node {
		return x.CumMin(axis, o...).Clip(-9, 9)
	}),
	ir.OpCumMax: scanOf(func(x graph.Node, axis any, o ...graph.ReduceOption) graph.Node {
		return x.CumMax(axis, o...).Clip(-9, 9)
	}),

	ir.OpDot: func(t *rapid.T) gradSample {
		m, k, n := rapid.IntRange(1, 4).Draw(t, "m"), rapid.IntRange(1, 4).Draw(t, "k"), rapid.IntRange(1, 4).Draw(t, "n")
		batch := rapid.SampledFrom([][2][]int{{{}, {}}, {{2}, {2}}, {{2}, {}}, {{}, {3}}, {{2, 3}, {3}}, {{2, 1}, {1, 3}}}).Draw(t, "batch")
		return gradSample{shapes: [][]int{append(slices.Clone(batch[0]), m, k), append(slices.Clone(batch[1]), k, n)}, f: func(x []graph.Node) graph.Node { return x[0].MatMul(x[1]) }}
	},
	ir.OpConv: func(t *rapid.T) gradSample {
		groups := rapid.IntRange(1, 2).Draw(t, "groups")
		c, m, spatial := rapid.IntRange(1, 2).Draw(t, "c"), rapid.IntRange(1, 2).Draw(t, "m"), rapid.IntRange(1, 2).Draw(t, "spatial")
		o := graph.ConvOptions{Groups: groups, ChannelsLast: rapid.Bool().Draw(t, "last")}
		x, w := []int{rapid.IntRange(1, 2).Draw(t, "n"), c * groups}, []int{m * groups, c}
		for range spatial {
			size, d := rapid.IntRange(1, 3).Draw(t, "size"), rapid.IntRange(1, 2).Draw(t, "dilation")
			before, after := rapid.IntRange(-1, 2).Draw(t, "before"), rapid.IntRange(-1, 2).Draw(t, "after")
			o.Strides, o.Dilations = append(o.Strides, rapid.IntRange(1, 3).Draw(t, "stride")), append(o.Dilations, d)
			o.Before, o.After = append(o.Before, before), append(o.After, after)
			x, w = append(x, max(1, (size-1)*d+1-before-after)+rapid.IntRange(0, 3).Draw(t, "more")), append(w, size)
		}
		channels := 1
		if o.ChannelsLast {
			channels = len(x) - 1
			x = append(append([]int{x[0]}, x[2:]...), x[1])
		}
		return gradSample{shapes: [][]int{x, w}, fixed: 1, known: []int{channels}, f: func(x []graph.Node) graph.Node { return x[0].Conv(x[1], o) }}
	},
	ir.OpGather: func(t *rapid.T) gradSample {
		at := drawIndices(t, 4, 5)
		return gradSample{shapes: [][]int{{4, 3}}, f: func(x []graph.Node) graph.Node { return x[0].Take(0, at) }, fixed: 1}
	},
	ir.OpScatter:    scatterOf(graph.ScatterSet),
	ir.OpScatterAdd: scatterOf(graph.ScatterAdd),
	ir.OpScatterMul: scatterOf(graph.ScatterMul),
	ir.OpScatterMin: scatterOf(graph.ScatterMin),
	ir.OpScatterMax: scatterOf(graph.ScatterMax),
	ir.OpRaggedAdd:  raggedOf(graph.Node.RaggedSum),
	ir.OpRaggedMin:  raggedOf(graph.Node.RaggedMin),
	ir.OpRaggedMax:  raggedOf(graph.Node.RaggedMax),
	ir.OpSort: func(t *rapid.T) gradSample {
		k := rapid.IntRange(0, 2).Draw(t, "k")
		return of3(t, func(x graph.Node) graph.Node {
			first, _ := x.BottomK(1, k)
			return graph.Concat(1, x.Sort(1), first)
		})
	},
	ir.OpSortDown: func(t *rapid.T) gradSample {
		return of3(t, func(x graph.Node) graph.Node { return x.SortDescending(-1) })
	},
	ir.OpNth: func(t *rapid.T) gradSample {
		qs := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.2, 0.5, 0.83, 1}), 1, 3).Draw(t, "parts")
		return of3(t, func(x graph.Node) graph.Node { return x.Quantiles(qs, 1) })
	},
	ir.OpRecurrence: func(t *rapid.T) gradSample {
		var o []graph.ReduceOption
		if rapid.Bool().Draw(t, "reverse") {
			o = append(o, graph.Reverse)
		}
		s := of3(t, nil)
		s.shapes = append(s.shapes, s.shapes[0])
		s.f = func(x []graph.Node) graph.Node { return x[0].Recurrence(1, x[1], o...) }
		return s
	},
	ir.OpConcat: func(t *rapid.T) gradSample {
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		s := of3(t, nil)
		s.shapes = append(s.shapes, slices.Clone(s.shapes[0]))
		s.shapes[1][axis]++
		s.f = func(x []graph.Node) graph.Node { return graph.Concat(axis, x[0], x[1], x[0]) }
		return s
	},
	ir.OpSelect: func(t *rapid.T) gradSample {
		s := elementwise(t, 3)
		s.f = func(x []graph.Node) graph.Node { return graph.Where(x[0].Gt(0.3), x[1], x[2]) }
		return s
	},
	ir.OpCast: func(t *rapid.T) gradSample {
		return of3(t, func(x graph.Node) graph.Node { return x.Square().Cast(graph.Float64).Mul(x) })
	},
}

// of3 is a sample of a function of one operand with three axes of 2 to 4 elements.
func of3(t *rapid.T, f func(x graph.Node) graph.Node) gradSample {
	shape := rapid.SliceOfN(rapid.IntRange(2, 4), 3, 3).Draw(t, "shape")
	return gradSample{shapes: [][]int{shape}, f: func(x []graph.Node) graph.Node { return f(x[0]) }}
}

func reductionOf(f func(x graph.Node, axes ...any) graph.Node) func(t *rapid.T) gradSample {
	return func(t *rapid.T) gradSample {
		axes := rapid.SampledFrom([][]int{{0}, {1}, {2}, {0, 2}, {0, 1, 2}, {}}).Draw(t, "axes")
		return of3(t, func(x graph.Node) graph.Node { return f(x, axes) })
	}
}

func scanOf(f func(x graph.Node, axis any, opts ...graph.ReduceOption) graph.Node) func(t *rapid.T) gradSample {
	return func(t *rapid.T) gradSample {
		axis := rapid.IntRange(0, 2).Draw(t, "axis")
		var o []graph.ReduceOption
		if rapid.Bool().Draw(t, "exclusive") {
			o = append(o, graph.Exclusive)
		}
		if rapid.Bool().Draw(t, "reverse") {
			o = append(o, graph.Reverse)
		}
		return of3(t, func(x graph.Node) graph.Node { return f(x, axis, o...) })
	}
}

func scatterOf(by graph.ScatterOp) func(t *rapid.T) gradSample {
	return func(t *rapid.T) gradSample {
		at := drawIndices(t, 4, 6)
		return gradSample{shapes: [][]int{{3, 4}, {3, 6}}, fixed: 2, f: func(x []graph.Node) graph.Node {
			return x[0].Scatter(1, at.Unsqueeze(0).BroadcastTo(3, 6), x[1], by)
		}}
	}
}

func raggedOf(f func(x graph.Node, offsets any) graph.Node) func(t *rapid.T) gradSample {
	return func(t *rapid.T) gradSample {
		offsets := []int64{0}
		for range 4 {
			offsets = append(offsets, offsets[len(offsets)-1]+int64(rapid.IntRange(0, 3).Draw(t, "row")))
		}
		n := int(offsets[4])
		return gradSample{shapes: [][]int{{n, 2}}, fixed: 1, f: func(x []graph.Node) graph.Node {
			return f(x[0], graph.Of(offsets)).Clip(-9, 9)
		}}
	}
}

// drawIndices returns indices of an axis, some of them equal.
func drawIndices(t *rapid.T, extent, count int) graph.Node {
	at := rapid.SliceOfN(rapid.Int64Range(0, int64(extent-1)), count, count).Draw(t, "indices")
	return graph.Const(graph.Of(at))
}

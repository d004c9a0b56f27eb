//go:build unix

package main

import (
	"bytes"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
)

// The attacked programs. A test checks that their schedules call every micro-kernel. They are scheduled for the actual
// machine, and for one that divides small arrays as others divide large ones.

// attackPrograms returns programs that accept any elements.
func attackPrograms() []graph.Nodes {
	x, y := graph.Input("x", graph.Float32, 37, 53), graph.Input("y", graph.Float32, 53, 21)
	n, d := graph.Input("n", graph.Int32, 30, 18), graph.Input("d", graph.Float64, 5, 2100)
	return []graph.Nodes{
		{x.Add(1).Mul(x), x.T().Exp().Neg()},
		{x.Softmax(1)},
		{x.Sum(0), x.Exp().Sum(1), x.ArgMax(1)},
		{d.Sum(1), d.Slice("..., ::-3").Sum(1), d.Mean(0)},
		{x.MatMul(y), x.MatMul(y).Sum(0)},
		{x.CumSum(0), x.CumSum(1), d.CumSum(1)},
		{n.Add(graph.Iota(graph.Int32, 18)).Mul(n.Slice("::-1")), n.T().Add(3)},
		{x.Standardize(1e-5, 1), x.Sub(x.Mean(0)).Square().Sum(0)},
	}
}

// linePrograms returns programs that sort, search, read and store at indices, or have special kernels for products and
// tables.
func linePrograms() []graph.Nodes {
	x, d, b := graph.Input("x", graph.Float32, 13, 31), graph.Input("d", graph.Float64, 3, 2100), graph.Input("b", graph.Uint8, 40, 70)
	i, bags, offsets := graph.Input("i", graph.Int64, 11), graph.Input("bags", graph.Int64, 9, 5), graph.Input("offsets", graph.Int64, 14)
	w, byBag := graph.Input("w", graph.Float32, 13), graph.Input("v", graph.Float32, 9, 5)
	long, top := graph.Input("long", graph.Float32, 3000), func(x graph.Node, k int) graph.Nodes {
		values, places := x.TopK(-1, k)
		return graph.Nodes{values, places}
	}
	image, bytes := graph.Input("image", graph.Float32, 1, 3, 14, 17), graph.Input("bytes", graph.Uint8, 50, 60)
	weights, small := graph.Input("weights", graph.Float32, 8, 3, 3, 3), graph.Input("small", graph.Float32, 50, 4, 4)
	pairs, fixed := graph.Input("pairs", graph.Float32, 500, 2), make([]int8, 60*40)
	for k := range fixed {
		fixed[k] = int8(k)
	}
	return []graph.Nodes{
		{x.Sort(1), x.ArgSort(0), d.SortDescending(1), d.ArgSortDescending(1), b.Sort(1), b.ArgSort(1)},
		append(top(x, 3), top(long, 40)...),
		{long.Sort(0), long.ArgSort(0), d.Sort(1), d.ArgSort(1)},
		{x.Sort(1).SearchSorted(x, true), long.Sort(0).SearchSorted(x, false), d.Slice("0").SearchSorted(d, false), x.Median(1)},
		{x.Rolling(1, 4).Median(), d.Rolling(0, 3).Quantile(0.25)},
		{graph.Input("k", graph.Int32, 40, 3).Leaves(graph.Input("trees", graph.Int32, 20, 3), graph.Input("roots", graph.Int32, 6))},
		{x.Take(0, i), x.Take(1, i), d.Take(1, i), x.TakeAlong(0, bags.Slice(":, 0:1")), b.Take(1, bags)},
		{x.Scatter(0, i.Reshape(11, 1), x.Slice("0:11"), graph.ScatterSet), x.Scatter(0, i.Reshape(11, 1), x.Slice("0:11"), graph.ScatterAdd), b.SegmentSum(graph.Input("segments", graph.Int64, 40), 7), b.Reshape(-1).BinCount(256)},
		{x.Take(0, bags).Sum(1)}, {x.Take(0, bags).Max(1)}, {x.Take(0, bags).Mul(byBag.Unsqueeze(-1)).Sum(1)}, {d.T().Take(0, bags).Sum(1)},
		{x.RaggedSum(offsets), x.RaggedMax(offsets), x.Take(0, graph.Input("k", graph.Int64, 13)).Mul(w.Unsqueeze(1)).RaggedSum(offsets)},
		{d.Recurrence(1, 0.5), x.ExpAverage(0, 0.1), x.CumProd(1), x.CumMax(0), d.Cast(graph.Float32).CumSum(1), long.CumSum(0)},
		{b.ArgMax(0), b.Cast(graph.Float32).ArgMin(0), d.ArgMax(1)},
		{b.Cast(graph.Float32).Pow(1.7).Exp(), b.Add(3).Mul(b)},
		{image.Conv(weights, graph.ConvOptions{Before: []int{1, 1}, After: []int{1, 1}}), image.Conv(weights, graph.ConvOptions{Strides: []int{2, 2}})},
		{small.MatMul(small), bytes.MatMulInteger(bytes.T(), graph.Input("zero", graph.Uint8), graph.Input("zeros", graph.Uint8)), bytes.MatMulInteger(graph.Const(graph.Of(fixed).Reshape(60, 40)), nil, nil)},
		{graph.Stack(-1, pairs.Slice(":, 0").Mul(2).Exp(), pairs.Slice(":, 1")), graph.Stack(-1, pairs.Slice(":, 1"), pairs.Slice(":, 0"))},
	}
}

// attackPlans are plans that no small program compiles to: windows on the left of a product, elements inserted between
// others, and rows that are read ahead.
var attackPlans = []string{`plan windows arena=0 {
  %0 = param x 0   : f32[1,4,9,9]
  %1 = param w 1   : f32[1,36,16]
  %2 = result "" 0 : f32[1,16,16]
  step 0 [1,4 contract,3 contract,3 contract,4,4,16]
    kernel (u0:f32, u1:f32) { t0 = mul u0 u1; store t0 }
    %0{324,81,9,1,18,2,0}+0 %1{0,144,48,16,0,0,1}+0 panel [6,16,576] -> add %2{256,0,0,0,64,16,1}+0
}
`, `plan inserted arena=0 {
  %0 = param x 0  : f32[133]
  %1 = param y 1  : f32[64]
  %2 = result z 0 : f32[1,64,2]
  step 0 [1,64,1]
    kernel (u0:f32, u1:f32) { t0 = neg u0; t1 = copy u1; store t0 t1 }
    %1{64,1,1}+0 %0{128,2,1}+1 -> %2{128,2,1}+0 %2{128,2,1}+1
}
`, `plan ahead arena=0 {
  %0 = param x 0   : f32[33,1024]
  %1 = param y 1   : f32[33]
  %2 = result "" 0 : f32[33,1024]
  %3 = scratch 0   : f32[2,1]
  step 0 [33,1024 reduce]
    kernel (u0:f32) { store u0 }
    %0{1024,1}+0 -> max %3{1,0}+0
  step 1 [33,1024]
    kernel (u0:f32, u1:f32, u2:f32) { t0 = sub u0 u1; t1 = mul t0 u2; store t1 }
    %0{1024,1}+0 %3{1,0}+0 %1{1,0}+0 -> %2{1024,1}+0
  rows first=0 last=1 outer=[33] along=[0,0] block=2 scratch=64
}
`}

// attackMachine returns the default constants of a machine, or constants that divide small arrays as others divide
// large ones.
func attackMachine(divides bool, workers int) *tuning.Machine {
	m := tuning.Default(workers)
	if divides {
		m.BlockElems, m.SortChunk = 300, 300
		m.ScanRows = 2
		m.ScanParallelBytes, m.NonTemporalFrom, m.NonTemporalRow, m.NonTemporalTileRow = 2000, 0, 0, 0
		m.PrefetchFrom, m.PrefetchLeast, m.FarBytes = 0, 0, 0
		m.LeastProductRows, m.LeastProduct, m.Matmul.LeastCols = 0, 0, 1
	}
	return m
}

// seeds are the texts of the programs.
type seeds struct{ graphs, plans, nests []string }

func newSeeds() (s seeds, err error) {
	for _, ys := range append(attackPrograms(), linePrograms()...) {
		for _, items := range [][]graph.Item{{ys}, {ys, graph.WithDebug(graph.NoFusion)}} {
			p, err := graph.Compile(items...)
			if err != nil {
				return s, err
			}
			for stage, list := range map[string]*[]string{"graph": &s.graphs, "plan": &s.plans, "schedule": &s.nests} {
				var text bytes.Buffer
				if err := p.Dump(&text, stage); err != nil {
					return s, err
				}
				for one := range strings.SplitAfterSeq(text.String(), "\n}\n") { // a separate program computes the values of constants
					if one != "" {
						*list = append(*list, one)
					}
				}
			}
		}
	}
	s.plans = append(s.plans, attackPlans...)
	for _, text := range s.plans {
		p, err := plan.ParsePlan(text)
		if err != nil {
			return s, err
		}
		divided, err := schedule.Schedule(p, attackMachine(true, 2), &runtime.Executor{}, schedule.Options{})
		if err != nil {
			return s, err
		}
		s.nests = append(s.nests, divided.String())
	}
	return s, nil
}

package graph_test

import (
	"testing"

	"github.com/stridefuse/stridefuse/graph"
)

// composites have rules of their own, or are made of ops in a way that a rule could break.
var composites = map[string]struct {
	shapes [][]int
	fixed  int
	lo, hi float64
	f      func(x []graph.Node) graph.Node
}{
	"softmax":        {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Softmax(-1) }},
	"softmax of two": {shapes: [][]int{{2, 3, 2}}, f: func(x []graph.Node) graph.Node { return x[0].Softmax(0, 2) }},
	"named softmax": {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node {
		return x[0].WithAxes("row", "col").Softmax("row")
	}},
	"logsoftmax":  {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].LogSoftmax(0) }},
	"logsumexp":   {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].LogSumExp(1) }},
	"standardize": {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Standardize(1e-3, 1) }},
	"layernorm": {shapes: [][]int{{2, 3, 4}, {4}, {4}}, f: func(x []graph.Node) graph.Node {
		return x[0].LayerNorm(x[1], x[2], 1e-3)
	}},
	"rmsnorm":   {shapes: [][]int{{3, 4}, {4}}, f: func(x []graph.Node) graph.Node { return x[0].RMSNorm(x[1], 1e-3) }},
	"groupnorm": {shapes: [][]int{{2, 4, 3}, {4}, {4}}, f: func(x []graph.Node) graph.Node { return x[0].GroupNorm(2, x[1], x[2], 1e-3) }},
	"batchnorm": {shapes: [][]int{{2, 3, 2}, {3}, {3}}, f: func(x []graph.Node) graph.Node {
		return x[0].BatchNorm(1, x[1], x[2].Square().Add(1), x[1].Mul(2), x[2], 1e-3)
	}},
	"var":         {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Var(0, graph.DDOF(1)) }},
	"std":         {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Std(1, graph.KeepDims) }},
	"norm2":       {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Norm2(1) }},
	"norm1":       {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].Norm1(1) }},
	"l2normalize": {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].L2Normalize(1e-9, 1) }},
	"relu":        {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].ReLU().Mul(x[0]) }},
	"leaky relu":  {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].LeakyReLU(0.1).Square() }},
	"hardsigmoid": {shapes: [][]int{{3, 4}}, f: func(x []graph.Node) graph.Node { return x[0].HardSigmoid(0.2, 0.5) }},
	"lerp":        {shapes: [][]int{{3, 4}, {4}, {3, 1}}, f: func(x []graph.Node) graph.Node { return graph.Lerp(x[0], x[1], x[2]) }},
	"median":      {shapes: [][]int{{4, 3}}, fixed: 1, f: func(x []graph.Node) graph.Node { return x[0].Median(0) }},
	"quantiles": {shapes: [][]int{{5, 2}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		return x[0].Quantiles([]float64{0.1, 0.37, 1}, 0)
	}},
	"rolling quantile": {shapes: [][]int{{9, 2}}, f: func(x []graph.Node) graph.Node { return x[0].Rolling(0, 4).Quantile(0.3) }},
	"rolling without NaN": {shapes: [][]int{{9, 2}}, f: func(x []graph.Node) graph.Node {
		r := x[0].Log().Rolling(0, 4).MinPeriods(2)
		return r.Median().NanSum().Add(r.Var(1).NanSum()).Add(r.Max().NanSum()).Add(r.Mean().NanSum())
	}},
	"expweighted": {shapes: [][]int{{5, 2}}, f: func(x []graph.Node) graph.Node { return x[0].ExpWeighted(0, 0.3).Mean().Square() }},
	"nanmedian":   {shapes: [][]int{{5, 2}}, fixed: 1, f: func(x []graph.Node) graph.Node { return x[0].NanMedian(0) }},
	"nanmean":     {shapes: [][]int{{5, 2}}, f: func(x []graph.Node) graph.Node { return x[0].Log().NanMean(0) }},
	"maxpool": {shapes: [][]int{{1, 2, 5, 6}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		return x[0].MaxPool(graph.PoolOptions{Size: []int{3, 2}, Strides: []int{2, 1}, Before: []int{1, 0}, After: []int{1, 1}, Ceil: true})
	}},
	"maxpool of symbols": {shapes: [][]int{{1, 2, 5, 6}}, f: func(x []graph.Node) graph.Node {
		return x[0].MaxPool(graph.PoolOptions{Size: []int{2, 2}, Strides: []int{2, 2}})
	}},
	"avgpool": {shapes: [][]int{{1, 2, 5, 6}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		return x[0].AvgPool(graph.PoolOptions{Size: []int{3, 2}, Strides: []int{2, 2}, Before: []int{1, 1}, After: []int{1, 0}})
	}},
	"lppool": {shapes: [][]int{{1, 2, 5}}, f: func(x []graph.Node) graph.Node {
		return x[0].LpPool(3, graph.PoolOptions{Size: []int{2}, Strides: []int{2}})
	}},
	"global pools": {shapes: [][]int{{1, 2, 3, 2}}, f: func(x []graph.Node) graph.Node { return x[0].GlobalMaxPool().Add(x[0].GlobalAvgPool()) }},
	"conv transpose": {shapes: [][]int{{1, 2, 3, 4}, {2, 2, 3, 2}}, fixed: 2, f: func(x []graph.Node) graph.Node {
		return x[0].ConvTranspose(x[1], graph.ConvOptions{Strides: []int{2, 1}, Before: []int{1, 0}, After: []int{0, 1}, Extra: []int{1, 0}})
	}},
	"einsum": {shapes: [][]int{{2, 3, 3}, {3, 4}, {4, 2}}, f: func(x []graph.Node) graph.Node { return graph.Einsum("abb,bc,ca->ab", x[0], x[1], x[2]) }},
	"outer":  {shapes: [][]int{{3}, {4}}, f: func(x []graph.Node) graph.Node { return x[0].Outer(x[1]) }},
	"cov":    {shapes: [][]int{{5, 3}, {5}}, lo: 0.5, hi: 2, f: func(x []graph.Node) graph.Node { return x[0].Cov(x[1]) }},
	"pad": {shapes: [][]int{{4, 3}}, f: func(x []graph.Node) graph.Node {
		return x[0].Pad([]int{2, 1}, []int{1, -1}, graph.PadReflect)
	}},
	"set":          {shapes: [][]int{{4, 6}, {2, 3}}, f: func(x []graph.Node) graph.Node { return x[0].Set("1::2, 4:1:-1", x[1]) }, fixed: 2},
	"set symbolic": {shapes: [][]int{{4, 6}, {6}}, f: func(x []graph.Node) graph.Node { return x[0].Set("1", x[1]) }},
	"roll":         {shapes: [][]int{{4, 3}}, f: func(x []graph.Node) graph.Node { return x[0].Roll(0, 1) }},
	"tril":         {shapes: [][]int{{4, 3}}, f: func(x []graph.Node) graph.Node { return x[0].Tril(0).MatMul(x[0].T()) }},
	"gathernd": {shapes: [][]int{{3, 4}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		return x[0].GatherND(graph.Const(graph.Of([]int64{0, 1, 2, 3, 0, 1}, 3, 2)), 0)
	}},
	"segments": {shapes: [][]int{{5, 2}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		s := graph.Const(graph.Of([]int64{0, 2, 0, 1, 2}))
		return x[0].SegmentSum(s, 3).Mul(x[0].SegmentMax(s, 3))
	}},
	"expaverage": {shapes: [][]int{{5, 2}}, lo: 0.2, hi: 0.8, f: func(x []graph.Node) graph.Node { return x[0].ExpAverage(0, x[0]) }},
	"power": {shapes: [][]int{{4}}, lo: 0.5, hi: 2, f: func(x []graph.Node) graph.Node {
		return graph.Stack(0, x[0].Pow(0), x[0].Pow(1), x[0].Pow(2), x[0].Pow(3), x[0].Pow(-1.5))
	}},
	"guarded": {shapes: [][]int{{4}}, f: func(x []graph.Node) graph.Node {
		return graph.Where(x[0].Gt(0), x[0].Mul(x[0].Log()).Add(x[0].Sqrt()), x[0].Exp())
	}},
	"unstack": {shapes: [][]int{{3, 4}}, fixed: 1, f: func(x []graph.Node) graph.Node {
		rows := x[0].Unstack(0)
		return rows[0].Mul(rows[1]).Add(rows[2].Exp())
	}},
}

// TestGradOfComposites compares the first and second derivatives of methods that are made of ops.
func TestGradOfComposites(t *testing.T) {
	for name, c := range composites {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(2) {
				checkGradients(t, gradSample{shapes: c.shapes, fixed: c.fixed, lo: c.lo, hi: c.hi, f: c.f}, seed)
			}
		})
	}
}

package graph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// inPlaceTests have outputs of inputs x, y and v, the inputs whose tensors are given for them, and the lines of
// Explain. An output without a line is copied.
var inPlaceTests = map[string]struct {
	outs []graph.Node
	give []string
	says []string
}{
	"chain":         {[]graph.Node{inX.Mul(inY).Add(1)}, []string{"x"}, []string{"out0 in place of x, y"}},
	"chain, other":  {[]graph.Node{inX.Mul(inY).Add(1)}, []string{"y"}, []string{"out0 in place of x, y"}},
	"expensive":     {[]graph.Node{inX.Tanh().Mul(inY).Exp().Sub(inX)}, []string{"x"}, []string{"out0 in place of x, y"}},
	"rank one":      {[]graph.Node{inX.Add(inV.Unsqueeze(1).Mul(inV))}, []string{"x"}, []string{"out0 in place of x"}},
	"momentum":      {[]graph.Node{inX.Sub(inY.Mul(0.9).Add(inX.Mul(0.1)).Mul(0.01)), inY.Mul(0.9).Add(inX.Mul(0.1))}, []string{"x", "y"}, []string{"out0 in place of x, y", "out1 in place of x, y"}},
	"crossed":       {[]graph.Node{inX.Sub(inY.Mul(0.5)), inY.Mul(0.9).Add(inX.Mul(0.1))}, []string{"y", "x"}, []string{"out0 in place of x, y", "out1 in place of x, y"}},
	"softmax":       {[]graph.Node{inX.Softmax(1)}, []string{"x"}, []string{"out0 in place of x"}},
	"running sum":   {[]graph.Node{inX.CumSum(1)}, []string{"x"}, []string{"out0 in place of x"}},
	"read later":    {[]graph.Node{inX.Add(1), inX.CumSum(0).Sum(1).Unsqueeze(1).Mul(inX)}, []string{"x", ""}, []string{"out1 in place of x"}},
	"transposed":    {[]graph.Node{inX.T().Mul(2)}, []string{"x"}, nil},
	"with its view": {[]graph.Node{inX.Add(inX.T())}, []string{"x"}, nil},
	"broadcast":     {[]graph.Node{inX.Sub(inX.SliceAxis(0, 0, 1, 1))}, []string{"x"}, nil},
	"reversed":      {[]graph.Node{inX.Flip(1).Mul(2)}, []string{"x"}, []string{"out0 in place of x"}},
	"product":       {[]graph.Node{inX.MatMul(inY)}, []string{"y"}, []string{"out0 in place of y"}},
	"joined":        {[]graph.Node{graph.Concat(0, inX.SliceAxis(0, 40, 200, 1), inX.SliceAxis(0, 0, 40, 1))}, []string{"x"}, nil},
	"set":           {[]graph.Node{inX.Set("10:20", inV)}, []string{"x"}, []string{"out0 in place of x (without steps 0, 2)"}},
	"set columns":   {[]graph.Node{inX.Set(":, 3:7", inX.Slice(":, 4:8").Neg())}, []string{"x"}, nil},
	"set edges":     {[]graph.Node{inX.Set("0", inV).Set("-1", inV.Neg()).Set("5:9", inV)}, []string{"x"}, []string{"out0 in place of x (without steps 2, 4)"}},
	"set column":    {[]graph.Node{inX.Set(":, 3", inV.Neg())}, []string{"x"}, []string{"out0 in place of x (without steps 1, 2)"}},
	"set steps":     {[]graph.Node{inX.Set("::2", inV)}, []string{"x"}, []string{"out0 in place of x (without steps 1)"}},
	"set block":     {[]graph.Node{inX.Set("10:20, 40:100", inV.Slice("60:120").Exp())}, []string{"x"}, []string{"out0 in place of x (without steps 1, 3, 4, 5)"}},
	"set computed":  {[]graph.Node{inX.Exp().Set("10:20", inX.Slice("10:20").Neg())}, []string{"x"}, []string{"out0 in place of x"}},
	"set of others": {[]graph.Node{inX.Exp().Set("10:20", inX.Slice("0:10").Neg())}, []string{"x"}, []string{"out0 in place of x"}},
	"set read late": {[]graph.Node{inX.Exp().Set("20:30", inX.Slice("5:15").Neg())}, []string{"x"}, nil},
	"set of own":    {[]graph.Node{inX.Set("0::100", inX.Slice("100:102"))}, []string{"x"}, nil},
	"joined own":    {[]graph.Node{graph.Concat(0, inX.Slice("100:"), inX.Slice("100:"))}, []string{"x"}, []string{"out0 in place of x"}},
	"sorted":        {[]graph.Node{inX.Sort(1)}, []string{"x"}, nil},
}

var (
	inX = graph.Input("x", graph.Float32, 200, 200)
	inY = graph.Input("y", graph.Float32, 200, 200)
	inV = graph.Input("v", graph.Float32, 200)
)

// TestInPlace runs programs with outputs in place of inputs, on both engines and with small blocks: results equal those
// with separate outputs.
func TestInPlace(t *testing.T) {
	fill := map[string]func() *graph.Tensor{
		"x": func() *graph.Tensor { return graph.Normal(graph.Float32, 1, 0, 1, 200, 200) },
		"y": func() *graph.Tensor { return graph.Normal(graph.Float32, 2, 0, 1, 200, 200) },
		"v": func() *graph.Tensor { return graph.Normal(graph.Float32, 3, 0, 1, 200) },
	}
	for name, c := range inPlaceTests {
		t.Run(name, func(t *testing.T) {
			for way, options := range [][]graph.Item{nil, {graph.WithDebug(graph.Portable)}, {graph.WithDebug(graph.TilingOnly)}, {graph.WithWorkers(2), graph.ChunkElems(100)}} {
				for _, out := range c.outs {
					options = append(options, out)
				}
				p, err := graph.Compile(options...)
				require.NoError(t, err)
				var ins []*graph.Tensor
				given := map[string]*graph.Tensor{}
				for _, in := range p.Inputs() {
					given[in.Name] = fill[in.Name]()
					ins = append(ins, given[in.Name])
				}
				if way == 0 {
					require.Equal(t, c.says, inPlaceLines(p), explaining{p})
				}
				want, err := p.RunAll(context.Background(), ins...)
				require.NoError(t, err)
				for _, bound := range []bool{false, true} {
					outs := make([]*graph.Tensor, len(want))
					for o := range want {
						if outs[o] = given[c.give[o]]; outs[o] == nil {
							outs[o] = graph.New(graph.Float32, want[o].Shape()...)
						}
					}
					for name, x := range given {
						require.NoError(t, graph.Copy(x, fill[name]()))
					}
					if bound {
						call, err := p.Bind(outs, ins...)
						require.NoError(t, err)
						require.NoError(t, call.Run(context.Background()))
					} else {
						require.NoError(t, p.RunInto(context.Background(), outs, ins...))
					}
					for o := range want {
						require.Equal(t, elements(t, want[o]), elements(t, outs[o]), explaining{p})
					}
				}
			}
		})
	}
}

// TestLongScansInPlace computes running values over several chunks in place; some chunks are scanned again because
// their sums overflow.
func TestLongScansInPlace(t *testing.T) {
	for _, d := range []graph.DType{graph.Float32, graph.Float64, graph.Int32} {
		for _, rows := range []int{4, 11} {
			for _, n := range []int{1025, 2048, 2500} {
				x := graph.Input("x", d, rows, n)
				for _, y := range []graph.Node{x.CumSum(1), x.CumMax(1), x.CumProd(1), x.Flip(1).CumSum(1).Flip(1)} {
					scanInPlace(t, y, func() *graph.Tensor {
						v := graph.Normal(graph.Float64, 1, 0, 1, rows, n)
						huge := map[graph.DType]float64{graph.Float32: 3e38, graph.Float64: 1e308, graph.Int32: 1 << 30}[d]
						copy(values[float64](t, v)[2*n+700:], []float64{huge, huge, -huge, -huge})
						return run(t, graph.Const(v).Cast(d))
					})
				}
			}
		}
	}
}

// scanInPlace compares the results of a scan in place with those elsewhere, on both engines.
func scanInPlace(t *testing.T, y graph.Node, fill func() *graph.Tensor) {
	for _, options := range [][]graph.Item{{y}, {y, graph.WithDebug(graph.Portable)}} {
		p, err := graph.Compile(options...)
		require.NoError(t, err)
		require.NotEmpty(t, inPlaceLines(p), explaining{p})
		want, err := p.Run(context.Background(), fill())
		require.NoError(t, err)
		got := fill()
		require.NoError(t, p.RunInto(context.Background(), []*graph.Tensor{got}, got))
		require.Equal(t, elements(t, want), elements(t, got), explaining{p})
	}
}

// inPlaceLines returns the lines of Explain about in-place outputs.
func inPlaceLines(p *graph.Program) (says []string) {
	for line := range strings.Lines(p.Explain()) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "inplace "); ok {
			says = append(says, strings.Replace(text, "can be computed ", "", 1))
		}
	}
	return says
}

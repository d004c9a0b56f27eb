package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
)

// TestPairs computes each binary operation on all pairs of 8-bit integers, and on all 16-bit integers with one random
// integer each and with some constants, on both engines; with -long with more constants.
func TestPairs(t *testing.T) {
	const n = 1 << 16
	for _, d := range []ir.DType{ir.Int8, ir.Uint8, ir.Int16, ir.Uint16} {
		x, y := eval.Array{DType: d, Shape: []int{n}}, eval.Array{DType: d, Shape: []int{n}}
		for i := range int64(n) {
			a, b := i>>8, i
			if d.Size() == 2 {
				a, b = i, 40503*i+7
			}
			x.Data, y.Data = append(x.Data, ir.Wrap(d, a)), append(y.Data, ir.Wrap(d, b))
		}
		f := &ir.Func{Name: "pairs"}
		p, q := f.Param("x", ir.Type{DType: d, Shape: ir.ShapeOf(n)}, nil), f.Param("y", ir.Type{DType: d, Shape: ir.ShapeOf(n)}, nil)
		others := []*ir.Value{q}
		constants := []int64{0, 1, 8, 15, -1, -1 << 15}
		if *long {
			constants = append(constants, 7, 9, 16, 100, -128)
		}
		for _, c := range constants {
			v, err := f.Add(ir.OpConst, ir.Attr{DType: d, Bits: ir.Wrap(d, c)}, ir.Pos{})
			require.NoError(t, err)
			others = append(others, v)
		}
		for _, op := range ir.Ops() {
			if info := op.Info(); !op.IsElementwise() || info.Arity != 2 || !info.Domain.Has(d) {
				continue
			}
			for _, other := range others {
				v, err := f.Add(op, ir.Attr{}, ir.Pos{}, p, other)
				require.NoError(t, err)
				f.Results = append(f.Results, v)
			}
		}
		want, err := eval.Eval(f, []eval.Array{x, y})
		require.NoError(t, err)
		outputs := replay(f, func(i int) graph.Node { return graph.Input([]string{"x", "y"}[i], d, n) })
		for _, engine := range [][]graph.Item{nil, {graph.WithDebug(graph.Portable)}} {
			p, err := graph.Compile(append(engine, outputs)...)
			require.NoError(t, err)
			outs, err := p.RunAll(t.Context(), toTensor(t, x, nil), toTensor(t, y, nil))
			require.NoError(t, err)
			for o, out := range outs {
				got := elements(t, out)
				for i, want := range want[o].Data {
					if ir.Wrap(out.DType(), int64(want)) != ir.Wrap(out.DType(), int64(got[i])) {
						require.Failf(t, "differs", "%s of %#x and %#x: %#x, want %#x", f.Results[o].Op, x.Data[i], y.Data[i], got[i], want)
					}
				}
			}
		}
	}
}

package passes

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/passes/rewrite"
	"pgregory.net/rapid"
)

// formula builds graphs of float32 values.
type formula struct {
	t testing.TB
	f *ir.Func
}

func newFormula(t testing.TB) *formula { return &formula{t, &ir.Func{Name: "f"}} }

func (b *formula) param(dims ...int) *ir.Value {
	return b.f.Param(fmt.Sprintf("p%d", len(b.f.Params)), ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(dims...)}, nil)
}

func (b *formula) add(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
	v, err := b.f.Add(op, a, ir.Pos{}, args...)
	require.NoError(b.t, err)
	return v
}

func (b *formula) op(op ir.Op, args ...*ir.Value) *ir.Value { return b.add(op, ir.Attr{}, args...) }

func (b *formula) sum(vs ...*ir.Value) *ir.Value {
	for _, v := range vs[1:] {
		vs[0] = b.op(ir.OpAdd, vs[0], v)
	}
	return vs[0]
}

func (b *formula) lower(results ...*ir.Value) *plan.Plan {
	b.f.Results = results
	p, err := Lower(b.f, Options{Verify: true})
	require.NoError(b.t, err)
	return p
}

// steps iterates z = z*z + c n times and counts how often |z| is small. Each iteration has nine ops.
func (b *formula) steps(n int) *ir.Value {
	re, im, four := b.param(1000), b.param(1000), b.add(ir.OpConst, ir.Attr{DType: ir.Float32, Bits: 0x40800000})
	zr, zi, count := re, im, b.op(ir.OpAbs, re)
	for range n {
		rr, ii, ri := b.op(ir.OpMul, zr, zr), b.op(ir.OpMul, zi, zi), b.op(ir.OpMul, zr, zi)
		small := b.op(ir.OpLt, b.op(ir.OpAdd, rr, ii), four)
		count = b.op(ir.OpAdd, count, b.add(ir.OpCast, ir.Attr{DType: ir.Float32}, small))
		zr, zi = b.op(ir.OpAdd, b.op(ir.OpSub, rr, ii), re), b.op(ir.OpAdd, ri, im)
	}
	return b.sum(count, zr, zi)
}

// temporaries returns the total bytes of a plan's temporaries.
func temporaries(p *plan.Plan) int {
	n := 0
	for i := range p.Buffers {
		if b := &p.Buffers[i]; b.Kind == plan.TempBuffer {
			n += b.Size() * b.DType.Size()
		}
	}
	return n
}

// TestPartition lowers graphs that exceed the limits of a kernel. It counts the kernels, and the values of 1000
// elements that are stored between them.
func TestPartition(t *testing.T) {
	tests := []struct {
		name            string
		kernels, stored int
		build           func(b *formula) *ir.Value
	}{
		{"20 steps of a recurrence", 1, 0, func(b *formula) *ir.Value { return b.steps(20) }},
		{"40 steps: count and z cross", 2, 3, func(b *formula) *ir.Value { return b.steps(40) }},
		{"100 steps", 4, 9, func(b *formula) *ir.Value { return b.steps(100) }},
		{"nine slices of one array", 1, 0, func(b *formula) *ir.Value {
			x := b.param(1010)
			var slices []*ir.Value
			for i := range 9 {
				slices = append(slices, b.add(ir.OpSlice, ir.Attr{Begin: ir.Fixed(i), Len: ir.Fixed(1000), Step: 1}, x))
			}
			return b.sum(slices...)
		}},
		{"12 arrays", 2, 1, func(b *formula) *ir.Value { return b.params(12) }},
		{"11 arrays", 1, 0, func(b *formula) *ir.Value { return b.params(11) }},
		{"elementary functions", 4, 3, func(b *formula) *ir.Value {
			x := b.param(1000)
			for range 70 {
				x = b.op(ir.OpPow, x, x)
			}
			return x
		}},
		{"breadth first, to be summed", 2, 1, func(b *formula) *ir.Value {
			var vs []*ir.Value
			x := b.param(1000)
			for i := range 150 {
				c := b.add(ir.OpConst, ir.Attr{DType: ir.Float32, Bits: uint64(0x40000000 + i%12)})
				vs = append(vs, b.op([]ir.Op{ir.OpAdd, ir.OpMax, ir.OpSub, ir.OpMul, ir.OpMin, ir.OpMod}[i/25], x, c))
			}
			for i := range vs {
				vs[i] = b.op(ir.OpAbs, vs[i])
			}
			return b.sum(vs...)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := newFormula(t)
			p := b.lower(tt.build(b))
			require.Len(t, p.Steps, tt.kernels, p.String())
			require.Equal(t, 4000*tt.stored, temporaries(p), p.String())
		})
	}
}

func (b *formula) params(n int) *ir.Value {
	var in []*ir.Value
	for range n {
		in = append(in, b.param(1000))
	}
	return b.sum(in...)
}

// TestPartitionAreEven checks that a chain is cut into kernels of about equal length.
func TestPartitionAreEven(t *testing.T) {
	b := newFormula(t)
	x := b.param(10)
	y := x
	for range kernel.MaxBody + 20 {
		y = b.op(ir.OpMul, y, x)
	}
	p := b.lower(y)
	require.Len(t, p.Steps, 2)
	require.InDelta(t, len(p.Steps[0].Body.Body), len(p.Steps[1].Body.Body), 2*float64(rewrite.CutRun))
}

// TestPartitionKeepMeaning checks large random graphs, which need many kernels: the plan must evaluate to the same
// bits as the graph.
func TestPartitionKeepMeaning(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		nodes, reach := 50+rnd.IntN(700), 2+rnd.IntN(60)
		f := &ir.Func{Name: "f"}
		typ := ir.Type{DType: ir.Int32, Shape: ir.ShapeOf(3)}
		var vals []*ir.Value
		var in []eval.Array
		for i := range 1 + rnd.IntN(20) {
			vals = append(vals, f.Param(fmt.Sprintf("p%d", i), typ, nil))
			in = append(in, eval.Array{DType: ir.Int32, Shape: []int{3}, Data: []uint64{uint64(uint32(i)), uint64(rnd.Uint32()), 7}})
		}
		for range nodes {
			pick := func() *ir.Value { return vals[len(vals)-1-rnd.IntN(min(reach, len(vals)))] }
			if rnd.IntN(20) == 0 {
				vals = append(vals, vals[rnd.IntN(len(vals))])
			}
			v, err := f.Add([]ir.Op{ir.OpAdd, ir.OpMul, ir.OpSub, ir.OpMax}[rnd.IntN(4)], ir.Attr{}, ir.Pos{}, pick(), pick())
			require.NoError(t, err)
			vals = append(vals, v)
		}
		f.Results = []*ir.Value{vals[len(vals)-1]}
		text := f.String()
		want, err := eval.Eval(f, in)
		require.NoError(t, err)
		s := &State{State: rewrite.State{Func: f}}
		for _, p := range Default {
			require.NoError(t, run(s, p, tuning.Default(1)), text)
			require.NoError(t, verify(s, p), text)
		}
		sameBits(t, want, planned(t, s.Plan, in), text)
	})
}

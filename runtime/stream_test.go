package runtime

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// streaming are executors that stream all they can.
func streaming(p *plan.Plan) map[string]*Executor {
	return map[string]*Executor{
		"one":    {Workers: 1, ChunkElems: 1 << 20},
		"three":  {Workers: 3, ChunkElems: 999},
		"cover":  {Workers: 2, ChunkElems: 5000, NoFused: true},
		"bodies": {Workers: 1, ChunkElems: 3000, lookup: assembled(p)},
	}
}

// assembled is a lookup that passes interpreted kernels of the plan's bodies off
// as assembly.
func assembled(p *plan.Plan) func(abi.Engine, string) (func(*abi.Frame), bool) {
	bodies := interpreted(p)
	return func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		if fn, ok := abi.Lookup(e, sig); ok {
			return fn, ok
		}
		return bodies(abi.Portable, sig)
	}
}

// checkStreams runs a plan in all ways, its results at odd addresses between
// words that must stay.
func checkStreams(t *testing.T, p *plan.Plan, streamed ...int) {
	if !abi.HasAVX2() {
		t.Skip("only assembly streams")
	}
	outs, ins := operandsFor(t, newRand(), p)
	want := reference(p, ins)
	for name, e := range streaming(p) {
		var whole []*tensor.Tensor
		for i, out := range outs {
			shift := 3 + 2*i
			w := tensor.New(out.DType(), out.Size()+64)
			require.NoError(t, w.Err())
			for k := range w.Size() {
				memory.StoreBits(w.DType(), addr(w, k), 1)
			}
			whole = append(whole, w)
			outs[i] = tensor.Over(out.DType(), out.Layout(), addr(w, shift))
		}
		l := checkOn(t, e, p, name, outs, ins, want)
		require.Equal(t, streamed, l.Steps()[0].Streamed, name)
		for i, w := range whole {
			for k := range w.Size() {
				if k < 3+2*i || k >= 3+2*i+outs[i].Size() {
					require.Equal(t, uint64(1), loadElement(w.DType(), addr(w, k)), "%s: result %d, %d elements from its start", name, i, k-3-2*i)
				}
			}
		}
	}
}

func TestStreams(t *testing.T) {
	for _, n := range []int{1, 15, 16, 63, 64, 65, 2047, 2048, 2049, 10_007, 40_000} {
		t.Run(fmt.Sprint("line/", n), func(t *testing.T) { checkStreams(t, fiveOpsPlan(n, 4096), 4) })
	}
	for _, c := range []struct{ rows, cols, step int }{{1, 5, 5}, {300, 3, 3}, {300, 3, 4}, {37, 53, 53}, {37, 53, 64}, {5, 4096, 4096}, {9, 2500, 2503}} {
		for _, dt := range []ir.DType{ir.Uint8, ir.Float32, ir.Int64} {
			t.Run(fmt.Sprint("block/", c, dt), func(t *testing.T) {
				var m planMaker
				k, err := kernel.SingleOp(ir.OpSub, ir.Invalid, unit(dt), splat(dt))
				require.NoError(t, err)
				x, y, out := m.param(dt, c.rows, c.cols), m.param(dt, c.rows), m.result(dt, c.rows, c.step)
				m.step(k, []int{c.rows, c.cols}, 8, c.cols, access(x, 0, c.cols, 1), access(y, 0, 1, 0), access(out, 0, c.step, 1))
				if c.step > c.cols { // the rest of the rows
					m.step(k, []int{c.rows, c.step - c.cols}, 8, 8, access(x, 0, c.cols, 1), access(y, 0, 1, 0), access(out, c.cols, c.step, 1))
				}
				checkStreams(t, &m.plan, 2)
			})
		}
	}
}

// Copies, values stored twice, splats and folds beside streamed outputs.
func TestStreamsManyOutputs(t *testing.T) {
	b := kernel.NewBuilder(unit(f32), splat(f32))
	sum := b.Op(ir.OpAdd, 0, 1)
	root := b.Op(ir.OpSqrt, sum)
	for _, v := range []kernel.Ref{0, 1, sum, sum, root} {
		b.Store(v)
	}
	const rows, cols = 33, 700
	var m planMaker
	k := b.Kernel()
	operands := []plan.Access{access(m.param(f32, rows, cols), 0, cols, 1), access(m.param(f32, rows), 0, 1, 0)}
	for range k.Out {
		operands = append(operands, access(m.result(f32, rows, cols), 0, cols, 1))
	}
	m.step(k, []int{rows, cols}, 8, cols, operands...)
	checkStreams(t, &m.plan, 2, 3, 4, 5, 6)

	folds := *k
	folds.Fold = []ir.Op{0, 0, ir.OpAdd, 0, ir.OpMax}
	var f planMaker
	operands = []plan.Access{access(f.param(f32, rows, cols), 0, cols, 1), access(f.param(f32, rows), 0, 1, 0)}
	for o := range folds.Out {
		if folds.Fold[o] == ir.OpInvalid {
			operands = append(operands, access(f.result(f32, rows, cols), 0, cols, 1))
		} else {
			operands = append(operands, access(f.result(f32, rows), 0, 1, 0))
		}
	}
	f.step(&folds, []int{rows, cols}, 8, cols, operands...)
	checkStreams(t, &f.plan, 2, 3, 5)
}

// Large results of cheap bodies are streamed: no other.
func TestWhatIsStreamed(t *testing.T) {
	if !abi.HasAVX2() {
		t.Skip("only assembly streams")
	}
	const n = streamFrom / 4
	linked := func(e *Executor, k *kernel.Kernel, n int, again bool) []int {
		var m planMaker
		x, out := m.param(f32, n), m.result(f32, n)
		m.step(k, []int{1, n}, 1, 4096, access(x, 0, 0, 1), access(out, 0, 0, 1))
		if again {
			m.step(k, []int{1, n}, 1, 4096, access(out, 0, 0, 1), access(m.result(f32, n), 0, 0, 1))
		}
		l, err := e.Link(&m.plan)
		require.NoError(t, err)
		return l.Steps()[0].Streamed
	}
	neg, err := kernel.SingleOp(ir.OpNeg, ir.Invalid, unit(f32))
	require.NoError(t, err)
	exp, err := kernel.SingleOp(ir.OpExp, ir.Invalid, unit(f32))
	require.NoError(t, err)
	require.Equal(t, []int{1}, linked(&Executor{}, neg, n, false))
	require.Empty(t, linked(&Executor{}, neg, n-1, false), "small")
	require.Empty(t, linked(&Executor{}, neg, n, true), "read again")
	require.Empty(t, linked(&Executor{}, exp, n, false), "costly")
	require.Empty(t, linked(&Executor{Portable: true}, neg, n, false), "portable")
}

func TestStreamAllocates(t *testing.T) {
	p := fiveOpsPlan(100_000, 4096)
	l, err := (&Executor{Workers: 1, stream: 1}).Link(p)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), p)
	ctx := context.Background()
	require.NoError(t, l.Run(ctx, outs, ins))
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = l.Run(ctx, outs, ins) }))
}

package runtime_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// sumRows returns the kernel that adds the squares of each row.
func sumRows() kernel.Code {
	b := kernel.NewBuilder(unit)
	b.Store(b.Op(ir.OpMul, 0, 0))
	k, _ := kernel.Canonical(&kernel.Micro{Kind: kernel.Reduce, Combine: []ir.Op{ir.OpAdd}, Body: b.Kernel()})
	return k
}

// TestLongCallsArePieces: a kernel that takes long is called for few elements at a time, by
// rows or within one row, and computes the same.
func TestLongCallsArePieces(t *testing.T) {
	exp := single(ir.OpExp, unit)
	transpose := &kernel.Micro{Kind: kernel.Transpose, Type: ir.Uint32}
	for name, c := range map[string]struct {
		k                kernel.Code
		rows, cols, outs int
		inStep, outStep  int
		fields           []nest.Size
	}{
		"one row":      {exp, 1, 1 << 15, 1 << 15, 1 << 15, 1 << 15, nil},
		"many rows":    {exp, 64, 512, 1 << 15, 512, 512, nil},
		"rows to sums": {sumRows(), 64, 1000, 64, 1000, 1, nil},
		"transposed":   {transpose, 200, 300, 60000, 200, 300, []nest.Size{nest.Fixed(4)}},
	} {
		var m maker
		call := callOf(c.k, nest.Fixed(c.rows), nest.Fixed(c.cols), at(0, 0, c.inStep), at(1, 0, c.outStep))
		call.Call.Fields = c.fields
		m.task(c.outs, []nest.Slot{m.param(c.rows * c.cols), m.result(c.outs)}, nest.Nest{Items: []nest.Item{call}})
		p, calls, most := requireValid(t, &m.p), 0, 0
		e := with(before(func(_ string, f *abi.Frame) { calls, most = calls+1, max(most, f.Rows*f.Cols) }), &runtime.Executor{Workers: 1, Portable: true})
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operands(t, p.Buffers)
		require.NoError(t, l.Run(context.Background(), outs, ins))
		require.Empty(t, irtest.Diff(evaluated(t, p, arraysOf(ins)), arraysOf(outs)), name)
		require.GreaterOrEqual(t, calls, 3, name)
		require.LessOrEqual(t, most, c.rows*c.cols/3, name)
	}
}

// TestRowsWithoutEnd: a call whose rows are all one line, which it computes from itself,
// has as many rows as there are ints. It is cancelled all the same.
func TestRowsWithoutEnd(t *testing.T) {
	var m maker
	k := single(ir.OpNeg, unit)
	m.task(4, []nest.Slot{m.param(4), m.result(4)}, nest.Nest{Items: []nest.Item{
		callOf(k, nest.Fixed(1), nest.Fixed(4), at(0, 0, 0), at(1, 0, 0)),
		callOf(k, nest.Fixed(math.MaxInt), nest.Fixed(4), at(1, 0, 0), at(1, 0, 0))}})
	l, err := (&runtime.Executor{Verify: true}).Link(&m.p)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- l.RunNew(ctx, make([]*tensor.Tensor, 1), []*tensor.Tensor{tensor.Ones(f32, 4)}) }()
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// TestPiecesOfWindows: a call whose rows are windows is divided into lines of them, or into parts of
// one, on every engine.
func TestPiecesOfWindows(t *testing.T) {
	dot := &kernel.Micro{Kind: kernel.DotLeftWindows, Type: f32}
	const rows, cols, channels, runs, taps, runStep, step, lineStep, pairs = 60, 11, 5, 3, 4, 19, 2, 40, 5 * 3 * 4
	for _, line := range []int{7, 25, rows, 2 * rows} {
		span := (runs-1)*runStep + taps + (rows-1)/line*lineStep + (min(rows, line)-1)*step
		var m maker
		call := callOf(dot, nest.Fixed(rows), nest.Fixed(cols), at(0, 0, span), at(1, 0, cols), at(2, 0, cols))
		for _, n := range []int{step, pairs, 0, channels, span, runs, taps, runStep, 1, 0, 0, line, lineStep} {
			call.Call.Fields = append(call.Call.Fields, nest.Fixed(n))
		}
		m.task(rows*cols, []nest.Slot{m.param(channels * span), m.param(pairs * cols), m.result(rows * cols)}, nest.Nest{Items: []nest.Item{call}})
		p := requireValid(t, &m.p)
		for _, portable := range []bool{true, false} {
			times := tuning.Default(1).AssemblyCalls
			if portable || abi.Best() == abi.Portable {
				times = tuning.Default(1).GoCalls
			}
			for _, most := range []int{1, 10, 15} { // rows of a call
				longest := 0
				e := with(before(func(_ string, f *abi.Frame) { longest = max(longest, f.Rows) }), &runtime.Executor{Workers: 1, Portable: portable})
				e.Tuning = irtest.Machine(1 + int(times.Short*float64(pairs*cols*most))) // nanoseconds of a call
				l, err := e.Link(p)
				require.NoError(t, err)
				outs, ins := operands(t, p.Buffers)
				require.NoError(t, l.Run(context.Background(), outs, ins))
				require.Empty(t, irtest.Diff(evaluated(t, p, arraysOf(ins)), arraysOf(outs)), "lines of %d", line)
				want := min(most, line)
				if most > line {
					want = most / line * line
				}
				require.Equal(t, want, longest, "lines of %d", line)
			}
		}
	}
}

package runtime

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

func benchmarkPlan(b *testing.B, e *Executor, p *plan.Plan, elems int) {
	l, err := e.Link(p)
	require.NoError(b, err)
	outs, ins := operandsFor(b, newRand(), p)
	for _, x := range ins { // no special values, which could be slow
		for i := range x.Size() {
			memory.StoreBits(x.DType(), addr(x, i), randomFinite(x.DType(), i))
		}
	}
	ctx := context.Background()
	b.SetBytes(int64(elems))
	for b.Loop() {
		if err := l.Run(ctx, outs, ins); err != nil {
			b.Fatal(err)
		}
	}
	b.Log(l.Steps()[0].Compiled, l.Steps()[0].Engine)
}

// One operation on 16 elements: what a run costs besides computing.
func BenchmarkRunOverhead(b *testing.B) {
	var m planMaker
	x, y := m.param(f32, 16), m.param(f32, 16)
	m.step(addKernel(unit(f32), unit(f32)), []int{1, 16}, 1, 16, access(x, 0, 0, 1), access(y, 0, 0, 1), access(m.result(f32, 16), 0, 0, 1))
	benchmarkPlan(b, &Executor{}, &m.plan, 16)
}

func BenchmarkFiveOps(b *testing.B) {
	for _, n := range []int{16, 1 << 10, 64 << 10, 4 << 20} {
		for name, e := range map[string]*Executor{"fused": {Workers: 1}, "cover": {Workers: 1, NoFused: true}, "fused workers": {}, "cover workers": {NoFused: true}} {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) { benchmarkPlan(b, e, fiveOpsPlan(n, 16<<10), n) })
		}
	}
}

// An addition of a matrix and another's transpose.
func BenchmarkTransposed(b *testing.B) {
	for _, dt := range []ir.DType{ir.Uint8, ir.Float32, ir.Float64} {
		for _, n := range []int{100, 1000, 1024} {
			var m planMaker
			x, y := m.param(dt, n, n), m.param(dt, n, n)
			k, err := kernel.SingleOp(ir.OpAdd, ir.Invalid, unit(dt), unit(dt))
			require.NoError(b, err)
			m.step(k, []int{n, n}, (32<<10)/n, n, access(x, 0, n, 1), access(y, 0, 1, n), access(m.result(dt, n, n), 0, n, 1))
			b.Run(fmt.Sprintf("%s/%d", dt, n), func(b *testing.B) { benchmarkPlan(b, &Executor{Workers: 1}, &m.plan, n*n) })
		}
	}
}

// Every other element.
func BenchmarkStrided(b *testing.B) {
	var m planMaker
	const n = 1 << 20
	x, y := m.param(f32, 2*n), m.param(f32, n)
	m.step(addKernel(unit(f32), unit(f32)), []int{1, n}, 1, 32<<10, access(x, 0, 0, 2), access(y, 0, 0, 1), access(m.result(f32, n), 0, 0, 1))
	benchmarkPlan(b, &Executor{Workers: 1}, &m.plan, n)
}

func BenchmarkLink(b *testing.B) {
	for name, e := range map[string]*Executor{"kernel": {}, "cover": {NoFused: true}} {
		p := fiveOpsPlan(1000, 1000)
		if name == "kernel" {
			e.lookup = interpreted(p)
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := e.Link(p)
				require.NoError(b, err)
			}
		})
	}
}

// randomFinite returns an element from 1 to 97.
func randomFinite(dt ir.DType, i int) uint64 {
	bits, _ := ir.Encode(dt, i%97+1)
	return bits
}

// The same where the transpose is low or narrow, as of pixels.
func BenchmarkTransposedPixels(b *testing.B) {
	for _, e := range [][2]int{{3, 30000}, {4, 30000}, {30000, 3}, {30000, 4}, {9, 10000}} {
		rows, cols := e[0], e[1]
		var m planMaker
		x, y := m.param(f32, cols, rows), m.param(f32, rows, cols)
		k, err := kernel.SingleOp(ir.OpAdd, ir.Invalid, unit(f32), unit(f32))
		require.NoError(b, err)
		m.step(k, []int{rows, cols}, min(rows, (32<<10)/cols+1), cols, access(x, 0, 1, rows), access(y, 0, cols, 1), access(m.result(f32, rows, cols), 0, cols, 1))
		b.Run(fmt.Sprintf("%dx%d", rows, cols), func(b *testing.B) { benchmarkPlan(b, &Executor{Workers: 1}, &m.plan, rows*cols) })
	}
}

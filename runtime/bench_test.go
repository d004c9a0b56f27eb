package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/passes/schedule"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// ordinary returns operands without special values, which can be slow.
func ordinary(b *testing.B, buffers []plan.Buffer) (outs, ins []*tensor.Tensor) {
	outs, ins = operands(b, buffers)
	rng := rand.New(rand.NewPCG(1, 2))
	for _, x := range ins {
		for at := range x.Layout().All() {
			memory.StoreBits(x.DType(), addr(x, at), ir.ElementOf(x.DType(), 1+rng.IntN(97)))
		}
	}
	return outs, ins
}

// BenchmarkRunOverhead is one operation on 16 elements: what a run costs besides
// computing.
func BenchmarkRunOverhead(b *testing.B) {
	p := lowered(b, "func f(%x: f32[16], %y: f32[16]) {\n  %0 = sub %x, %y : f32[16]\n  return %0\n}")
	outs, ins := ordinary(b, p.Buffers)
	l := linked(b, &runtime.Executor{}, p)
	bound, err := l.Bind(outs, ins)
	require.NoError(b, err)
	ctx := context.Background()
	b.Run("run", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = l.Run(ctx, outs, ins)
		}
	})
	b.Run("bound", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_ = bound.Run(ctx)
		}
	})
}

// BenchmarkFiveOps is a chain of operations, whose whole body is no built-in kernel.
func BenchmarkFiveOps(b *testing.B) {
	for _, n := range []int{16, 1 << 10, 64 << 10, 4 << 20} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%d/workers=%d", n, workers), func(b *testing.B) {
				p := lowered(b, sized(graphs["chain"], "N", max(1, n/1024), "M", min(n, 1024)))
				l := linked(b, &runtime.Executor{Workers: workers}, p)
				outs, ins := ordinary(b, p.Buffers)
				ctx := context.Background()
				b.SetBytes(int64(n))
				for b.Loop() {
					_ = l.Run(ctx, outs, ins)
				}
			})
		}
	}
}

// BenchmarkLink is what a plan costs once: its schedule, the schedule's verification, and
// linking.
func BenchmarkLink(b *testing.B) {
	for _, name := range []string{"chain", "softmax", "product"} {
		p := lowered(b, sized(graphs[name], "N", 320, "M", 320))
		e := &runtime.Executor{}
		m := e.Machine()
		program := scheduled(b, e, p, schedule.Options{})
		for what, do := range map[string]func() error{
			"schedule": func() error { _, err := schedule.Schedule(p, m, e, schedule.Options{}); return err },
			"verify":   program.Verify,
			"link":     func() error { _, err := e.Link(program); return err },
		} {
			b.Run(name+"/"+what, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					require.NoError(b, do())
				}
			})
		}
	}
}

package runtime

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// An addition whose result is streamed or not, alone, and with its result read
// next: where streamFrom comes from.
func BenchmarkStream(b *testing.B) {
	for mib := 1; mib <= 64; mib *= 2 {
		n := mib << 18
		var m, r planMaker
		m.step(addKernel(unit(f32), unit(f32)), []int{1, n}, 1, 32<<10,
			access(m.param(f32, n), 0, 0, 1), access(m.param(f32, n), 0, 0, 1), access(m.result(f32, n), 0, 0, 1))
		fold := &kernel.Kernel{In: []kernel.Operand{unit(f32)}, Out: []kernel.Ref{0}, Fold: []ir.Op{ir.OpAdd}}
		r.step(fold, []int{n / 1024, 1024}, 32, 1024, access(r.param(f32, n), 0, 1024, 1), access(r.result(f32, n/1024), 0, 1, 0))
		for _, reads := range []bool{false, true} {
			for _, from := range []int{1, math.MaxInt} {
				b.Run(fmt.Sprintf("%dMiB/read=%t/streamed=%t", mib, reads, from == 1), func(b *testing.B) {
					e := &Executor{Workers: 1, stream: from}
					add, err := e.Link(&m.plan)
					require.NoError(b, err)
					sum, err := e.Link(&r.plan)
					require.NoError(b, err)
					ctx := context.Background()
					outs, ins := operandsFor(b, newRand(), &m.plan)
					sums := []*tensor.Tensor{sum.NewResult(0)}
					for b.Loop() {
						err := add.Run(ctx, outs, ins)
						if err == nil && reads {
							err = sum.Run(ctx, sums, outs)
						}
						require.NoError(b, err)
					}
				})
			}
		}
	}
}

package runtime_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestStoresPastTheCaches calls kernels of functions that store past the caches and as always, on rows that are
// not aligned: both store the same, in place too, and nothing beside it. Rare inputs leave the loop.
func TestStoresPastTheCaches(t *testing.T) {
	new(runtime.Executor).Version() // registers the built-in kernels
	inf := float32(math.Inf(1))
	rare := []float32{0, inf, -inf, float32(math.NaN()), -1, 1e-40, 1e30, -1e30, -100, 1e9}
	random := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for _, op := range []ir.Op{ir.OpAdd, ir.OpExp, ir.OpLog, ir.OpSin, ir.OpTanh, ir.OpErf, ir.OpSigmoid, ir.OpSiLU} {
		operands := []kernel.Operand{{DType: ir.Float32}, {DType: ir.Float32}}
		k, err := kernel.SingleOp(op, ir.Invalid, operands[:op.Info().Arity]...)
		require.NoError(t, err)
		for _, engine := range []abi.Engine{abi.AVX2, abi.AVX512} {
			run, on, ok := abi.Find(engine, k.Signature())
			if !ok || on != engine || engine > abi.Best() || !kernel.NonTemporal(k, engine.Vector()) {
				continue
			}
			tried++
			for range 500 {
				rows, cols, gap, share := 1+random.IntN(3), random.IntN(400), random.IntN(20), random.IntN(3)
				in, from, to := make([]float32, 1400), random.IntN(16), random.IntN(16)
				for i := range in {
					in[i] = random.Float32()*4 + 0.1
					if random.IntN(40) < share*share*10 {
						in[i] = rare[random.IntN(len(rare))]
					}
				}
				stored := func(out []float32, from, past int) []float32 {
					f := &abi.Frame{Rows: rows, Cols: cols, NonTemporal: past}
					for i, p := range [][]float32{in, in, out}[2-op.Info().Arity:] {
						at := from
						if i == op.Info().Arity {
							at = to
						}
						f.Ptr[i], f.Step[i] = unsafe.Pointer(&p[at]), 4*(cols+gap)
					}
					run(f)
					return out
				}
				want := stored(make([]float32, len(in)), from, 0)
				requireBits(t, want, stored(make([]float32, len(in)), from, 1), op, engine)
				want = stored(append([]float32(nil), in...), to, 0)
				in = append([]float32(nil), in...)
				requireBits(t, want, stored(in, to, 1), op, engine)
			}
		}
	}
	if runtime.DefaultExecutor().Assembly() {
		require.NotZero(t, tried)
	}
}

func requireBits(t *testing.T, want, got []float32, op ir.Op, engine abi.Engine) {
	for i := range want {
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			t.Fatalf("%v %v: element %d is %v, not %v", engine, op, i, got[i], want[i])
		}
	}
}

package elementary_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// isNarrow reports whether an op is one on a type that is computed in another, or
// gives one.
func isNarrow(op ir.Op, dt ir.DType, k *kernel.Kernel) bool {
	return op.Info().Kind == ir.Lane && (!dt.Native() || !k.DType(k.Out[0]).Native())
}

// TestNarrow holds the expansions of lane ops on types that are computed in another
// against the ops' own meaning: one rounding or wrap each.
func TestNarrow(t *testing.T) {
	eachKernel(t, func(op ir.Op, dt ir.DType, k *kernel.Kernel) {
		if !isNarrow(op, dt, k) {
			return
		}
		e, out := elementary.Expand(k), k.DType(k.Out[0])
		evaluate := e.Evaluator(ir.Defined)
		check := func(t require.TestingT, args [3]uint64) {
			in := k.Body[0]
			ordered := [3]uint64{}
			for i, a := range in.Args[:in.Arity()] {
				ordered[i] = args[a]
			}
			want, got := op.Info().Ref(dt, out, ordered), evaluate(args[:len(k.In)])[0]
			if want != got && !(ir.IsNaN(out, want) && ir.IsNaN(out, got)) {
				require.Failf(t, "differs", "%s of %s to %s of %#x: %#x, want %#x\n%s", op, dt, out, args, got, want, e)
			}
		}
		if len(k.In) == 1 && dt.Size() <= 2 {
			for i := range uint64(1) << dt.Bits() {
				check(t, [3]uint64{ir.Wrap(dt, int64(i))})
			}
			return
		}
		rapid.Check(t, func(rt *rapid.T) {
			var args [3]uint64
			for i, in := range k.In {
				args[i] = irtest.Element(rt, in.DType)
				if in.DType != ir.Bool && rapid.Bool().Draw(rt, "any bits") {
					args[i] = ir.Wrap(in.DType, int64(rapid.Uint64().Draw(rt, "bits")))
				}
			}
			check(rt, args)
		})
	})
}

// TestFewBits converts the midpoints between adjacent numbers of the floats of 16 bits and
// less, and the values next to each midpoint, from types with more digits.
func TestFewBits(t *testing.T) {
	for _, to := range (ir.SetOf(ir.Float16, ir.BFloat16) | ir.Minifloats).List() {
		inf := ir.FromFloat(to, math.Inf(1))
		for _, from := range []ir.DType{ir.Float64, ir.Int64, ir.Uint64, ir.Int32, ir.Uint32} {
			k, err := kernel.SingleOp(ir.OpCast, to, kernel.Operand{DType: from})
			require.NoError(t, err)
			evaluate := elementary.Expand(k).Evaluator(ir.Defined)
			for h := range inf {
				below := ir.ToFloat(to, h)
				middle := below + (ir.ToFloat(to, h+1)-below)/2
				if h == inf-1 && h > 0 {
					middle = below + (below-ir.ToFloat(to, h-1))/2
				}
				near := []float64{middle, math.Nextafter(middle, 0), math.Nextafter(middle, math.Inf(1)), -middle, math.Nextafter(-middle, 0)}
				if ir.Ints.Has(from) {
					near = []float64{math.Floor(middle), math.Ceil(middle), math.Floor(middle) + 1, -math.Ceil(middle)}
				}
				for _, v := range near {
					x := ir.RefCast(ir.Float64, from, [3]uint64{ir.FromFloat(ir.Float64, v)})
					for _, x := range []uint64{x, ir.Wrap(from, int64(x+1))} {
						want, got := ir.RefCast(from, to, [3]uint64{x}), evaluate([]uint64{x})[0]
						require.Equal(t, want, got, "%s %v to %s", from, v, to)
					}
				}
			}
		}
	}
}

// TestIntegersInSingleLanes: an int32 becomes a float of 16 bits without float64, which takes two vectors. TestFewBits
// compares the numbers.
func TestIntegersInSingleLanes(t *testing.T) {
	for _, to := range []ir.DType{ir.Float16, ir.BFloat16} {
		k, err := kernel.SingleOp(ir.OpCast, to, kernel.Operand{DType: ir.Int32})
		require.NoError(t, err)
		for _, in := range elementary.Expand(k).Body {
			require.NotEqual(t, ir.Float64, in.DType)
		}
	}
}

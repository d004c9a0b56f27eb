package elementary

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// evalInTier returns the function that an op is on elements of a type, in a tier.
func evalInTier(t *testing.T, op ir.Op, dt ir.DType, fast bool) func(x ...float64) float64 {
	operands := make([]kernel.Operand, op.Info().Arity)
	for i := range operands {
		operands[i].DType = dt
	}
	k, err := kernel.SingleOp(op, ir.Invalid, operands...)
	require.NoError(t, err)
	k = Expand(k.InTier(fast))
	require.NoError(t, k.Verify())
	return func(x ...float64) float64 {
		in := make([]uint64, len(x))
		for i, v := range x {
			in[i] = ir.FromFloat(dt, v)
		}
		return ir.ToFloat(dt, k.Eval(in)[0])
	}
}

func TestElementaryAccuracy(t *testing.T) {
	cases := []struct {
		op    ir.Op
		dt    ir.DType
		ref   func(float64) float64
		limit float64
	}{
		{ir.OpExp, ir.Float32, math.Exp, 0.89},
		{ir.OpTanh, ir.Float32, math.Tanh, 0.51},
		{ir.OpExp, ir.Float64, math.Exp, 2}, // math's own error is up to 1
		{ir.OpTanh, ir.Float64, math.Tanh, 3},
	}
	for _, c := range cases {
		f := evalInTier(t, c.op, c.dt, false)
		worst, at := 0.0, 0.0
		for i := range 200000 {
			x := (float64(i)/100000 - 1) * math.Exp2(float64(i%48)-40)
			x = ir.ToFloat(c.dt, ir.FromFloat(c.dt, x))
			if e := ulps(c.dt, f(x), c.ref(x)); !(e <= worst) {
				worst, at = e, x
			}
		}
		t.Logf("%s %s: %.3f ULP at %g", c.op, c.dt, worst, at)
		require.LessOrEqual(t, worst, c.limit, "%s %s at %g", c.op, c.dt, at)
	}
}

func ulps(dt ir.DType, got, want float64) float64 {
	if math.IsInf(want, 0) || math.Abs(want) > math.MaxFloat32 && dt == ir.Float32 {
		return 0
	}
	frac, least := 52, -1074
	if dt == ir.Float32 {
		frac, least = 23, -149
	}
	ulp := math.Ldexp(1, max(math.Ilogb(want)-frac, least))
	return math.Abs(got-want) / ulp
}

func TestFMA32(t *testing.T) {
	// 2^24+1 times 1 plus a half and a bit: float64 rounds the tie away first.
	x, y, z := float32(1+0x1p-12), float32(1+0x1p-12), float32(0x1p-60)
	exact := 1 + 0x1p-11 + 0x1p-24 // a tie in float32, broken upwards by z
	require.Equal(t, float32(exact+0x1p-24), ir.FMA32(x, y, z))
	require.Equal(t, float32(exact-0x1p-24), ir.FMA32(x, y, -z))
}

// TestFMA32Fast compares the short way with the long one round every border: sums
// halfway between floats and next to it, of all exponents, and subnormal ones.
func TestFMA32Fast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	special := []uint32{0, 1, 0x7fffff, 0x800000, 0x800001, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x3f800000, 0x33800000}
	pick := func() float32 {
		if rng.IntN(8) == 0 {
			return math.Float32frombits(special[rng.IntN(len(special))] | rng.Uint32()&(1<<31))
		}
		return math.Float32frombits(rng.Uint32() & (^uint32(0) << rng.IntN(24))) // few bits: halfway often
	}
	halfway := 0
	for range 2_000_000 {
		x, y, z := pick(), pick(), pick()
		if rng.IntN(2) == 0 { // of a magnitude with the product, or near it
			z = float32(math.Ldexp(float64(z), math.Ilogb(float64(x)*float64(y))-math.Ilogb(float64(z))+rng.IntN(60)-30))
		}
		got, want := ir.FMA32(x, y, z), ir.Fma32(x, y, z)
		if got != got && want != want {
			continue
		}
		if math.Float64bits(float64(x)*float64(y)+float64(z))<<35 == 1<<63 {
			halfway++
		}
		if math.Float32bits(got) != math.Float32bits(want) {
			t.Fatalf("FMA32(%x, %x, %x) is %x, want %x", x, y, z, got, want)
		}
	}
	require.Greater(t, halfway, 1000)
}

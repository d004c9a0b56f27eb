package scalar

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFMA32(t *testing.T) {
	// 2^24+1 times 1 plus a half and a bit: float64 rounds the tie away first.
	x, y, z := float32(1+0x1p-12), float32(1+0x1p-12), float32(0x1p-60)
	exact := 1 + 0x1p-11 + 0x1p-24 // a tie in float32, broken upwards by z
	require.Equal(t, float32(exact+0x1p-24), FMA32(x, y, z))
	require.Equal(t, float32(exact-0x1p-24), FMA32(x, y, -z))
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
		got, want := FMA32(x, y, z), slowFMA32(x, y, z)
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

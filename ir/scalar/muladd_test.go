package scalar

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// exactFMA32 is FMA32 by package big. It rounds to 24 bits, or in the subnormal range to a multiple of 2^-149.
func exactFMA32(x, y, z float32) float32 {
	of := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
	sum := of(x)
	sum.Mul(sum, of(y)).Add(sum, of(z))
	if sum.Sign() == 0 {
		return float32(float64(x)*float64(y)) + z // the sign of a zero
	}
	f, _ := sum.Float32()
	return f
}

// operands draws numbers whose sums are often halfway between floats, next to halfway, subnormal, or about to overflow.
func operands(rng *rand.Rand) (x, y, z float32) {
	few := func(exponent int) float32 { // few bits, or all
		return float32(math.Ldexp(float64(1+rng.Uint32()&(1<<23-1)>>rng.IntN(24)), exponent)) * float32(1-2*rng.IntN(2))
	}
	at := rng.IntN(300) - 160 // where the product is
	split := at/2 + rng.IntN(20) - 10
	x, y = few(split), few(at-split)
	switch p := float64(x) * float64(y); rng.IntN(6) {
	case 0:
		z = few(at + rng.IntN(120) - 60)
	case 1: // cancels most of the product
		z = -float32(p)
	case 2: // next to halfway: the product is half a unit of z, or nearly
		z = few(at)
		x, y = float32(math.Ldexp(1, at/2))*(1+0x1p-23*float32(rng.IntN(3)-1)), float32(math.Ldexp(1, at-at/2))*(1+0x1p-23*float32(rng.IntN(3)-1))
	case 3:
		z = few(-149 + rng.IntN(30))
	case 4:
		z = float32(math.Copysign(math.MaxFloat32, p))
	default:
		z = [...]float32{0, float32(math.Copysign(0, -1)), 1, 2, 0x1p-149, -0x1p-126, math.MaxFloat32}[rng.IntN(7)]
	}
	return x, y, z
}

// TestFMA32IsExact compares FMA32 with exact arithmetic.
func TestFMA32IsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	tied, tiny, large := 0, 0, 0
	for range 300_000 {
		x, y, z := operands(rng)
		if math.IsInf(float64(x*y), 0) || x != x || y != y || z != z || math.IsInf(float64(x), 0) || math.IsInf(float64(y), 0) || math.IsInf(float64(z), 0) {
			continue
		}
		s, want := float64(x)*float64(y)+float64(z), exactFMA32(x, y, z)
		if tied32(s) {
			tied++
		}
		if tiny32(s) {
			tiny++
		}
		if math.IsInf(float64(want), 0) {
			large++
		}
		require.Equal(t, math.Float32bits(want), math.Float32bits(FMA32(x, y, z)), "fma(%x, %x, %x)", x, y, z)
	}
	for _, n := range []int{tied, tiny, large} {
		require.Greater(t, n, 2000)
	}
}

// TestMulAdd32 checks that the sum of MulAdd32 rounds to FMA32 unless one of the tests of its users finds it. They find few: on
// machines that fuse, none.
func TestMulAdd32(t *testing.T) {
	require.True(t, MulAdd32Rounds())
	rng := rand.New(rand.NewPCG(9, 10))
	doubtful, without := 0, 0
	for range 2_000_000 {
		x, y, z := operands(rng)
		s, want := MulAdd32(x, y, z), FMA32(x, y, z)
		switch {
		case Tied32(s) && Inexact32(s, Sum32(x), Sum32(y), Sum32(z)):
			doubtful++
		case Tiny32(s):
			if math.Abs(float64(z)) >= LeastAddend32 || AreTame32(min(Magnitude32(x), Tame32), min(Magnitude32(y), Tame32)) {
				without++
				require.Equal(t, want, float32(s), "fma(%x, %x, %x)", x, y, z)
			}
			doubtful++
		case want == want:
			require.Equal(t, math.Float32bits(want), math.Float32bits(float32(s)), "fma(%x, %x, %x)", x, y, z)
		}
	}
	if Fused32 {
		require.Zero(t, doubtful)
		return
	}
	require.Greater(t, doubtful, 1000)
	require.Greater(t, without, 100)
}

// TestDot32 compares tiles with FMA32, and proves that some are computed a second time.
func TestDot32(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	again, tame := 0, 0
	for range 2000 {
		pairs, across := 1+rng.IntN(20), 1+rng.IntN(3)
		row := make([]float32, DotRows32*pairs*across)
		w, taps := make([][DotCols]Sum32, pairs), make([]int, pairs)
		least, leastLeft := uint32(Tame32), uint32(Tame32)
		most := 30 // bits of the exponent
		if rng.IntN(2) == 0 {
			most = 250
		}
		draw := func() float32 {
			if rng.IntN(8) == 0 {
				return 0
			}
			return float32(math.Ldexp(float64(1+rng.Uint32()&(1<<23-1)>>rng.IntN(24)), rng.IntN(most)-most*3/5-23))
		}
		for i := range row {
			row[i] = draw()
			leastLeft = min(leastLeft, Magnitude32(row[i]))
		}
		for k := range w {
			taps[k] = k * across * 4
			for j := range w[k] {
				y := draw()
				w[k][j], least = Sum32(y), min(least, Magnitude32(y))
			}
		}
		var x [DotRows32]unsafe.Pointer
		var want, got [DotRows32][DotCols]float32
		for i := range x {
			x[i] = unsafe.Pointer(&row[i*pairs*across])
			for j := range DotCols {
				for k := range w {
					want[i][j] = FMA32(row[(i*pairs+k)*across], float32(w[k][j]), want[i][j])
				}
			}
		}
		isTame := AreTame32(leastLeft, least)
		if isTame {
			tame++
		}
		if !dot32(&got, &x, taps, w, isTame) {
			again++
		}
		Dot32(&got, &x, taps, w, isTame)
		require.Equal(t, want, got)
	}
	require.Greater(t, tame, 100)
	if !Fused32 {
		require.Greater(t, again, 20)
	}
}

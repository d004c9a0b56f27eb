package ir

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir/scalar"
	"pgregory.net/rapid"
)

// float16Value is what the bits of a finite float16 mean, by IEEE's formula.
func float16Value(h uint16) float64 {
	exp, frac := int(h>>10&0x1f), float64(h&0x3ff)
	v := math.Ldexp(frac, -24)
	if exp > 0 {
		v = math.Ldexp(1024+frac, exp-25)
	}
	if h&0x8000 != 0 {
		return math.Copysign(v, -1)
	}
	return v
}

func TestFloat16RoundTrip(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		f := scalar.Float16frombits(h)
		switch {
		case h&0x7c00 != 0x7c00:
			require.Equal(t, math.Float64bits(float16Value(h)), math.Float64bits(float64(f)), "%#x", h)
			require.Equal(t, h, scalar.Float16bits(f), "%#x", h)
		case h&0x3ff == 0:
			require.True(t, math.IsInf(float64(f), 1-2*int(h>>15)), "%#x", h)
			require.Equal(t, h, scalar.Float16bits(f), "%#x", h)
		default:
			require.True(t, f != f, "%#x", h)
			require.Equal(t, h|0x200, scalar.Float16bits(f), "a NaN becomes quiet: %#x", h)
		}
	}
}

// nearest16 finds the float16 nearest to |v| by search: bits of positive numbers are
// in the order of their values.
func nearest16(v float64) uint16 {
	sign := uint16(0)
	if math.Signbit(v) {
		sign, v = 0x8000, -v
	}
	if v >= 65520 {
		return sign | 0x7c00
	}
	lo, hi := uint16(0), uint16(0x7c00) // 0x7c00 stands for 65536 here
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; float16Value(mid) <= v {
			lo = mid
		} else {
			hi = mid
		}
	}
	exact := func(f float64) *big.Float { return new(big.Float).SetPrec(2200).SetFloat64(f) }
	below := exact(0).Sub(exact(v), exact(float16Value(lo)))
	above := exact(0).Sub(exact(float16Value(hi)), exact(v))
	switch c := below.Cmp(above); {
	case c > 0 || c == 0 && lo&1 == 1:
		return sign | hi
	}
	return sign | lo
}

// TestFloat16Rounds goes through all numbers of float16, the middles between them,
// and what lies next to both in float32 and float64.
func TestFloat16Rounds(t *testing.T) {
	check := func(v float64) {
		require.Equal(t, uint64(nearest16(v)), FromFloat(Float16, v), "%x", v)
		if f := float32(v); float64(f) == v {
			require.Equal(t, nearest16(v), scalar.Float16bits(f), "%x", v)
		}
	}
	for i := range 0x7c00 {
		at, next := float16Value(uint16(i)), float16Value(uint16(i+1))
		middle := (at + next) / 2
		for _, v := range []float64{at, middle} {
			for _, w := range []float64{v, math.Nextafter(v, 0), math.Nextafter(v, 1e6),
				float64(math.Nextafter32(float32(v), 0)), float64(math.Nextafter32(float32(v), 1e6))} {
				check(w)
				check(-w)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		v := math.Ldexp(rapid.Float64Range(1, 2).Draw(rt, "mantissa"), rapid.IntRange(-30, 18).Draw(rt, "exponent"))
		require.Equal(rt, uint64(nearest16(v)), FromFloat(Float16, v), "%x", v)
	})
}

// TestFloat16FMA: the float64 sum is rounded twice, to no other bits than once.
func TestFloat16FMA(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var a [3]uint64
		x := [3]*big.Float{}
		for i := range a {
			h := rapid.Uint16().Filter(func(h uint16) bool { return h&0x7c00 != 0x7c00 }).Draw(rt, "x")
			a[i] = uint64(h)
			x[i] = new(big.Float).SetPrec(200).SetFloat64(float16Value(h))
		}
		exact := new(big.Float).SetPrec(200)
		exact.Add(exact.Mul(x[0], x[1]), x[2])
		got := refFMA(Float16, Float16, a)
		if exact.Sign() == 0 {
			require.Zero(rt, got&0x7fff)
			return
		}
		// 60 bits to odd: enough for the search, in float64's range with room.
		v, acc := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(exact).Float64()
		_ = acc
		if new(big.Float).SetFloat64(v).Cmp(exact) != 0 {
			v = math.Float64frombits(math.Float64bits(v) | 1)
		}
		require.Equal(rt, uint64(nearest16(v)), got, "%x", v)
	})
}

func TestFloat16Text(t *testing.T) {
	for i := range 1 << 16 {
		bits := uint64(i)
		text := ConstText(Float16, bits)
		back, err := ParseConst(Float16, text)
		require.NoError(t, err, text)
		require.Equal(t, bits, back, text)
	}
	require.Equal(t, "0.1", ConstText(Float16, FromFloat(Float16, 0.1)))
	require.Equal(t, "65500", ConstText(Float16, 0x7bff))
	_, err := ParseConst(Float16, "65520")
	require.Error(t, err)
}

package ir

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMinifloatNumbers has the least, the least normal and the greatest number of each format,
// one, and what is no number, as the formats' papers list them.
func TestMinifloatNumbers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for d, numbers := range map[DType]map[uint64]float64{
		Float8E4M3FN:   {0: 0, 1: 0x1p-9, 8: 0x1p-6, 0x38: 1, 0x7e: 448, 0x7f: nan, 0xff: nan, 0xfe: -448},
		Float8E4M3FNUZ: {0: 0, 1: 0x1p-10, 8: 0x1p-7, 0x40: 1, 0x7f: 240, 0x80: nan, 0xff: -240},
		Float8E5M2:     {0: 0, 1: 0x1p-16, 4: 0x1p-14, 0x3c: 1, 0x7b: 57344, 0x7c: inf, 0x7d: nan, 0xfc: -inf, 0xff: nan},
		Float8E5M2FNUZ: {0: 0, 1: 0x1p-17, 4: 0x1p-15, 0x40: 1, 0x7f: 57344, 0x80: nan, 0xff: -57344},
		Float8E8M0:     {0: 0x1p-127, 1: 0x1p-126, 127: 1, 254: 0x1p127, 255: nan},
		Float4E2M1:     {0: 0, 1: 0.5, 2: 1, 3: 1.5, 4: 2, 5: 3, 6: 4, 7: 6, 15: -6},
	} {
		for bits, want := range numbers {
			got := ToFloat(d, bits)
			require.True(t, got == want || got != got && want != want, "%s %#x: %v", d, bits, got)
		}
	}
}

// TestMinifloatRounds compares the element that a number becomes with the nearest of all: at
// all numbers, at the middles between them, and next to both.
func TestMinifloatRounds(t *testing.T) {
	for _, d := range Minifloats.List() {
		check := func(v float64) {
			got := FromFloat(d, v)
			want := nearestOf(d, v)
			require.True(t, want == got, "%s %v (%x): %#x, want %#x", d, v, v, got, want)
		}
		count := uint64(1) << d.Bits()
		for bits := range count {
			at := ToFloat(d, bits)
			if at != at || math.IsInf(at, 0) {
				require.True(t, IsNaN(d, FromFloat(d, at)) == (at != at), "%s %#x", d, bits)
				continue
			}
			require.Equal(t, bits, FromFloat(d, at), "%s %#x", d, bits)
			for _, v := range []float64{at, (at + next(d, bits)) / 2} {
				check(v)
				check(math.Nextafter(v, math.Inf(1)))
				check(math.Nextafter(v, math.Inf(-1)))
			}
			back, err := ParseConst(d, ConstText(d, bits))
			require.NoError(t, err)
			require.Equal(t, bits, back)
		}
		for _, v := range []float64{math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1)} {
			check(v)
		}
	}
}

// next returns the number after that of the bits, away from 0. After the greatest it is the one
// that another step would be.
func next(d DType, bits uint64) float64 {
	at := ToFloat(d, bits)
	switch f := d.Minifloat(); {
	case f == nil && bits == 0xfe:
		return 2 * at
	case f != nil && bits&^SignBit(d) == uint64(f.Greatest):
		return at + (at - ToFloat(d, bits-1))
	}
	return ToFloat(d, bits+1)
}

// nearestOf finds the nearest of all elements of the sign of v, and of one step beyond the
// greatest.
func nearestOf(d DType, v float64) uint64 {
	sign, greatest := uint64(0), uint64(0xfe)
	if f := d.Minifloat(); f != nil {
		greatest = uint64(f.Greatest)
		if math.Signbit(v) {
			sign = uint64(f.Sign)
		}
	} else if v < 0 {
		return 0xff
	}
	best, distance := uint64(0), math.Inf(1)
	consider := func(k, bits uint64, number float64) {
		off := math.Abs(number - v)
		even := k&1 == 0 || d == Float8E8M0 // which takes the greater
		if off < distance || off == distance && even || math.Abs(v) > 0x1p200 {
			best, distance = bits, off
		}
	}
	for k := range greatest + 1 {
		bits, number := k|sign, ToFloat(d, k|sign)
		if number != number {
			bits, number = 0, 0 // what -0 would be
		}
		consider(k, bits, number)
	}
	consider(greatest+1, FromFloat(d, math.Copysign(math.Inf(1), v)), next(d, greatest|sign))
	return best
}

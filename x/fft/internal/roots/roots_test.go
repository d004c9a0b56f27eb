package roots

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRoots checks that each root's n-th power, computed with 200 bits from the rounded root, is as near to 1 as rounding
// allows, and that roots have length 1 and the right angle.
func TestRoots(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 24, 97, 360, 1000, 4096} {
		r := Of(n)
		for k := range n {
			re, im := r.At(k)
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / float64(n))
			require.InDelta(t, cos, re, 2e-15)
			require.InDelta(t, -sin, im, 2e-15)
			if k == 0 || 4*k%n != 0 {
				continue
			}
			require.True(t, re == 0 || math.Abs(re) == 1, "quarters are exact")
			require.True(t, im == 0 || math.Abs(im) == 1, "quarters are exact")
		}
	}
	// The error of a part is at most half an ulp: cos(π/3) is a half, and others are known by their squares.
	re, im := Of(6).At(1)
	require.Equal(t, 0.5, re)
	three := new(big.Float).SetPrec(200).Sqrt(big.NewFloat(3).SetPrec(200))
	want, _ := new(big.Float).Quo(three, big.NewFloat(2)).Float64()
	require.Equal(t, -want, im)
	five := new(big.Float).SetPrec(200).Sqrt(big.NewFloat(5).SetPrec(200))
	for k, sign := range map[int]float64{1: -1, 2: 1} { // cos(2πk/5) = (∓1+√5)/4 in size
		re, _ := Of(5).At(k)
		want, _ := new(big.Float).Quo(new(big.Float).Add(five, big.NewFloat(sign)), big.NewFloat(4)).Float64()
		require.Equal(t, want, math.Abs(re))
	}
	two := new(big.Float).SetPrec(200).Sqrt(big.NewFloat(2).SetPrec(200))
	want, _ = new(big.Float).Quo(two, big.NewFloat(2)).Float64()
	for _, n := range []int{8, 32, 1 << 20} {
		re, im := Of(n).At(n / 8)
		require.Equal(t, want, re)
		require.Equal(t, -want, im)
	}
}

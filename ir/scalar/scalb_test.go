package scalar_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// TestScalb compares with math.Ldexp, of numbers near 1 and all powers that expansions take.
func TestScalb(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		x := (rng.Float64() + 0.5) * float64(1-2*rng.IntN(2))
		for y := -252; y <= 254; y++ {
			require.Equal(t, float32(math.Ldexp(float64(float32(x)), y)), scalar.Scalb32(float32(x), float32(y)), "%v * 2^%d", x, y)
		}
		for y := -2044; y <= 2046; y++ {
			require.Equal(t, math.Ldexp(x, y), scalar.Scalb64(x, float64(y)), "%v * 2^%d", x, y)
		}
	}
}

package oracle

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClose compares double-double with the oracle: both must give the same error, to 1e-5 units in the last place, for
// a float64 near the value.
func TestClose(t *testing.T) {
	var o Oracle
	for _, f := range funcs {
		if f.close == nil {
			continue
		}
		r := rand.New(rand.NewPCG(5, 6))
		compared := 0
		for i := range 3000 {
			x, y := math.Float64frombits(r.Uint64()), math.Float64frombits(r.Uint64())
			if i%4 != 0 { // arguments of moderate size
				x = math.Ldexp(r.Float64()*2-1, r.IntN(90)-78)
				y = math.Ldexp(r.Float64()*2-1, r.IntN(90)-78)
			}
			if i%8 == 3 {
				x, y = 1+x/64, 1+y/64
			}
			v, ok := f.Close(x, y)
			if !ok {
				continue
			}
			if m, _ := math.Frexp(v.number.hi); math.Abs(m) == 0.5 && math.Abs(v.number.lo/v.number.hi) < 0x1p-100 {
				continue // the unit below a power of 2 is half as large: the oracle rounds to it at 128 bits
			}
			want := o.Value(&f, x, y)
			for _, format := range []Format{Double, Single} {
				near := want.Float64() * (1 + 3*math.Ldexp(1, -format.Bits))
				for _, got := range []float64{near, math.Copysign(math.Inf(1), near), math.Copysign(0, near), math.Copysign(0, -near)} {
					if ulps, ok := v.ULPs(format, got); ok {
						require.InDelta(t, want.ULPs(format, got), ulps, 1e-5, "%s(%x, %x)", f.Name, x, y)
						compared++
					}
				}
			}
		}
		require.Greater(t, compared, 500, f.Name)
	}
}

func BenchmarkClose(b *testing.B) {
	for _, f := range funcs {
		if f.close != nil {
			b.Run(f.Name, func(b *testing.B) {
				for i := range b.N {
					x := 0.1 + float64(i%1000)/1200
					v, _ := f.Close(x, 0.7)
					v.ULPs(Double, 1)
				}
			})
		}
	}
}

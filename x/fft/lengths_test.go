package fft

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// TestPlans compares transforms of lengths with small prime factors with Bluestein's algorithm, which shares only the
// loops for one other length: single lines, and lines in all groups and layouts that the plan chooses among.
func TestPlans(t *testing.T) {
	plansOf[float64](t, 1e-12)
	plansOf[float32](t, 1e-4)
}

func plansOf[T kernel.Element](t *testing.T, tolerance float64) {
	ctx := context.Background()
	w := new(work[T])
	for n := 1; n < 5000; n = NextFastLen(n + 1 + n/20) {
		p, err := newPlan[T](n, kernel.Of[T])
		require.NoError(t, err)
		c, err := newChirp[T](n, kernel.Of[T])
		require.NoError(t, err)
		for _, shape := range [][2]int{{1, 1}, {13, 1}, {1, 11}, {2, 8}} {
			outer, inner := shape[0], shape[1]
			if n > 500 && outer*inner > 1 && n%3 > 0 {
				continue
			}
			src, dst := make([]T, 2*n*outer*inner), make([]T, 2*n*outer*inner)
			for i := range src {
				src[i] = T((i*i*7919+i*104729)%2003-1001) / 1024
			}
			step := 2 * n * inner
			inverse := n%2 == 1
			require.NoError(t, p.transform(ctx, lines[T]{dst: dst, src: src, dstStep: step, srcStep: step, outer: outer, n: n, inner: inner, inverse: inverse, scale: 1}))
			line := make([]T, 2*n)
			for i := range outer * inner {
				at := i/inner*step + 2*(i%inner)
				for k := range n {
					line[2*k], line[2*k+1] = src[at+2*k*inner], src[at+2*k*inner+1]
				}
				require.NoError(t, c.run(ctx, line, line, inverse, 1, w, 1))
				for k := range n {
					re, im := float64(line[2*k]-dst[at+2*k*inner]), float64(line[2*k+1]-dst[at+2*k*inner+1])
					if math.Hypot(re, im) > tolerance*math.Sqrt(float64(n)) {
						t.Fatalf("n %d, shape %v: number %d of line %d is off by %v", n, shape, k, i, math.Hypot(re, im))
					}
				}
			}
		}
	}
}

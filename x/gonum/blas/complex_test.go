package blas

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/blas"
	"pgregory.net/rapid"
)

// TestComplex64 compares the routines of complex64 with those of complex128, which gonum's tests of a BLAS check.
func TestComplex64(t *testing.T) {
	for name, i := range map[string]*implementation{"measured": measured, "eager": eager} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			n, m := rapid.IntRange(1, 90).Draw(t, "n"), rapid.IntRange(1, 90).Draw(t, "m")
			r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			k := max(m, n)
			random := func() (z []complex128, c []complex64) {
				for range k * k {
					v := complex(r.Float32()-0.5, r.Float32()-0.5)
					z, c = append(z, complex128(v)), append(c, v)
				}
				return z, c
			}
			a, a32 := random()
			for j := range k { // solves are well conditioned
				a[j*(k+1)] += complex(float64(k), 0)
				a32[j*(k+1)] += complex(float32(k), 0)
			}
			b, b32 := random()
			c, c32 := random()
			side := rapid.SampledFrom([]blas.Side{blas.Left, blas.Right}).Draw(t, "side")
			ul := rapid.SampledFrom([]blas.Uplo{blas.Upper, blas.Lower}).Draw(t, "uplo")
			trans := rapid.SampledFrom([]blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}).Draw(t, "trans")
			diag := blas.NonUnit
			ck := func(t blas.Transpose, none blas.Transpose) blas.Transpose {
				if t == none {
					return blas.NoTrans
				}
				return t
			}
			switch routine := rapid.SampledFrom([]string{"gemm", "trmm", "trsm", "symm", "hemm", "syrk", "herk"}).Draw(t, "routine"); routine {
			case "gemm":
				i.Zgemm(trans, trans, m, n, min(m, n), 0.3+1i, a, k, b, k, 0.5i, c, k)
				i.Cgemm(trans, trans, m, n, min(m, n), 0.3+1i, a32, k, b32, k, 0.5i, c32, k)
			case "trmm":
				i.Ztrmm(side, ul, trans, diag, m, n, 0.3+1i, a, k, c, k)
				i.Ctrmm(side, ul, trans, diag, m, n, 0.3+1i, a32, k, c32, k)
			case "trsm":
				i.Ztrsm(side, ul, trans, diag, m, n, 0.3+1i, a, k, c, k)
				i.Ctrsm(side, ul, trans, diag, m, n, 0.3+1i, a32, k, c32, k)
			case "symm":
				i.Zsymm(side, ul, m, n, 0.3+1i, a, k, b, k, 0.5i, c, k)
				i.Csymm(side, ul, m, n, 0.3+1i, a32, k, b32, k, 0.5i, c32, k)
			case "hemm":
				i.Zhemm(side, ul, m, n, 0.3+1i, a, k, b, k, 0.5i, c, k)
				i.Chemm(side, ul, m, n, 0.3+1i, a32, k, b32, k, 0.5i, c32, k)
			case "syrk":
				i.Zsyrk(ul, ck(trans, blas.ConjTrans), n, m, 0.3+1i, a, k, 0.5i, c, k)
				i.Csyrk(ul, ck(trans, blas.ConjTrans), n, m, 0.3+1i, a32, k, 0.5i, c32, k)
			case "herk":
				i.Zherk(ul, ck(trans, blas.Trans), n, m, 0.3, a, k, 0.5, c, k)
				i.Cherk(ul, ck(trans, blas.Trans), n, m, 0.3, a32, k, 0.5, c32, k)
			}
			scale := 1.0 // of the terms, which may cancel
			for _, v := range c {
				scale = max(scale, cmplx.Abs(v))
			}
			for j := range c {
				require.LessOrEqual(t, cmplx.Abs(c[j]-complex128(c32[j])), scale*float64(k)*0x1p-23*4, "element %d", j)
			}
			require.False(t, math.IsNaN(scale))
		}))
	}
}

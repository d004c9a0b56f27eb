package cmplx_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

// TestGrad compares gradients of both parts of functions with central differences.
func TestGrad(t *testing.T) {
	for name, f := range map[string]func(z, w cmplx.Node) cmplx.Node{
		"add":    func(z, w cmplx.Node) cmplx.Node { return z.Add(w).Sub(1i) },
		"mul":    func(z, w cmplx.Node) cmplx.Node { return z.Mul(w).Mul(2 + 1i) },
		"div":    func(z, w cmplx.Node) cmplx.Node { return z.Div(w) },
		"conj":   func(z, w cmplx.Node) cmplx.Node { return z.Conj().Mul(w).Neg() },
		"exp":    func(z, w cmplx.Node) cmplx.Node { return z.Exp().Add(w) },
		"log":    func(z, w cmplx.Node) cmplx.Node { return z.Log().Mul(w) },
		"sqrt":   func(z, w cmplx.Node) cmplx.Node { return z.Sqrt().Mul(w) },
		"sin":    func(z, w cmplx.Node) cmplx.Node { return z.Sin().Mul(w.Cos()) },
		"sinh":   func(z, w cmplx.Node) cmplx.Node { return z.Sinh().Mul(w.Cosh()) },
		"tanh":   func(z, w cmplx.Node) cmplx.Node { return z.Tanh().Mul(w) },
		"pow":    func(z, w cmplx.Node) cmplx.Node { return z.Pow(w) },
		"polar":  func(z, w cmplx.Node) cmplx.Node { return cmplx.Polar(z.Abs(), z.Arg()).Mul(w) },
		"asin":   func(z, w cmplx.Node) cmplx.Node { return z.Asin().Mul(w.Acos()) },
		"atan":   func(z, w cmplx.Node) cmplx.Node { return z.Atan().Mul(w.Atanh()) },
		"asinh":  func(z, w cmplx.Node) cmplx.Node { return z.Asinh().Mul(w.Acosh()) },
		"expm1":  func(z, w cmplx.Node) cmplx.Node { return z.Expm1().Mul(w.Log1p()) },
		"log2":   func(z, w cmplx.Node) cmplx.Node { return z.Log2().Mul(w.Log10()) },
		"sign":   func(z, w cmplx.Node) cmplx.Node { return z.Sign().Mul(w) },
		"prod":   func(z, w cmplx.Node) cmplx.Node { return z.Mul(w).Prod(0) },
		"matmul": func(z, w cmplx.Node) cmplx.Node { return cmplx.Einsum("i,j->ij", z, w.Conj()) },
	} {
		rng := rand.New(rand.NewPCG(1, 7))
		number := func() complex128 { return complex(0.4+rng.Float64(), 0.3+rng.Float64()) }
		zs := [2][]complex128{{number(), number()}, {number(), number()}}
		z, w := cmplx.Input("z", graph.Float64, 2), cmplx.Input("w", graph.Float64, 2)
		r := f(z, w)
		y := r.Real().Mul(0.7).Sum().Add(r.Imag().Sin().Sum())
		g := cmplx.Grad(y, z, w)
		p, err := graph.Compile(y, g[0].Interleaved(), g[1].Interleaved())
		require.NoError(t, err, name)
		value := func() []*graph.Tensor {
			outs, err := p.RunAll(t.Context(), cmplx.Of(zs[0]), cmplx.Of(zs[1]))
			require.NoError(t, err, name)
			return outs
		}
		outs := value()
		const h = 1e-6
		for i := range zs {
			got := data(t, outs[1+i])
			for k, at := range zs[i] {
				diff := func(d complex128) float64 {
					values := [2]float64{}
					for side, step := range []complex128{-d, d} {
						zs[i][k] = at + step
						v, err := graph.At[float64](value()[0])
						require.NoError(t, err)
						values[side] = v
					}
					zs[i][k] = at
					return (values[1] - values[0]) / (2 * h)
				}
				require.InDelta(t, diff(h), real(got[k]), 1e-6, "%s: real part %d of gradient %d", name, k, i)
				require.InDelta(t, diff(h*1i), imag(got[k]), 1e-6, "%s: imaginary part %d of gradient %d", name, k, i)
			}
		}
	}
}

package linalg

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/stridefuse/stridefuse/graph"
)

// MatrixPower returns powers of matrices a [..., n, n]: the identity for 0, and powers of the inverses for negative
// powers, for which a singular matrix is an error. It takes at most twice as many products, of gonum, as the power has bits.
func MatrixPower(ctx context.Context, a *graph.Tensor, power int) (*graph.Tensor, error) {
	m, err := readSquare("matrixpower", "a", a)
	if err != nil {
		return nil, err
	}
	left := uint(power)
	if power < 0 {
		left = -left
		f, err := factorRegular(ctx, m)
		if err != nil {
			return nil, err
		}
		if m, err = f.inverses(ctx); err != nil {
			return nil, err
		}
	}
	out := m.like(m.rows, m.cols)
	err = m.each(ctx, func() func(int) error {
		spare := make([]float64, m.rows*m.cols)
		multiply := func(x, y blas64.General) {
			product := y
			product.Data = spare
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x, y, 0, product)
			copy(x.Data, spare)
		}
		return func(i int) error {
			for d := range m.rows {
				out.at(i)[d*(m.rows+1)] = 1
			}
			for bits := left; bits > 0 && m.rows > 0; bits >>= 1 {
				if bits&1 == 1 {
					multiply(out.general(i), m.general(i))
				}
				if bits > 1 {
					multiply(m.general(i), m.general(i))
				}
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return out.tensor(), nil
}

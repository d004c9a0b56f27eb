package blas

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/cblas128"
	"gonum.org/v1/gonum/blas/cblas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// implementation is gonum's, with routines of this package before some of it. A routine that does not pay, or has wrong arguments, is
// gonum's, which panics then.
type implementation struct {
	gonum.Implementation
	single    *engine[float32]
	double    *engine[float64]
	blocks64  *blocks[complex64]
	blocks128 *blocks[complex128]
}

// newImplementation returns one with the given limits.
func newImplementation(single, double *limits, c cut) *implementation {
	i := &implementation{single: newEngine[float32](ir.Float32, single), double: newEngine[float64](ir.Float64, double)}
	i.newBlocks(c)
	return i
}

func init() {
	if abi.Best() == abi.Portable {
		return // gonum's loops are as good
	}
	i := newImplementation(&float32Limits, &float64Limits, measuredCut)
	blas32.Use(i)
	blas64.Use(i)
	cblas64.Use(i)
	cblas128.Use(i)
}

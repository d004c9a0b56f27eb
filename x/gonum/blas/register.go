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
	single *engine[float32]
	double *engine[float64]
}

func newImplementation(single, double *limits) *implementation {
	return &implementation{single: newEngine[float32](ir.Float32, single), double: newEngine[float64](ir.Float64, double)}
}

func init() {
	if abi.Best() == abi.Portable {
		return // gonum's loops are as good
	}
	i := newImplementation(&float32Limits, &float64Limits)
	blas32.Use(i)
	blas64.Use(i)
	cblas64.Use(i)
	cblas128.Use(i)
}

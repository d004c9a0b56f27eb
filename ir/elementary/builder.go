package elementary

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builder writes lane operations, and the steps that several expansions share.
type builder struct {
	*kernel.Builder
	wide map[kernel.Ref]kernel.Ref // by value of a narrow type, the same in the compute type: see narrow.go
}

func newBuilder(k *kernel.Builder) *builder {
	return &builder{k, map[kernel.Ref]kernel.Ref{}}
}

// isSingle reports whether x is a float32, whose functions are polynomials in float64. Otherwise x is a float64.
func (b *builder) isSingle(x kernel.Ref) bool { return single(b.DType(x)) }

func single(d ir.DType) bool {
	switch d {
	case ir.Float32:
		return true
	case ir.Float64:
		return false
	}
	panic(fmt.Sprintf("BUG: elementary: there are no expansions in %s", d))
}

package elementary

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// builder writes lane operations, and the steps that several expansions share.
type builder struct {
	*kernel.Builder
	wide map[kernel.Ref]kernel.Ref // of values of narrow types, see narrow.go: the same in the compute type
}

func newBuilder(k *kernel.Builder) *builder {
	return &builder{k, map[kernel.Ref]kernel.Ref{}}
}

// isSingle says which of the float types that are computed in themselves x has:
// float32, whose functions are polynomials in float64, or float64.
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

package elementary_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestCost checks that the row of a composed op tells what its expansion costs: that of float32, or else of the
// widest type that it has.
func TestCost(t *testing.T) {
	instructions := []ir.Op{ir.OpAddSat, ir.OpSubSat} // each has one of its own, whatever its expansion is
	for _, op := range ir.Ops() {
		info := op.Info()
		if info.Kind != ir.Composed || slices.Contains(instructions, op) {
			continue
		}
		types := info.Domain.List()
		dt := slices.MaxFunc(types, func(a, b ir.DType) int { return a.Size() - b.Size() })
		if slices.Contains(types, ir.Float32) {
			dt = ir.Float32
		}
		operands := make([]kernel.Operand, info.Arity)
		for i := range operands {
			operands[i].DType = dt
		}
		k, err := kernel.SingleOp(op, ir.Invalid, operands...)
		require.NoError(t, err)
		cost := likelyCost(elementary.Expand(k), dt.Size())
		if cost >= longBody {
			cost *= beyondLoads
		}
		assert.Equal(t, math.Round(cost), info.Cost, "%s of %s", op, dt)
	}
}

// An addition takes less time beside loads and stores than where arithmetic is the bound, as it is in a long
// expansion. Emerald Rapids with AVX2: exp is 20 operations, and takes as long as 37 additions that are beside loads.
const longBody, beyondLoads = 16, 1.75

// likelyCost adds up the ops that a kernel computes for all elements; one on elements of twice the size fills
// vectors with half as many.
func likelyCost(k *kernel.Kernel, size int) float64 {
	used, cost := make([]bool, len(k.In)+len(k.Body)), 0.0
	for _, r := range k.Out {
		used[r] = true
	}
	for j, in := range slices.Backward(k.Body) {
		r := kernel.Ref(len(k.In) + j)
		if !used[r] {
			continue
		}
		cost += in.Op.Info().Cost * max(1, float64(k.DType(r).Size())/float64(size))
		for i, a := range in.Args[:in.Arity()] {
			used[a] = used[a] || in.Op != ir.OpUnlikely || i != 1
		}
	}
	return cost
}

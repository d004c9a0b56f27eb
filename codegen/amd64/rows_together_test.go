package amd64

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestWindowOfEitherFactor has a window whose first weight comes before its element, as operands are in the order of their
// values, and one whose last weight does.
func TestWindowOfEitherFactor(t *testing.T) {
	unit, splat := kernel.Operand{DType: ir.Float32}, kernel.Operand{DType: ir.Float32, Splat: true}
	for _, swapped := range []int{-1, 0, 8} {
		var ins []kernel.Operand
		for i := range 9 {
			if i == swapped {
				ins = append(ins, splat, unit)
			} else {
				ins = append(ins, unit, splat)
			}
		}
		b := kernel.NewBuilder(append(ins, splat)...)
		sum := b.Op(ir.OpMul, 0, 1)
		for i := 1; i < 9; i++ {
			sum = b.Op(ir.OpFMA, kernel.Ref(2*i), kernel.Ref(2*i+1), sum)
		}
		b.Store(b.Op(ir.OpDiv, sum, 18))
		w := windowOf(b.Kernel())
		require.NotNil(t, w, "%d", swapped)
		for i := range 9 {
			element, weight := 2*i, 2*i+1
			if i == swapped {
				element, weight = weight, element
			}
			require.Equal(t, element, w.taps[i])
			require.Equal(t, weight, w.weights[i])
		}
	}
}

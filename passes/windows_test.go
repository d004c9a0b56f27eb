package passes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// windows returns a depthwise convolution, written as a sum of slices times weights: each channel has its own window
// of size x size.
func (b *formula) windows(size int) (sum *ir.Value) {
	x, w := b.param(8, 39+size, 39+size), b.param(8, size, size)
	part := func(v *ir.Value, axis, from, n int) *ir.Value {
		return b.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(from), Len: ir.Fixed(n), Step: 1}, v)
	}
	for i := range size {
		for k := range size {
			element := part(part(x, 1, i, 40), 2, k, 40)
			weight := b.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(8, 40, 40)}, part(part(w, 1, i, 1), 2, k, 1))
			if sum == nil {
				sum = b.op(ir.OpMul, element, weight)
			} else {
				sum = b.op(ir.OpFMA, element, weight, sum)
			}
		}
	}
	return sum
}

// TestWindowsAreLines checks that whole lines of windows are computed by few kernels. A weight is one element for all
// columns, so it does not count as an operand with columns.
func TestWindowsAreLines(t *testing.T) {
	for size, want := range map[int][]int{3: {9}, 5: {5, 10, 10}, 7: {7, 7, 7, 7, 7, 7, 7}} {
		b := newFormula(t)
		var got []int
		for _, s := range b.lower(b.windows(size)).Steps {
			got = append(got, len(s.Body.Body))
		}
		require.Equal(t, want, got)
	}
}

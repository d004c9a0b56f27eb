package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

func TestShortRows(t *testing.T) {
	dense := func(cols int) []int { return []int{cols, 1} }
	for name, c := range map[string]struct {
		dtype      ir.DType
		rows, cols int
		x, y, out  []int
		want       bool
	}{
		"channels":           {ir.Float32, 99, 3, dense(3), []int{0, 1}, dense(3), true},
		"channels backwards": {ir.Float32, 99, 3, dense(3), []int{0, -1}, dense(3), true},
		"many channels":      {ir.Float32, 99, 63, dense(63), []int{0, 1}, dense(63), true},
		"one element a row":  {ir.Float32, 99, 3, dense(3), []int{1, 0}, dense(3), true},
		"longer rows of it":  {ir.Float32, 99, 9, dense(9), []int{1, 0}, dense(9), false},
		"of a wider image":   {ir.Uint8, 99, 3, []int{4, 1}, []int{0, 1}, dense(3), true},
		"to a wider image":   {ir.Float32, 99, 3, dense(3), []int{0, 1}, []int{4, 1}, false},
		"full vectors":       {ir.Float64, 99, 4, dense(4), []int{0, 1}, dense(4), false},
		"a part of a vector": {ir.Float32, 99, 4, dense(4), []int{0, 1}, dense(4), true},
		"few rows":           {ir.Float32, 15, 3, dense(3), []int{0, 1}, dense(3), false},
		"long rows":          {ir.Float32, 99, 65, dense(65), []int{0, 1}, dense(65), false},
		"one column":         {ir.Float32, 99, 1, dense(1), []int{0, 1}, dense(1), false},
	} {
		b := kernel.NewBuilder(kernel.Operand{DType: c.dtype}, kernel.Operand{DType: c.dtype})
		b.Store(b.Op(ir.OpAdd, 0, 1))
		s := plan.FlatStep{Kernel: b.Kernel(), Extents: []int{c.rows, c.cols}, Operands: []plan.Access{{Strides: c.x}, {Strides: c.y}, {Strides: c.out}}}
		require.Equal(t, c.want, s.ShortRows(), name)
	}
}

package schedule

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/ir/tuning"
)

// TestReduceChoice compares the costs with the rule that they stand for: columns where
// more bytes are contiguous across the lines than along them, or the lines are short,
// and there are enough columns.
func TestReduceChoice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		types := []ir.DType{ir.Float32, ir.Float64, ir.Uint8}
		across := rapid.SampledFrom([]int{1, 2, 15, 16, 17, 200}).Draw(t, "across")
		along := rapid.SampledFrom([]int{2, 8, 9, 127, 128, 3000}).Draw(t, "along")
		s := &plan.Step{Axes: []plan.Axis{{Extent: across}, {Extent: along, Role: plan.Reduce}}}
		m := &target{Machine: tuning.Default(1), lib: library(anyKernel)}
		var ins []kernel.Operand
		alongBytes, acrossBytes, joins := 0, 0, along >= 128
		for i := range rapid.IntRange(1, 3).Draw(t, "inputs") {
			d := rapid.SampledFrom(types).Draw(t, "type")
			strides := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, -1, 2, across, along}), 2, 2).Draw(t, "strides")
			m.buffers = append(m.buffers, plan.Buffer{Kind: plan.ParamBuffer, DType: d})
			s.In = append(s.In, plan.Access{Buffer: i, Strides: strides})
			ins = append(ins, kernel.Operand{DType: d})
			next, line := strides[0], strides[1]
			switch {
			case next == 0 || line == 0:
			case line == 1 || line == -1:
				alongBytes += d.Size()
			case next == 1 || next == -1:
				acrossBytes += d.Size()
			}
			joins = joins && (next == 1 && (line == 0 || line == across) || next == 0 && line == 0)
		}
		b := kernel.NewBuilder(ins...)
		b.Store(0)
		s.Body = b.Kernel()
		short := along <= 8 || alongBytes > 0 && along*alongBytes <= 16
		want := (acrossBytes > alongBytes || short) && (across >= 16 || joins)
		require.Equal(t, want, m.ColumnCost(s) < m.RowCost(s))
	})
}

//go:build (amd64 || arm64) && !purego && !nofloat64 && !nointegers

package lines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestCombiners has the kernels that combine wide rows: without one, rows are combined element by element.
func TestCombiners(t *testing.T) {
	for _, by := range []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax} {
		for _, d := range []ir.DType{ir.Int32, ir.Int64, ir.Float32, ir.Float64} {
			_, ok := abi.Lookup(rowEngine, combinerOf(by, d))
			require.True(t, ok, combinerOf(by, d))
		}
	}
	for _, op := range kernel.GatherReduce.Ops() {
		for _, d := range []ir.DType{ir.Float32, ir.Float64} {
			for _, rows := range []int{2, 4, 8} {
				sig := combinerOfRows(op.Info().By, d, rows)
				_, ok := abi.Lookup(rowEngine, sig)
				require.True(t, ok || op.Info().By == ir.OpAdd, sig) // bags_amd64.go; on arm64 pairs are added
			}
		}
	}
}

//go:build amd64 && !purego && !nofloat64 && !nointegers

package lines

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	_ "github.com/stridefuse/stridefuse/runtime/builtin"
)

// TestCombiners has the kernels that combine wide rows: without one, rows are combined element by element.
func TestCombiners(t *testing.T) {
	for _, by := range []ir.Op{ir.OpAdd, ir.OpMul, ir.OpMin, ir.OpMax} {
		for _, d := range []ir.DType{ir.Int32, ir.Int64, ir.Float32, ir.Float64} {
			_, ok := abi.Lookup(abi.AVX2, combinerOf(by, d))
			require.True(t, ok, combinerOf(by, d))
		}
	}
	for _, op := range kernel.GatherReduce.Ops() {
		for _, d := range []ir.DType{ir.Float32, ir.Float64} {
			for _, k := range [][2]int{{2, 0}, {4, 0}, {8, 0}, {1, 1}, {2, 2}, {4, 4}, {2, 1}} {
				if rows, products := k[0], k[1]; products == 0 || op.Info().Weighted {
					sig, _ := combinerOfRows(op.Info().By, d, rows, products)
					_, ok := abi.Lookup(abi.AVX2, sig)
					require.True(t, ok, sig)
				}
			}
		}
	}
}

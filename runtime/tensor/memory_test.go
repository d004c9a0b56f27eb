package tensor

import (
	"math"
	goruntime "runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
)

func TestTooLargeIsAnError(t *testing.T) {
	for _, shape := range [][]int{{math.MaxInt}, {math.MaxInt / 4}, {10_000, 10_000, 100_000}} {
		x := New(ir.Float32, shape...)
		require.Error(t, x.Err())
		require.Zero(t, x.Size())
	}
	if goruntime.GOOS == "linux" && strconv.IntSize == 64 {
		require.ErrorContains(t, New(ir.Float32, 10_000, 10_000, 100_000).Err(),
			"new: float32[10000,10000,100000]: 40000000000000 bytes (36.4 TiB) asked, but of the ")
		everyone := countedTensor(t, 1).Expand(1<<20, 1<<20)
		require.ErrorContains(t, everyone.Clone().Err(), "clone: int32[1048576,1048576]: 4398046511104 bytes (4.0 TiB) asked")
	}
}

func TestTensorKeepsItsBuffer(t *testing.T) {
	x := Full(ir.Int64, 7, 1000)
	last := x.Slice("999:")
	x = nil
	for range 3 {
		goruntime.GC()
		_ = Full(ir.Int64, 8, 1000)
	}
	require.Equal(t, []int64{7}, elementsOf[int64](t, last))
}

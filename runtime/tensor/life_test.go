package tensor

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// TestLifeEndsOnce: of releases at the same time, which all have found the result alive, one gives its memory back.
func TestLifeEndsOnce(t *testing.T) {
	var life Life
	require.True(t, life.End())
	require.False(t, life.End())
}

// TestResultIsOneObject: a result is a tensor and its Life in one object, and a block.
func TestResultIsOneObject(t *testing.T) {
	l, block := layout.RowMajor(2), make([]byte, 64)
	var last *Tensor
	require.Equal(t, 1.0, testing.AllocsPerRun(100, func() { last = OverResult(ir.Float32, l, block, true) }))
	require.NoError(t, last.Err())
}

func TestNewResult(t *testing.T) {
	x := NewResult(ir.Float32, 3, 5)
	require.NoError(t, x.Err())
	require.Equal(t, []int{3, 5}, x.Shape())
	require.NoError(t, Copy(x, Ones(ir.Float32, 3, 5)))
	view := x.Index(0, 1)
	require.NoError(t, x.Release())
	require.Error(t, view.Err())
	require.Error(t, x.Release())
	require.ErrorContains(t, NewResult(ir.Float32, math.MaxInt).Err(), "new: ")
	require.ErrorContains(t, NewResult(ir.Float32, -1).Err(), "new: ")
	require.NoError(t, NewResult(ir.Float64, 0, 2).Err())
}

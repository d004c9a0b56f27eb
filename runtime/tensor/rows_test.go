package tensor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestRows: rows and columns go in and out; those of different lengths are an error.
func TestRows(t *testing.T) {
	rows := [][]int32{{1, 2, 3}, {4, 5, 6}}
	columns := [][]int32{{1, 4}, {2, 5}, {3, 6}}
	for _, x := range []*tensor.Tensor{tensor.OfRows(rows), tensor.OfColumns(columns...), tensor.OfRows(columns).T()} {
		got, err := tensor.Rows[int32](x)
		require.NoError(t, err)
		require.Equal(t, rows, got)
		got, err = tensor.Columns[int32](x)
		require.NoError(t, err)
		require.Equal(t, columns, got)
	}
	require.Equal(t, []int{0, 0}, tensor.OfRows[int32](nil).Shape())
	require.ErrorContains(t, tensor.OfRows([][]int32{{1}, {2, 3}}).Err(), "row 1 has 2 elements, row 0 has 1")
	require.ErrorContains(t, tensor.OfColumns([]int32{1}, nil).Err(), "column 1 has 0 elements, column 0 has 1")
	for _, x := range []*tensor.Tensor{tensor.Of([]int32{1}), nil, tensor.OfRows([][]float32{{1}})} {
		_, err := tensor.Rows[int32](x)
		require.Error(t, err)
		_, err = tensor.Columns[int32](x)
		require.Error(t, err)
	}
}

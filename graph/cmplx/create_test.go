package cmplx_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/cmplx"
)

func TestLinspace(t *testing.T) {
	z, err := cmplx.Data[complex128](cmplx.Linspace(graph.Float64, 0, 4-2i, 5))
	require.NoError(t, err)
	require.Equal(t, []complex128{0, 1 - 0.5i, 2 - 1i, 3 - 1.5i, 4 - 2i}, z)
	w, err := cmplx.Data[complex64](cmplx.LinspaceOpen(graph.Float32, 1i, 1+2i, 2))
	require.NoError(t, err)
	require.Equal(t, []complex64{1i, 0.5 + 1.5i}, w)
	require.ErrorContains(t, cmplx.Linspace(graph.Int32, 0, 1, 2).Err(), "cmplx.linspace: complex numbers have parts of float32 or float64")
	require.Error(t, cmplx.Linspace(graph.Float64, 0, 1, -1).Err())
}

func TestUnique(t *testing.T) {
	nan := complex(math.NaN(), 0)
	z := []complex128{2i, 1, 2i, -1, nan, complex(math.Copysign(0, -1), 0), 0, 1 + 1i, nan}
	d, err := cmplx.Unique(t.Context(), cmplx.Of(z, 3, 3))
	require.NoError(t, err)
	values, err := cmplx.Data[complex128](d.Values)
	require.NoError(t, err)
	require.Equal(t, []complex128{-1, 0, 2i, 1, 1 + 1i}, values[:5])
	require.Len(t, values, 7)
	require.Equal(t, "int64[7] [3 5 0 1 7 4 8]", strings.Join(strings.Fields(d.First.String()), " "))
	require.Equal(t, "int64[3,3] [[2 3 2] [0 5 1] [1 4 6]]", strings.Join(strings.Fields(d.Places.String()), " "))
	require.Equal(t, "int64[7] [1 2 2 1 1 1 1]", strings.Join(strings.Fields(d.Counts.String()), " "))
	d, err = cmplx.Unique(t.Context(), cmplx.Of([]complex64{}))
	require.NoError(t, err)
	require.Equal(t, 0, d.Values.Extent(0))
}

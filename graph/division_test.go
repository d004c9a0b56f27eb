package graph_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestDivisionByOne divides by a single number, for which kernels multiply by the reciprocal: all uint16, and int32 and
// uint32 near multiples of the divisor and at the ends of the type.
func TestDivisionByOne(t *testing.T) {
	var all []uint16
	for x := range 1 << 16 {
		all = append(all, uint16(x))
	}
	for _, y := range []uint16{0, 1, 2, 3, 7, 10, 255, 256, 257, 1000, 4097, 32767, 32768, 65533, 65535} {
		divideByOne(t, all, y)
	}
	for _, y := range []int32{0, 1, -1, 2, 3, -3, 7, 255, -255, 1000, 65537, 16777213, math.MaxInt32, math.MinInt32} {
		divideByOne(t, nearMultiples(y, math.MinInt32, math.MaxInt32), y)
	}
	for _, y := range []uint32{0, 1, 2, 3, 7, 255, 1000, 65537, 16777213, math.MaxUint32 - 1, math.MaxUint32} {
		divideByOne(t, nearMultiples(y, 0, math.MaxUint32), y)
	}
}

// nearMultiples returns numbers near multiples of y and at the ends of the type.
func nearMultiples[T int32 | uint32](y, least, most T) (xs []T) {
	for n := range 2000 {
		i := T(n)
		xs = append(xs, least+i, most-i, y*i, y*i-1, y*i+1, (most/max(y, 1)-i)*y, (most/max(y, 1)-i)*y-1, i*1000003)
	}
	return xs
}

func divideByOne[T uint16 | int32 | uint32](t *testing.T, xs []T, y T) {
	one := graph.ScalarOf(y)
	x := graph.Input("x", one.DType(), graph.Dim("n"))
	p, err := graph.Compile(x.Div(graph.Input("y", one.DType())))
	require.NoError(t, err)
	out, err := p.Run(context.Background(), graph.Of(xs), one)
	require.NoError(t, err)
	quotients, err := graph.Data[T](out)
	require.NoError(t, err)
	for i, x := range xs {
		want := T(0)
		if y != 0 {
			want = x / y
		}
		if quotients[i] != want {
			require.Failf(t, "differs", "%d / %d: %d, want %d", x, y, quotients[i], want)
		}
	}
}

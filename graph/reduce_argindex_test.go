package graph_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestFindTypes compares the indices of elements with a plain loop: for every type, lines of any length, odd addresses,
// fused differences, and columns.
func TestFindTypes(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	floats := []float64{0, minus, 1, -1, math.Inf(1), math.Inf(-1), nan}
	findType[float32](t, floats)
	findType[float64](t, floats)
	findType[int32](t, []float64{0, 1, -1, math.MaxInt32, math.MinInt32})
	findType[int64](t, []float64{0, 1, -1, 1 << 62, math.MinInt64})
	findType[uint32](t, []float64{0, 1, math.MaxInt32, math.MaxUint32})
	findType[uint8](t, []float64{0, 1, 127, 255})
}

func findType[T interface {
	graph.Element
	~float32 | ~float64 | ~int32 | ~int64 | ~uint32 | ~uint8
}](t *testing.T, some []float64) {
	rng := rand.New(rand.NewPCG(8, 9))
	for i, cols := range []int{2, 8, 9, 10, 15, 16, 17, 23, 24, 31, 33, 63, 255, 256, 257, 263, 1023, 1024, 1025, 2048, 3071} {
		rows, kinds := 1+i%9, 1+rng.IntN(len(some))
		data := make([]T, 1+rows*cols)
		for i := range data {
			data[i] = T(some[0])
			if rng.IntN(cols) < 3 {
				data[i] = T(some[rng.IntN(kinds)])
			}
		}
		dt := graph.Of(data).DType()
		flat, y := graph.Input("x", dt, len(data)), graph.Input("y", dt, cols)
		x := flat.Slice("1:").Reshape(rows, cols)
		got := everyWay(t, graph.Nodes{x.ArgMin(1), x.ArgMax(1), x.Sub(y).ArgMax(1), x.T().ArgMin(1), x.ArgMax(1, graph.LastIndex)},
			graph.Of(data), graph.Of(make([]T, cols)))
		for row := range rows {
			line := data[1+row*cols:][:cols]
			for k, want := range []int{find(line, false, false), find(line, true, false), find(line, true, false)} {
				require.Equal(t, uint64(want), got[k][row], "%s, output %d of %v", dt, k, line)
			}
			require.Equal(t, uint64(find(line, true, true)), got[4][row], "%s, the last of %v", dt, line)
		}
		for col := range cols {
			var line []T
			for row := range rows {
				line = append(line, data[1+row*cols+col])
			}
			require.Equal(t, uint64(find(line, false, false)), got[3][col], "%s, column %d", dt, col)
		}
	}
}

func find[T interface {
	~float32 | ~float64 | ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64
}](x []T, most, last bool) int {
	best := 0
	for i, v := range x[1:] {
		b := x[best]
		better := v != v && b == b || most && v > b || !most && v < b
		if better || last && (v == b || v != v && b != b) {
			best = i + 1
		}
	}
	return best
}

// TestFindInColumns compares the indices of elements in columns with a plain loop: for every type, any number of
// columns, one chunk and several, and together with the elements.
func TestFindInColumns(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	floats := []float64{0, minus, 1, -1, math.Inf(1), math.Inf(-1), nan}
	findInColumns[float32](t, floats)
	findInColumns[float64](t, floats)
	findInColumns[int8](t, []float64{0, 1, -1, 127, -128})
	findInColumns[uint8](t, []float64{0, 1, 127, 128, 255})
	findInColumns[int16](t, []float64{0, 1, -1, math.MaxInt16, math.MinInt16})
	findInColumns[uint16](t, []float64{0, 1, math.MaxInt16, math.MaxUint16})
	findInColumns[int32](t, []float64{0, 1, -1, math.MaxInt32, math.MinInt32})
	findInColumns[uint32](t, []float64{0, 1, math.MaxInt32, math.MaxUint32})
	findInColumns[int64](t, []float64{0, 1, -1, 1 << 62, math.MinInt64})
	findInColumns[uint64](t, []float64{0, 1, 1 << 62, 1 << 63})
}

func findInColumns[T interface {
	graph.Element
	~float32 | ~float64 | ~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64
}](t *testing.T, some []float64) {
	rng := rand.New(rand.NewPCG(10, 11))
	for i, n := range []int{2, 9, 33, 1024, 1025, 2100} {
		cols := []int{16, 17, 31, 32, 75, 129}[rng.IntN(6)]
		data := make([]T, n*cols)
		for k := range data {
			data[k] = T(some[i%2*rng.IntN(len(some))])
			if rng.IntN(n) < 3 {
				data[k] = T(some[rng.IntN(len(some))])
			}
		}
		x := graph.Input("x", graph.Of(data).DType(), n, cols)
		got := everyWay(t, graph.Nodes{x.ArgMin(0), x.ArgMax(0), x.ArgMax(0, graph.LastIndex), x.Max(0).Eq(x.TakeAlong(0, x.ArgMax(0, graph.KeepDims)))}, graph.Of(data, n, cols))
		for col := range cols {
			var column []T
			for row := range n {
				column = append(column, data[row*cols+col])
			}
			place := find(column, true, false)
			for k, want := range []int{find(column, false, false), place, find(column, true, true)} {
				require.Equal(t, uint64(want), got[k][col], "%T, output %d of column %d of %d", data[0], k, col, n)
			}
			require.Equal(t, column[place] == column[place], got[3][col] != 0)
		}
	}
}

// TestArgReduceBeside: an element and its index are reduced in one loop, in whichever order they are asked for.
func TestArgReduceBeside(t *testing.T) {
	x := graph.Input("x", graph.Float32, 40, 3000)
	for _, y := range [][]graph.Item{{x.Max(1), x.ArgMax(1)}, {x.ArgMax(1), x.Max(1)}, {x.Sum(1), x.ArgMax(1), x.Max(1)}} {
		p, err := graph.Compile(y...)
		require.NoError(t, err)
		one := 0
		for _, k := range p.Kernels() {
			if strings.Contains(k, "argmax") {
				one++
				require.Regexp(t, `[ \[]max[],]`, k)
			}
		}
		require.Equal(t, 1, one, explaining{p})
	}
}

// TestFindTooLong binds a size beyond the largest index.
func TestFindTooLong(t *testing.T) {
	if math.MaxInt == math.MaxInt32 {
		t.Skip("no such sizes on this machine")
	}
	p, err := graph.Compile(graph.Input("x", graph.Uint8, graph.Dim("n")).ArgMax(0))
	require.NoError(t, err)
	tooLong := int64(1<<31 + 1)
	_, err = p.Run(context.Background(), graph.Ones(graph.Uint8, 1).Expand(int(tooLong)))
	require.ErrorContains(t, err, "a line of 2147483649 elements: it takes at most 2147483648")
}

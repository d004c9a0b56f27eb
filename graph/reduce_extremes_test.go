package graph_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestExtremes compares extreme elements of lines, and their indices, with Go's min and max: NaN of either sign,
// infinities, zeros, and lines of one sign.
func TestExtremes(t *testing.T) {
	draw := rand.New(rand.NewPCG(1, 2))
	nan, minus := math.Float32frombits(0xffc00001), float32(math.Copysign(0, -1))
	kinds := [][]float32{
		{0, minus}, {minus}, {minus, -1, -3}, {0, 2, 3}, {-2, -5, float32(math.Inf(-1))}, {float32(math.Inf(-1))},
		{float32(math.Inf(1)), float32(math.Inf(-1)), 1e-45, -1e-45, 0, minus}, {float32(math.NaN()), 7, -7, 0, 1, 2, 3, 4, 5}, {nan, -7, -1, -2, -3, -4, -5, minus},
	}
	for _, n := range []int{1, 3, 8, 15, 16, 17, 31, 40, 63, 64, 70, 300, 1025, 2100} {
		in := graph.New(graph.Float32, 4*len(kinds), n)
		v, err := graph.Data[float32](in)
		require.NoError(t, err)
		for i := range v {
			from := kinds[i/n%len(kinds)]
			v[i] = from[draw.IntN(len(from))]
		}
		x := f32("x", 4*len(kinds), n)
		ys := graph.Nodes{x.Max(1), x.Min(1)}
		for _, d := range []graph.DType{graph.Float32, graph.Float64} {
			e := x.Cast(d)
			ys = append(ys, e.Max(1).Cast(graph.Float32), e.Min(1).Cast(graph.Float32), e.ArgMax(1), e.ArgMin(1))
		}
		got := everyWay(t, ys, in)
		for row := range 4 * len(kinds) {
			line := v[row*n : row*n+n]
			most, least, first := line[0], line[0], [2]uint64{}
			for i, e := range line {
				if most == most && (e > most || e != e) { // the first NaN stays
					first[0] = uint64(i)
				}
				if least == least && (e < least || e != e) {
					first[1] = uint64(i)
				}
				most, least = max(most, e), min(least, e)
			}
			for k, want := range [2]float32{most, least} {
				bits := elements(t, graph.Of([]float32{want}))[0]
				require.Equal(t, []uint64{bits, bits, bits}, []uint64{got[k][row], got[2+k][row], got[6+k][row]}, "row %d of %d", row, n)
				require.Equal(t, [2]uint64{first[k], first[k]}, [2]uint64{got[4+k][row], got[8+k][row]}, "row %d of %d: %v", row, n, line)
			}
		}
	}
}

// TestRowsOfSeveralChunks: lines of whole and partial chunks, contiguous and strided, in the caches and beyond.
func TestRowsOfSeveralChunks(t *testing.T) {
	for _, c := range [][2]int{{3, 2048}, {40, 1025}, {70, 3000}, {900, 1300}, {300, 5000}} {
		x, w := f32("x", c[0], c[1]), f32("w", c[1])
		part := x.Slice(":, 1:")
		everyWay(t, graph.Nodes{x.Sum(1), x.Max(1), x.ArgMax(1), x.Mul(w).Sum(1), part.Sum(1), part.Mul(part).Prod(1)},
			graph.Normal(graph.Float32, 1, 0, 1, c[0], c[1]), graph.Normal(graph.Float32, 2, 0, 1, c[1]))
	}
}

// TestExtremesOfBools: false is less than true, as in NumPy.
func TestExtremesOfBools(t *testing.T) {
	b := graph.Const(graph.Of([]bool{true, false, true, false}))
	for want, y := range map[string]graph.Node{
		"bool[] false": b.Min(), "bool[] true": b.Max(), "int64[] 1": b.ArgMin(), "int64[] 2": b.ArgMax(graph.LastIndex),
		"bool[1]\n[false]":                   b.Min(graph.KeepDims),
		"bool[4]\n[ true false false false]": b.CumMin(0),
		"bool[4]\n[false false  true  true]": b.Minimum(true).Flip(0).CumMax(0, graph.Exclusive),
		"bool[4]\n[ true false  true  true]": graph.Const(graph.Of([]float32{-1, 2, float32(math.Copysign(0, -1)), float32(math.Inf(-1))})).Signbit(),
	} {
		require.Equal(t, want, run(t, y).String())
	}
}

package graph_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// rangeCase is a line whose running value leaves the range of numbers, over the whole line or within some chunks of
// 1024: elements at some indices, and one number elsewhere. last is the final result.
type rangeCase struct {
	product bool
	rest    float64
	at      map[int]float64
	last    float64
}

var rangeCases32 = map[string]rangeCase{
	"sum of three":        {false, 0, map[int]float64{0: -3e38, 1024: 3e38, 1025: 3e38}, 3e38},
	"sum of two chunks":   {false, 0, map[int]float64{0: 3e38, 1: 3e38, 1024: -3e38, 1025: -3e38}, 0},
	"sum of third chunk":  {false, 0.5, map[int]float64{0: -3e38, 2050: 3e38, 2051: 3e38}, 3e38},
	"product to 1":        {true, 1, both(repeated(0, 20, 1e-3), repeated(1500, 20, 1e3)), 1},
	"product from above":  {true, 1, both(repeated(0, 20, 1e3), repeated(1500, 20, 1e-3)), 1},
	"product of subnorms": {true, 1, both(repeated(0, 30, 10), repeated(1500, 60, 0.1)), 1e-30},
	"infinity":            {false, 1, map[int]float64{1200: math.Inf(1)}, math.Inf(1)},
	"both infinities":     {false, 1, map[int]float64{5: math.Inf(1), 1200: math.Inf(-1)}, math.NaN()},
}

var rangeCases64 = map[string]rangeCase{
	"sum":             {false, 1, map[int]float64{0: -1.7e308, 1024: 1.7e308, 1025: 1.7e308}, 1.7e308},
	"product":         {true, 1, map[int]float64{0: 1e-300, 1100: 1e200, 1101: 1e200, 1102: 1e-100}, 1},
	"digits":          {true, 1, map[int]float64{0: 1e300, 1100: 1e-300, 1101: 1.1e-20, 2060: 1e20}, 1.1},
	"infinity":        {false, 1, map[int]float64{1200: math.Inf(-1)}, math.Inf(-1)},
	"too large a sum": {false, 0, map[int]float64{0: 1.7e308, 1: 1.7e308, 2060: -1.7e308, 2061: -1.7e308}, math.Inf(1)},
}

// repeated returns one number n times, from an index on.
func repeated(from, n int, v float64) map[int]float64 {
	out := map[int]float64{}
	for i := range n {
		out[from+i] = v
	}
	return out
}

func both(a, b map[int]float64) map[int]float64 {
	maps.Copy(a, b)
	return a
}

// TestScansInRange: a scan is finite wherever a float64 loop over the line is, in rows and in columns, few or many, in
// each way of running it.
func TestScansInRange(t *testing.T) {
	for name, c := range rangeCases32 {
		t.Run("float32 "+name, func(t *testing.T) { scansInRange[float32](t, graph.Float32, c) })
	}
	for name, c := range rangeCases64 {
		t.Run("float64 "+name, func(t *testing.T) { scansInRange[float64](t, graph.Float64, c) })
	}
}

func scansInRange[T float32 | float64](t *testing.T, d graph.DType, c rangeCase) {
	const n, lines = 2100, 9
	line, loop := make([]T, n), make([]float64, n)
	for i := range line {
		line[i] = T(c.rest)
		if v, ok := c.at[i]; ok {
			line[i] = T(v)
		}
		switch loop[i] = float64(line[i]); {
		case i > 0 && c.product:
			loop[i] *= loop[i-1]
		case i > 0:
			loop[i] += loop[i-1]
		}
	}
	one := graph.Input("x", d, n)
	several := one.Unsqueeze(1).BroadcastTo(n, lines).Materialize()
	scan := func(x graph.Node, axis int, opts ...graph.ReduceOption) graph.Node {
		if c.product {
			return x.CumProd(axis, opts...)
		}
		return x.CumSum(axis, opts...)
	}
	last := func(x graph.Node, axis int) graph.Node { return x.Index(axis, -1) }
	ys := graph.Nodes{
		scan(one, 0), scan(one, 0, graph.Exclusive).Slice("1:"), scan(one.Flip(0), 0, graph.Reverse).Flip(0).Slice(":-1"),
		last(scan(several, 0), 1), last(scan(several.T().Materialize(), 1), 0),
	}
	for k, bits := range everyWay(t, ys, graph.Of(line)) {
		got := make([]float64, len(bits))
		for i, b := range bits {
			got[i] = number(d, b)
			if want := float64(T(loop[i])); want-want == 0 {
				require.InDelta(t, want, got[i], 1e-5*math.Abs(want)+1e-45, "output %d, element %d", k, i)
			}
		}
		if len(got) == n {
			requireNear(t, c.last, got[n-1])
		}
	}
}

// requireNear compares numbers with a relative tolerance of 1e-5, and infinities and NaN exactly.
func requireNear(t *testing.T, want, got float64) {
	t.Helper()
	if want-want != 0 || want == 0 {
		require.True(t, got == want || want != want && got != got, "%v, want %v", got, want)
		return
	}
	require.InEpsilon(t, want, got, 1e-5)
}

// number returns an element by its bits.
func number(d graph.DType, bits uint64) float64 {
	if d == graph.Float32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

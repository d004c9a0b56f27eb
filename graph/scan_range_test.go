package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// rangeCase is a line whose chunks of 1024 elements leave the range of numbers where the
// results don't: those at some indices, and else one number.
type rangeCase struct {
	product bool
	rest    float64
	at      map[int]float64
	last    float64
}

var rangeCases32 = map[string]rangeCase{
	"sum of three":     {false, 0, map[int]float64{0: -3e38, 1024: 3e38, 1025: 3e38}, 3e38},
	"sum back to 0":    {false, 0, map[int]float64{0: 3e38, 1: 3e38, 1024: -3e38, 1025: -3e38}, 0},
	"product to 1":     {true, 1, both(repeated(0, 20, 1e-3), repeated(1500, 20, 1e3)), 1},
	"product from inf": {true, 1, both(repeated(0, 20, 1e3), repeated(1500, 20, 1e-3)), 1},
	"vanishing chunk":  {true, 1, both(repeated(0, 30, 10), repeated(1500, 60, 0.1)), 1e-30},
	"infinity":         {false, 1, map[int]float64{1200: math.Inf(1)}, math.Inf(1)},
}

var rangeCases64 = map[string]rangeCase{
	"sum":      {false, 1, map[int]float64{0: -1.7e308, 1024: 1.7e308, 1025: 1.7e308}, 1.7e308},
	"product":  {true, 1, map[int]float64{0: 1e-300, 1100: 1e200, 1101: 1e200, 1102: 1e-100}, 1},
	"infinity": {true, 1, map[int]float64{1200: math.Inf(-1)}, math.Inf(-1)},
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
	for i, v := range b {
		a[i] = v
	}
	return a
}

// TestScansInRange: where a loop over a line in float64 has a finite result, so has the scan, in
// rows and in columns, few or many.
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
	scan := func(x graph.Node, axis int) graph.Node {
		if c.product {
			return x.CumProd(axis)
		}
		return x.CumSum(axis)
	}
	last := func(x graph.Node, axis int) graph.Node { return x.Index(axis, -1) }
	ys := graph.Nodes{scan(one, 0), last(scan(several, 0), 1), last(scan(several.T().Materialize(), 1), 0)}
	for k, bits := range everyWay(t, ys, graph.Of(line)) {
		got := make([]float64, n)
		for i, b := range bits {
			got[i] = number(d, b)
			if want := float64(T(loop[i])); want-want == 0 {
				require.InDelta(t, want, got[i], 1e-5*math.Abs(want)+1e-45, "output %d, element %d", k, i)
			}
		}
		if c.last-c.last != 0 || c.last == 0 {
			require.Equal(t, c.last, got[n-1])
		} else {
			require.InEpsilon(t, c.last, got[n-1], 1e-5)
		}
	}
}

// number returns an element by its bits.
func number(d graph.DType, bits uint64) float64 {
	if d == graph.Float32 {
		return float64(math.Float32frombits(uint32(bits)))
	}
	return math.Float64frombits(bits)
}

package graph_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
)

// TestProdRange: products whose partial products leave the range of float64 are as exact as others, on every engine.
func TestProdRange(t *testing.T) {
	turns := func(n int, values ...float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = values[i%len(values)]
		}
		return x
	}
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]float64, 5000)
	for i := range random {
		random[i] = math.Ldexp(1+r.Float64(), r.IntN(1200)-600)
		if i%2 == 1 {
			random[i] = -1.7 / random[i-1]
		}
	}
	subnormal := append(turns(2000, 1), turns(64, 1e-310, 1e305)...)
	last := append(turns(1500, 3e-5, 1e5/3.), 0x1p-1000, 0x1.8p-70) // rounded once, to a subnormal
	for name, x := range map[string][]float64{
		"in turns":         turns(64, 1e-300, 1e300),
		"front":            append(append(turns(20, 1e-300), turns(1480, 1)...), turns(20, 1e300)...),
		"many":             turns(300_000, 1.4, 1.4, 0.51),
		"random":           random,
		"from subnormals":  append(subnormal, turns(64, 1e5)...),
		"to a subnormal":   last,
		"least":            {0x1p-1074},
		"beyond":           turns(40, 1e300),
		"below":            turns(40, -1e300, 1e-300, 1e-300),
		"zero":             append(turns(2000, 1e300), 0),
		"negative zero":    append(turns(40, 1e300), math.Copysign(0, -1)),
		"infinite":         append(turns(2000, 1e-300), math.Inf(-1)),
		"infinite by zero": append(turns(40, 1e-300), math.Inf(-1), 0),
		"not a number":     append(turns(40, 1e-300), math.NaN()),
	} {
		t.Run(name, func(t *testing.T) {
			want := exactProduct(x)
			for _, shape := range [][]int{{len(x)}, {2, len(x) / 2}, {len(x) / 4, 4}} {
				if size(shape) == len(x) {
					requireProduct(t, want, x, shape)
				}
			}
		})
	}
}

// requireProduct computes the product of x, in some shape, in every way.
func requireProduct(t *testing.T, want float64, x []float64, shape []int) {
	var dims []any
	for _, n := range shape {
		dims = append(dims, n)
	}
	y, in := graph.Input("x", graph.Float64, dims...).Prod(), graph.Of(x, shape...)
	everyWay(t, graph.Nodes{y}, in)
	p, err := graph.Compile(y)
	require.NoError(t, err)
	out, err := p.Run(t.Context(), in)
	require.NoError(t, err)
	data, err := graph.Data[float64](out)
	require.NoError(t, err)
	switch got := data[0]; {
	case want != want:
		require.True(t, got != got)
	case want == 0 || math.IsInf(want, 0):
		require.Equal(t, math.Float64bits(want), math.Float64bits(got))
	default:
		last := math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want)
		require.InDelta(t, want, got, last+math.Abs(want)*float64(len(x))*0x1p-53)
	}
}

// exactProduct rounds the product of all elements.
func exactProduct(x []float64) float64 {
	z, special := big.NewFloat(1).SetPrec(300), 1.0
	for _, v := range x {
		if v == 0 || v-v != 0 {
			special *= v
			continue
		}
		z.Mul(z, big.NewFloat(v))
	}
	if y, _ := z.Float64(); special == 1 {
		return y
	}
	return special * float64(z.Sign())
}

func size(shape []int) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

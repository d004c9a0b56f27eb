package formula_test

import (
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/graph/formula"
)

// expected is an array as testdata/make.py writes it.
type expected struct {
	dtype string
	shape []int
	elems []float64
}

func parseExpected(t *testing.T, text string) expected {
	fields := strings.Fields(text)
	e := expected{dtype: fields[0], shape: []int{}}
	for extent := range strings.SplitSeq(strings.Trim(fields[1], "-"), "x") {
		if extent != "" {
			n, err := strconv.Atoi(extent)
			require.NoError(t, err)
			e.shape = append(e.shape, n)
		}
	}
	for _, elem := range fields[2:] {
		f, err := strconv.ParseFloat(elem, 64)
		require.NoError(t, err)
		e.elems = append(e.elems, f)
	}
	return e
}

// dtypes are the element types by their names.
var dtypes = func() map[string]graph.DType {
	out := map[string]graph.DType{}
	for dt := graph.Bool; dt <= graph.Float64; dt++ {
		out[dt.String()] = dt
	}
	return out
}()

// ulps is how far a number may be from NumPy's, in units of its type.
const ulps = 8

// epsilon has the distance from 1 to the next number of each float type.
var epsilon = map[string]float64{"float16": 0x1p-10, "float32": 0x1p-23, "float64": 0x1p-52}

// TestNumPy compares types, shapes and elements with what NumPy computes of the same text.
func TestNumPy(t *testing.T) {
	file, err := os.ReadFile("testdata/numpy.txt")
	require.NoError(t, err)
	nodes := map[string]graph.Node{}
	values := map[string]*graph.Tensor{}
	cases := 0
	for line := range strings.Lines(string(file)) {
		line = strings.TrimSuffix(line, "\n")
		if rest, ok := strings.CutPrefix(line, "in "); ok {
			name, rest, _ := strings.Cut(rest, " ")
			e := parseExpected(t, rest)
			values[name] = graph.Of(e.elems, e.shape...)
			nodes[name] = graph.Input(name, graph.Float64, e.shape).Cast(dtypes[e.dtype])
			continue
		}
		cases++
		text, rest, _ := strings.Cut(line, "\t")
		t.Run(text, func(t *testing.T) { compare(t, text, parseExpected(t, rest), nodes, values) })
	}
	require.Greater(t, cases, 200)
}

// compare computes a formula and compares it with what NumPy gives.
func compare(t *testing.T, text string, want expected, nodes map[string]graph.Node, values map[string]*graph.Tensor) {
	y, err := formula.Parse(text, nodes)
	require.NoError(t, err)
	require.Equal(t, want.dtype, y.DType().String())
	p, err := graph.Compile(y.Cast(graph.Float64))
	require.NoError(t, err)
	var ins []*graph.Tensor
	for _, in := range p.Inputs() {
		ins = append(ins, values[in.Name])
	}
	out, err := p.Run(t.Context(), ins...)
	require.NoError(t, err)
	require.Equal(t, want.shape, out.Shape())
	elems, err := graph.Data[float64](out)
	require.NoError(t, err)
	require.Len(t, elems, len(want.elems))
	for i, w := range want.elems {
		if math.IsNaN(w) {
			require.True(t, math.IsNaN(elems[i]), "element %d: %v, NumPy's is NaN", i, elems[i])
		} else if elems[i] != w {
			require.LessOrEqual(t, math.Abs(elems[i]-w), ulps*epsilon[want.dtype]*max(1, math.Abs(w)), "element %d: %v, NumPy's is %v", i, elems[i], w)
		}
	}
}

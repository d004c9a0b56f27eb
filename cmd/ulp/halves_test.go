package main

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

var update = flag.Bool("update", false, "rewrite testdata/halves.txt and the last section of docs/accuracy.md")

// half is a type of 16 bits.
type half struct {
	dt ir.DType
	oracle.Format
}

var halves = []half{{ir.Float16, oracle.Format{Bits: 11, Least: -24, Most: 16}}, {ir.BFloat16, oracle.Format{Bits: 8, Least: -133, Most: 128}}}

// TestHalves compares every function of one argument with the exact values, on all 2^16 inputs of both 16-bit types.
// The result is that of float32 rounded once more, so it is the nearest element unless the exact value is next to the
// midpoint of two elements. testdata/halves.txt has the number of such inputs and the greatest error.
func TestHalves(t *testing.T) {
	var text strings.Builder
	fmt.Fprintf(&text, "function    float16: not nearest, ULP    bfloat16: not nearest, ULP\n")
	for i := range functions {
		f := &functions[i]
		if f.exact.Arity != 1 {
			continue
		}
		fmt.Fprintf(&text, "%-12s", f.name())
		for _, h := range halves {
			wrong, greatest := h.measure(t, f)
			require.LessOrEqual(t, greatest, 0.5+0x1p-9, "%s %s", f.name(), h.dt)
			fmt.Fprintf(&text, "%20d %9.5f", wrong, greatest)
		}
		fmt.Fprintln(&text)
	}
	const file = "testdata/halves.txt"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

// measure returns the number of inputs whose result is not the nearest element, and the greatest error in ULP.
func (h *half) measure(t *testing.T, f *function) (wrong int, greatest float64) {
	const n = 1 << 16
	all := graph.New(graph.Uint16, n)
	bits, err := graph.Data[uint16](all)
	require.NoError(t, err)
	for i := range bits {
		bits[i] = uint16(i)
	}
	x := graph.Input("x", h.dt, n)
	p, err := graph.Compile(f.node(x, x).Cast(graph.Float64))
	require.NoError(t, err)
	out, err := p.Run(t.Context(), all.Bitcast(h.dt))
	require.NoError(t, err)
	got, err := graph.Data[float64](out)
	require.NoError(t, err)
	greatest = 0.5
	var o oracle.Oracle
	for i, y := range got {
		x := ir.ToFloat(h.dt, uint64(i))
		if near := ir.ToFloat(h.dt, ir.FromFloat(h.dt, f.exact.Near(x, 0))); near == y && math.Signbit(near) == math.Signbit(y) || near != near && y != y {
			continue
		}
		if ulps := o.Value(f.exact, x, 0).ULPs(h.Format, y); ulps > 0.5 {
			wrong, greatest = wrong+1, max(greatest, ulps)
		}
	}
	return wrong, greatest
}

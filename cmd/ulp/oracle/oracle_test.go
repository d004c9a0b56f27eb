package oracle

import (
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestValues compares with values that mpmath computed.
func TestValues(t *testing.T) {
	text, err := os.ReadFile("testdata/values.txt")
	require.NoError(t, err)
	var o Oracle
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		field := strings.Fields(line)
		if field[0] == "#" {
			continue
		}
		f, ok := Lookup(field[0])
		require.True(t, ok, line)
		seen[f.Name] = true
		x, err := strconv.ParseFloat(field[1], 64)
		require.NoError(t, err)
		y := 0.0
		if field[2] != "-" {
			y, err = strconv.ParseFloat(field[2], 64)
			require.NoError(t, err)
		}
		want, _, err := big.ParseFloat(field[3], 10, 256, big.ToNearestEven)
		require.NoError(t, err)
		got := o.Value(f, x, y).number
		if got == nil {
			got = big.NewFloat(o.Value(f, x, y).exact)
		}
		d := new(big.Float).Sub(got, want)
		if d.Sign() != 0 {
			require.Less(t, d.MantExp(nil), want.MantExp(nil)-92, "%s: got %s", line, got.Text('g', 40))
		}
	}
	for _, f := range Funcs() {
		require.True(t, seen[f.Name], "no value of %s", f.Name)
	}
}

// TestNear compares the float64 references with the oracle at float32 arguments, in units of a float32's last place.
func TestNear(t *testing.T) {
	var o Oracle
	for _, f := range Funcs() {
		worst, at := 0.0, [2]float64{}
		seed := uint32(1)
		next := func() float64 {
			seed = seed*1664525 + 1013904223
			if seed>>29 == 0 { // half of the arguments of most functions are trivial
				return float64(math.Float32frombits(seed<<3 ^ seed>>5))
			}
			return math.Ldexp(float64(int32(seed*2654435761)), int(seed>>24)%24-46)
		}
		for range 1000 {
			x, y := float64(float32(next())), float64(float32(next()))
			v, near := o.Value(&f, x, y), f.Near(x, y)
			e := v.ULPs(Single, near)
			if math.Abs(near) > math.MaxFloat32 {
				continue
			}
			if e > worst {
				worst, at = e, [2]float64{x, y}
			}
		}
		t.Logf("%-10s %.2g at %v", f.Name, worst, at)
		require.Less(t, worst, 1e-5, "%s at %v", f.Name, at)
	}
}

func BenchmarkValue(b *testing.B) {
	for _, f := range Funcs() {
		b.Run(f.Name, func(b *testing.B) {
			var o Oracle
			for i := range b.N {
				o.Value(&f, 0.7+float64(i%1000)*1e-3, 1.3)
			}
		})
	}
}

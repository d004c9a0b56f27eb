package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestNamesOfValues: names may have gaps and any order, stay with their values through Sweep, Clone and Bind, and new values get
// new ones.
func TestNamesOfValues(t *testing.T) {
	const text = `func f(%x: f32[n]) {
  %7 = neg %x      : f32[n]
  %2 = exp %7      : f32[n]
  %4 = add %2, %7  : f32[n]
  %9 = sqrt %2     : f32[n]
  return %9
}
`
	f, err := ir.Parse(text)
	require.NoError(t, err)
	again, err := ir.Parse(f.String())
	require.NoError(t, err)
	require.Equal(t, f.String(), again.String())
	f.Sweep()
	g, err := f.Bind(map[string]int{"n": 3})
	require.NoError(t, err)
	v, err := g.Add(ir.OpAbs, ir.Attr{}, ir.Pos{}, g.Body[2])
	require.NoError(t, err)
	g.Results[0] = v
	require.Equal(t, `func f(%x: f32[3]) {
  %7 = neg %x  : f32[3]
  %2 = exp %7  : f32[3]
  %9 = sqrt %2 : f32[3]
  %10 = abs %9 : f32[3]
  return %10
}
`, g.Clone().String())

	for bad, want := range map[string]string{
		"func f(%x: f32[2]) {\n  %1 = neg %x : f32[2]\n  %1 = exp %x : f32[2]\n  return %1\n}\n": "3:3: the value %1 exists already",
		"func f(%x: f32[2]) {\n  %01 = neg %x : f32[2]\n  return %01\n}\n":                       "2:3: found %01, want the number of a value",
		"func f(%x: f32[2]) {\n  %y = neg %x : f32[2]\n  return %y\n}\n":                         "2:3: found %y, want the number of a value",
		"func f(%x: f32[2]) {\n  %x = neg %x : f32[2]\n  return %x\n}\n":                         "2:3: ",
		"func f(%x: f32[2]) {\n  %99999999999 = neg %x : f32[2]\n  return %x\n}\n":               "2:3: ",
	} {
		_, err := ir.Parse(bad)
		require.ErrorContains(t, err, want, bad)
	}
}

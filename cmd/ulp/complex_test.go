package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph/cmplx"
	"github.com/stridefuse/stridefuse/ir"
)

// TestComplex compares functions of complex numbers with their table, and the table with the promises of package cmplx.
func TestComplex(t *testing.T) {
	committed, err := readComplexTable("../..")
	require.NoError(t, err)
	require.Len(t, committed, len(complexFunctions)*len(dtypes))
	for _, r := range committed {
		f := complexNamed(t, r.name)
		got, err := f.measure(t.Context(), r.dtype, committed.points(f.name), 200, 0)
		require.NoError(t, err)
		require.LessOrEqual(t, got.magnitude, withMargin(r.magnitude), "%s %s at %s", r.name, r.dtype.Text(), got.at)
		require.Equal(t, f.parts, r.parts > 0, r.name)
		if f.parts {
			require.LessOrEqual(t, got.parts, withMargin(r.parts), "%s %s at %s", r.name, r.dtype.Text(), got.partsAt)
		}
		require.GreaterOrEqual(t, got.magnitude, r.magnitude, "%s %s: the table has its worst argument", r.name, r.dtype.Text())
		switch {
		case r.name == "pow" && r.dtype == ir.Float64: // grows with the exponent
		case r.dtype == ir.Float64:
			require.LessOrEqual(t, max(withMargin(r.magnitude), withMargin(r.parts)), 6.)
		case r.name == "mul":
			require.LessOrEqual(t, withMargin(r.magnitude), 2.)
		default:
			require.LessOrEqual(t, max(withMargin(r.magnitude), withMargin(r.parts)), 1.)
		}
	}
}

func complexNamed(t *testing.T, name string) *complexFunction {
	for i := range complexFunctions {
		if complexFunctions[i].name == name {
			return &complexFunctions[i]
		}
	}
	require.Fail(t, "no function "+name)
	return nil
}

// TestWrongComplex measures functions against the reference of other functions.
func TestWrongComplex(t *testing.T) {
	for name, node := range map[string]func(z, w cmplx.Node) cmplx.Node{
		"exp":  func(z, _ cmplx.Node) cmplx.Node { return z.Exp().Conj() },
		"sqrt": func(z, _ cmplx.Node) cmplx.Node { return z.Sqrt().Mul(complex(1, 0x1p-40)) },
		"div":  func(z, w cmplx.Node) cmplx.Node { return z.Mul(cmplx.Make(w.Real(), w.Imag()).Pow(-1)) },
	} {
		wrong := *complexNamed(t, name)
		wrong.node = node
		r, err := wrong.measure(t.Context(), ir.Float64, nil, 300, 0)
		require.NoError(t, err)
		require.Greater(t, r.magnitude, 20., name)
	}
}

// TestComplexText parses what String writes.
func TestComplexText(t *testing.T) {
	text, err := os.ReadFile("../../" + complexFile)
	require.NoError(t, err)
	committed, err := parseComplexTable(string(text))
	require.NoError(t, err)
	require.Equal(t, string(text), committed.String())
	for line, want := range map[string]string{
		"exp f32 1 0":                   "4 fields",
		"exp f16 1 0,0,0,0 1 0,0,0,0 5": "no such type",
		"exp f32 1 0,0 1 x,0,0,0 5":     "invalid syntax",
	} {
		_, err := parseComplexTable(line)
		require.ErrorContains(t, err, want)
	}
}

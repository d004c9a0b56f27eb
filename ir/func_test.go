package ir_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
)

// TestBindPositions checks that copies of a graph know where its params are
// from, and that an error of one says so.
func TestBindPositions(t *testing.T) {
	f := &ir.Func{}
	p := f.Param("z", ir.Type{DType: f32, Shape: ir.Shape{ir.Sym("n")}}, nil)
	p.Pos = ir.Pos{File: "main.go", Line: 7}
	f.Results = f.Params
	g, err := f.Bind(map[string]int{"n": 3})
	require.NoError(t, err)
	require.Equal(t, p.Pos, g.Params[0].Pos)
	require.Equal(t, p.Pos, f.Clone().Params[0].Pos)

	for size, want := range map[string]string{
		"m": `main.go:7: input z: extent n: the size "n" is not bound`,
		"n": "main.go:7: input z: shape [-1]: extent -1 of axis 0 is negative",
	} {
		_, err := f.Bind(map[string]int{size: -1})
		require.EqualError(t, err, want)
		var e *ir.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, p.Pos, e.Pos)
	}
}

package rewrite

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestNumberingGrows fills a numbering with many more values than its graph had when it was made. It must still find
// each value, and only equal ones.
func TestNumberingGrows(t *testing.T) {
	f := &ir.Func{}
	x := f.Param("x", ir.Type{DType: ir.Float32, Shape: ir.ShapeOf(4)}, nil)
	add := func(op ir.Op, a ir.Attr, args ...*ir.Value) *ir.Value {
		v, err := f.Add(op, a, ir.Pos{}, args...)
		require.NoError(t, err)
		return v
	}
	n := newNumbering(f)
	for range 2 {
		for bits := range uint64(1000) {
			c := n.First(add(ir.OpConst, ir.Attr{DType: ir.Float32, Bits: bits}))
			v := n.First(add(ir.OpAdd, ir.Attr{}, x, c))
			w := n.First(add(ir.OpAdd, ir.Attr{}, c, x))
			require.Equal(t, bits, c.Attr.Bits)
			require.Same(t, v, w)
			require.Same(t, c, v.Args[1])
		}
	}
	require.Equal(t, 2000, n.known)
}

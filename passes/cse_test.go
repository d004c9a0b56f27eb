package passes

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
)

// TestNumberingGrows checks that a numbering finds each of many more values than
// the graph had when it was made, and nothing else.
func TestNumberingGrows(t *testing.T) {
	b := newFormula(t)
	x := b.param(4)
	n := newNumbering(b.f)
	for range 2 {
		for bits := range uint64(1000) {
			c := n.first(b.add(ir.OpConst, ir.Attr{DType: ir.Float32, Bits: bits}))
			v := n.first(b.add(ir.OpAdd, ir.Attr{}, x, c))
			w := n.first(b.add(ir.OpAdd, ir.Attr{}, c, x))
			require.Equal(t, bits, c.Attr.Bits)
			require.Same(t, v, w)
			require.Same(t, c, v.Args[1])
		}
	}
	require.Equal(t, 2000, n.known)
}

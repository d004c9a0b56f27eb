package irtest

import "github.com/stridefuse/stridefuse/ir"

// stencil appends a sum of neighbours along an axis of a value, usually a value that is not recomputed for each
// neighbour.
func (g *gen) stencil(v *ir.Value) {
	if len(v.Type.Shape) == 0 || !ir.Floats.Has(v.Type.DType) {
		return
	}
	k, n := g.axis(v)
	taps := g.int("taps", 2, 3)
	if _, known := v.Type.Shape[k].Int(); !known || n < taps {
		return
	}
	if !g.chance("cheap", 4) {
		v = g.add(ir.OpExp, ir.Attr{}, v)
	}
	stride := g.int("stride", 1, 2)
	count := ir.Fixed((n-taps)/stride + 1)
	tap := func(i int) *ir.Value {
		return g.add(ir.OpSlice, ir.Attr{Axis: k, Begin: ir.Fixed(i), Len: count, Step: stride}, v)
	}
	sum := tap(0)
	for i := 1; i < taps; i++ {
		sum = g.add(ir.OpAdd, ir.Attr{}, sum, tap(i))
	}
}

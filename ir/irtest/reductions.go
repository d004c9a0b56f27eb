package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// reductions and scans are the ops of these kinds.
var (
	reductions = opsOf(func(op ir.Op) bool { return op.Info().Kind == ir.Reduce })
	scans      = opsOf(func(op ir.Op) bool { return op.Info().Kind == ir.Scan })
)

// taking returns the ops of a list that take an element type.
func taking(ops []ir.Op, dt ir.DType) []ir.Op {
	return slices.DeleteFunc(slices.Clone(ops), func(op ir.Op) bool { return !op.Info().Domain.Has(dt) })
}

// along reduces or scans a value, or makes the numbers of an axis.
func (g *gen) along() {
	v := g.pick("reduced", g.values())
	if len(v.Type.Shape) == 0 || ir.Stored.Has(v.Type.DType) {
		return
	}
	if g.sizes == nil && v.Type.Shape.NumElems() == ir.Fixed(1) && g.chance("long", 4) {
		v = g.long(v)
	}
	switch {
	case g.sizes == nil && g.DTypes.Has(ir.Int32) && g.chance("numbers", 8): // a size must occur in some input
		g.add(ir.OpIota, ir.Attr{DType: ir.Int32, Shape: ir.Shape{oneOf(g, "extent", v.Type.Shape)}})
	case g.chance("scan", 3) && v.Type.DType != ir.Bool:
		g.propose(oneOf(g, "scan op", taking(scans, v.Type.DType)), v)
	default:
		g.reduce(v)
	}
}

// reduce reduces a value along some axes, and sometimes combines the result with the value again, as a normalization
// does.
func (g *gen) reduce(v *ir.Value) {
	op := oneOf(g, "reduction", taking(reductions, v.Type.DType))
	r := g.propose(op, v)
	if r == nil || !g.chance("beside", 2) || v.Type.DType == ir.Bool || op.IsArgReduction() {
		return
	}
	axes := slices.Sorted(slices.Values(r.Attr.Axes))
	kept := g.add(ir.OpUnsqueeze, ir.Attr{Axes: axes}, r)
	g.add(oneOf(g, "op", arithmetic(v.Type.DType)), ir.Attr{}, v, kept)
}

// long repeats a single element along an axis of more than one chunk; it may
// exceed MaxElems.
func (g *gen) long(v *ir.Value) *ir.Value {
	flat := g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(1, 1)}, v)
	return g.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(g.int("lines", 1, 3), g.int("line", 1020, 2100))}, flat)
}

package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// reductions are the ops that fold, for each kind of element.
func reductions(dt ir.DType) []ir.Op {
	if dt == ir.Bool {
		return []ir.Op{ir.OpAll, ir.OpAny}
	}
	return []ir.Op{ir.OpSum, ir.OpAMax, ir.OpProd, ir.OpAMin, ir.OpArgMax, ir.OpArgMin}
}

// scans are the ops that keep running values.
var scans = []ir.Op{ir.OpCumSum, ir.OpCumMax, ir.OpCumProd, ir.OpCumMin}

// along reduces or scans a value, or makes the numbers of an axis.
func (g *gen) along() {
	v := g.pick("reduced", g.values())
	if len(v.Type.Shape) == 0 {
		return
	}
	if g.sizes == nil && v.Type.Shape.NumElems() == ir.Fixed(1) && g.chance("long", 4) {
		v = g.long(v)
	}
	axis := g.int("axis", 0, len(v.Type.Shape)-1)
	switch {
	case g.sizes == nil && g.DTypes.Has(ir.Int32) && g.chance("numbers", 8): // a size needs an input that has it
		g.add(ir.OpIota, ir.Attr{DType: ir.Int32, Shape: ir.Shape{v.Type.Shape[axis]}})
	case g.chance("scan", 3) && v.Type.DType != ir.Bool:
		g.add(oneOf(g, "scan op", scans), ir.Attr{Axis: axis, Exclusive: g.chance("exclusive", 3)}, v)
	default:
		g.reduce(v)
	}
}

// reduce folds a value along some axes, and now and then puts the result beside
// the value again, as a normalization does.
func (g *gen) reduce(v *ir.Value) {
	op := oneOf(g, "reduction", reductions(v.Type.DType))
	axes := g.subset(len(v.Type.Shape))
	if op.IsArgReduction() {
		axes = []int{g.int("axis", 0, len(v.Type.Shape)-1)}
	}
	for i, n := range g.shape(v.Type.Shape) {
		if n == 0 && slices.Contains(axes, i) && (op.Info().By == ir.OpMin || op.Info().By == ir.OpMax) {
			return // the least of nothing
		}
	}
	r := g.add(op, ir.Attr{Axes: axes}, v)
	if !g.chance("beside", 2) || v.Type.DType == ir.Bool || op.IsArgReduction() {
		return
	}
	slices.Sort(axes)
	kept := g.add(ir.OpUnsqueeze, ir.Attr{Axes: axes}, r)
	g.add(oneOf(g, "op", arithmetic(v.Type.DType)), ir.Attr{}, v, kept)
}

// long repeats a single element along an axis of more than one chunk; it may
// exceed MaxElems.
func (g *gen) long(v *ir.Value) *ir.Value {
	flat := g.add(ir.OpReshape, ir.Attr{Shape: ir.ShapeOf(1, 1)}, v)
	return g.add(ir.OpExpand, ir.Attr{Shape: ir.ShapeOf(g.int("lines", 1, 3), g.int("line", 1020, 2100))}, flat)
}

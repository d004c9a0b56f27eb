package irtest

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/eval"
)

// arithmetic are binary ops that keep the type, for each kind of element.
func arithmetic(dt ir.DType) []ir.Op {
	if dt == ir.Bool {
		return []ir.Op{ir.OpAnd, ir.OpOr, ir.OpXor}
	}
	return []ir.Op{ir.OpAdd, ir.OpMul, ir.OpSub, ir.OpMax, ir.OpDiv}
}

// wide makes a graph of one shape and type with many params: more operands than one kernel takes, values with distant
// readers, and some views.
func (g *gen) wide() []eval.Array {
	dt := oneOf(g, "dtype", (g.DTypes &^ ir.Stored).List())
	shape := ir.ShapeOf(g.int("rows", 1, 5), g.int("columns", 1, 9))
	inputs := make([]eval.Array, g.int("params", 5, 18))
	for i := range inputs {
		g.f.Param(fmt.Sprintf("p%d", i), ir.Type{DType: dt, Shape: shape}, nil)
		inputs[i] = Array(g.T, dt, g.shape(shape)...)
	}
	for nodes := g.int("nodes", min(5, g.MaxNodes-1), g.MaxNodes-1); len(g.f.Body) < nodes; {
		same := []*ir.Value{}
		for _, v := range g.values() {
			if v.Type.DType == dt && v.Type.Shape.Equal(shape) {
				same = append(same, v)
			}
		}
		x, y := g.pick("x", same), oneOf(g, "y", same)
		v := g.add(oneOf(g, "op", arithmetic(dt)), ir.Attr{}, x, y)
		if !g.NoViews && g.chance("flip", 6) {
			g.add(ir.OpFlip, ir.Attr{Axes: []int{g.int("axis", 0, 1)}}, v)
		}
	}
	return inputs
}

// combine draws an op on a permuted and reshaped value and a value of that shape. The reshape may not be a view by
// itself, but may still fit the loop nest.
func (g *gen) combine(v *ir.Value) {
	if len(v.Type.Shape) < 2 || ir.Stored.Has(v.Type.DType) {
		return
	}
	var fit []*ir.Value
	for _, w := range g.values() {
		if w.Type.DType == v.Type.DType && w.Type.Shape.NumElems() == v.Type.Shape.NumElems() {
			fit = append(fit, w)
		}
	}
	w := g.pick("other", fit)
	turned := g.add(ir.OpPermute, ir.Attr{Axes: g.order(len(v.Type.Shape))}, v)
	r := g.add(ir.OpReshape, ir.Attr{Shape: w.Type.Shape}, turned)
	g.add(oneOf(g, "op", arithmetic(v.Type.DType)), ir.Attr{}, r, w)
}

package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// draws draws the value of an attribute, by its name in text, for an operand.
var draws = map[string]func(g *gen, v *ir.Value, a *ir.Attr){
	"axes":      func(g *gen, v *ir.Value, a *ir.Attr) { a.Axes = g.subset(len(v.Type.Shape)) },
	"axis":      func(g *gen, v *ir.Value, a *ir.Attr) { a.Axis = g.int("axis", 0, len(v.Type.Shape)-1) },
	"first":     drawFirst,
	"exclusive": func(g *gen, _ *ir.Value, a *ir.Attr) { a.Exclusive = g.chance("exclusive", 3) },
}

// drawFirst draws a number of elements of an axis: all, or a few.
func drawFirst(g *gen, v *ir.Value, a *ir.Attr) {
	if len(v.Type.Shape) == 0 {
		return
	}
	if a.Len = v.Type.Shape[a.Axis]; g.chance("a few", 2) {
		a.Len = ir.Fixed(g.int("first", 0, 3))
	}
}

// proposes reports whether graphs contain an op, with attributes drawn by propose.
func proposes(op ir.Op) bool {
	return op.Info().Kind != ir.Inner && !slices.ContainsFunc(op.Attributes(), func(name string) bool { return draws[name] == nil })
}

// propose appends an op with x as its first operand, other values of the same type as further operands, and random
// attributes. If type inference rejects that, it appends nothing and returns nil. So random graphs contain a new op of
// the table without an edit here, unless random attributes are rarely valid.
func (g *gen) propose(op ir.Op, x *ir.Value) *ir.Value {
	info := op.Info()
	args, n := []*ir.Value{x}, info.Arity
	if info.More {
		n += g.int("more operands", 0, 2)
	}
	for len(args) < n {
		args = append(args, g.like(x))
	}
	var a ir.Attr
	for _, name := range op.Attributes() {
		draws[name](g, x, &a)
	}
	types, bound := make([]ir.Type, len(args)), make([]ir.Type, len(args))
	for i, v := range args {
		types[i] = v.Type
		bound[i] = ir.Type{DType: v.Type.DType, Shape: ir.ShapeOf(g.shape(v.Type.Shape)...)}
	}
	if _, err := ir.Infer(op, a, bound); err != nil { // an extreme of no elements, once sizes are bound
		return nil
	}
	if t, err := ir.Infer(op, a, types); err != nil || !g.fits(t.Shape) {
		return nil
	}
	return g.add(op, a, args...)
}

// like picks a value of the type of x, often also of its shape.
func (g *gen) like(x *ir.Value) *ir.Value {
	other := func(v *ir.Value) bool { return v.Type.DType != x.Type.DType }
	if g.chance("same shape", 2) {
		other = func(v *ir.Value) bool { return !v.Type.Equal(x.Type) }
	}
	return g.pick("like", slices.DeleteFunc(g.values(), other))
}

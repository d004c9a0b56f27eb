package irtest

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// ops lists the elementwise operations on the element types in use; copy is
// the first.
func (g *gen) ops() []ir.Op {
	var out []ir.Op
	for _, op := range ir.Ops() {
		info := op.Info()
		bools := info.Mask || info.Result == ir.GivesBool
		if op.IsElementwise() && info.Domain&g.DTypes != 0 && (!bools || g.DTypes.Has(ir.Bool)) {
			out = append(out, op)
		}
	}
	return out
}

// elementwise appends op on random values that broadcast together.
func (g *gen) elementwise(op ir.Op) {
	info := op.Info()
	x := g.operand(info.Domain)
	if op == ir.OpCast {
		g.add(op, ir.Attr{DType: oneOf(g, "to", g.DTypes.List())}, x)
		return
	}
	if op == ir.OpBitcast {
		g.bitcast(x)
		return
	}
	args, shape := []*ir.Value{x}, x.Type.Shape
	for len(args) < info.Arity {
		dt := x.Type.DType
		if info.Mask && len(args) == info.Arity-1 {
			dt = ir.Bool
		}
		y := g.partner(dt, shape)
		shape, _ = ir.Broadcast(shape, y.Type.Shape)
		args = append(args, y)
	}
	switch last := len(args) - 1; {
	case info.Mask: // drawn last, but the first operand
		args = append(args[last:], args[:last]...)
	case last == 1 && g.chance("swap", 2):
		args[0], args[1] = args[1], args[0]
	}
	g.add(op, ir.Attr{}, args...)
}

// operand picks a value of a type in the domain, or casts one.
func (g *gen) operand(domain ir.DTypes) *ir.Value {
	var fit []*ir.Value
	for _, v := range g.values() {
		if domain.Has(v.Type.DType) {
			fit = append(fit, v)
		}
	}
	if len(fit) > 0 && !g.chance("cast first", 8) {
		return g.pick("x", fit)
	}
	dt := oneOf(g, "x dtype", (domain & g.DTypes).List())
	return g.add(ir.OpCast, ir.Attr{DType: dt}, g.pick("x", g.values()))
}

// partner picks a value of the type that broadcasts with the shape, perhaps
// the first operand itself, or makes a constant.
func (g *gen) partner(dt ir.DType, shape ir.Shape) *ir.Value {
	var fit []*ir.Value
	for _, v := range g.values() {
		if v.Type.DType != dt {
			continue
		}
		if s, err := ir.Broadcast(shape, v.Type.Shape); err == nil && g.fits(s) {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 || g.chance("constant", 5) {
		return g.constant(dt, Element(g.T, dt))
	}
	others := slices.DeleteFunc(slices.Clone(fit), func(v *ir.Value) bool { return v.Type.Shape.Equal(shape) })
	if len(others) > 0 && g.chance("broadcast", 2) {
		fit = others
	}
	return g.pick("y", fit)
}

func (g *gen) constant(dt ir.DType, bits uint64) *ir.Value {
	return g.add(ir.OpConst, ir.Attr{DType: dt, Shape: ir.Shape{}, Bits: bits})
}

// bitcast appends the bits of x as another type. If x is a float and the type an integer, NaN is first replaced by 0.
func (g *gen) bitcast(x *ir.Value) {
	from := x.Type.DType
	var to []ir.DType
	for _, dt := range (ir.OpBitcast.Info().Domain & g.DTypes).List() {
		if dt.Size() == from.Size() {
			to = append(to, dt)
		}
	}
	if len(to) == 0 {
		return
	}
	dt := oneOf(g, "bits as", to)
	if ir.Floats.Has(from) && !ir.Floats.Has(dt) {
		nan := g.add(ir.OpIsNaN, ir.Attr{}, x)
		x = g.add(ir.OpSelect, ir.Attr{}, nan, g.constant(from, 0), x)
	}
	g.add(ir.OpBitcast, ir.Attr{DType: dt}, x)
}

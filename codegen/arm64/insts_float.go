package arm64

import "github.com/stridefuse/stridefuse/ir"

// float is a floating-point type with the arrangement of its lanes.
type float struct {
	d ir.DType
	w string
}

// floatRows are the ops on floats. FMIN and FMAX are Go's min and max: a NaN is the result, and -0 is less than +0.
func (t *bodyTable) floatRows(f float) {
	d, w := f.d, f.w
	t.set(d, ir.OpCopy, same)
	for op, name := range map[ir.Op]string{ir.OpAdd: "FADD", ir.OpSub: "FSUB", ir.OpMul: "FMUL", ir.OpDiv: "FDIV", ir.OpMin: "FMIN", ir.OpMax: "FMAX", ir.OpEq: "FCMEQ"} {
		t.set(d, op, ofTwo(name+w))
	}
	for op, name := range map[ir.Op]string{ir.OpSqrt: "FSQRT", ir.OpAbs: "FABS", ir.OpRound: "FRINTN", ir.OpFloor: "FRINTM", ir.OpCeil: "FRINTP", ir.OpTrunc: "FRINTZ"} {
		t.set(d, op, ofOne(name+w))
	}
	t.set(d, ir.OpNeg, func(g graph, x [3]ref) ref { return f.neg(g, x[0]) })
	t.set(d, ir.OpFMA, f.fma)
	t.set(d, ir.OpNe, negated(ofTwo("FCMEQ"+w)))
	t.set(d, ir.OpLt, swapped("FCMGT"+w))
	t.set(d, ir.OpLe, swapped("FCMGE"+w))
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
	t.set(d, ir.OpBitcast, same)
	t.set(d, ir.OpScalb, f.scalb)
}

func (f float) neg(g graph, x ref) ref {
	if y, ok := g.is(x, "FNEG"+f.w); ok {
		return y
	}
	return g.op("FNEG"+f.w, x)
}

// fma is x*y + z. FMLS subtracts the product.
func (f float) fma(g graph, x [3]ref) ref {
	name := "FMLA"
	for i := range 2 {
		if y, ok := g.is(x[i], "FNEG"+f.w); ok {
			x[i] = y
			name = map[string]string{"FMLA": "FMLS", "FMLS": "FMLA"}[name]
		}
	}
	return g.op(name+f.w, x[0], x[1], x[2])
}

// scalb multiplies by two powers of 2 that are normal numbers. The sum of the exponent and magic has the exponent, biased
// twice, in its low bits. If the exponent is itself the difference of such a sum and magic, that sum is used.
func (f float) scalb(g graph, x [3]ref) ref {
	magic, bits := g.f32(0x1.8p23+2*127), uint8(23)
	if f.d == ir.Float64 {
		magic, bits = g.f64(0x1.8p52+2*1023), 52
	}
	k := g.op("FADD"+f.w, x[1], magic)
	if sum, ok := g.is(x[1], "FSUB"+f.w); ok && g.At(x[1]).Arg[1] == magic {
		k = sum
	}
	half := g.imm("SSHR"+f.w, 1, k)
	power := func(k ref) ref { return g.imm("SHL"+f.w, bits, k) }
	return g.op("FMUL"+f.w, g.op("FMUL"+f.w, x[0], power(half)), power(g.op("SUB"+f.w, k, half)))
}

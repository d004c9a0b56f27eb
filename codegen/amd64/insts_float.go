package amd64

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// float is a floating-point type with what its rows need.
type float struct {
	d ir.DType
	w string // the end of instruction names
}

// Predicates of VCMPPS: ordered and quiet, but for "not equal".
const (
	cmpEq      = 0x00
	cmpUnord   = 0x03
	cmpNe      = 0x04
	cmpUnequal = 0x0c // false of NaN
	cmpOrd     = 0x07
	cmpLt      = 0x11
	cmpLe      = 0x12
	cmpGe      = 0x1d
)

// mirrored returns the predicate that holds for y and x exactly if a given one holds for x
// and y.
func mirrored(pred uint8) uint8 {
	if pred&0x10 == 0 {
		return pred // symmetric
	}
	return pred ^ 0x0f
}

func (f float) signBits(g *graph) ref {
	if f.w == "PS" {
		return g.c32(1 << 31)
	}
	return g.c64(1 << 63)
}

func (t *table) floatRows(f float) {
	d, w := f.d, f.w
	t.set(d, ir.OpCopy, same)
	t.set(d, ir.OpAdd, binary("VADD"+w))
	t.set(d, ir.OpSub, binary("VSUB"+w))
	t.set(d, ir.OpMul, binary("VMUL"+w))
	t.set(d, ir.OpDiv, binary("VDIV"+w))
	t.set(d, ir.OpSqrt, unary("VSQRT"+w))
	t.set(d, ir.OpFMA, f.fma)
	t.set(d, ir.OpNeg, f.neg)
	t.set(d, ir.OpAbs, func(g *graph, x [3]ref) ref { return g.op("VANDPS", x[0], g.not(f.signBits(g))) })
	t.set(d, ir.OpMin, f.min)
	t.set(d, ir.OpMax, f.max)
	t.set(d, ir.OpRound, f.round(8))
	t.set(d, ir.OpFloor, f.round(9))
	t.set(d, ir.OpCeil, f.round(10))
	t.set(d, ir.OpTrunc, f.round(11))
	t.set(d, ir.OpEq, f.compare(cmpEq))
	t.set(d, ir.OpNe, f.compare(cmpNe))
	t.set(d, ir.OpLt, f.compare(cmpLt))
	t.set(d, ir.OpLe, f.compare(cmpLe))
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
	t.set(d, ir.OpBitcast, same)
	t.set(d, ir.OpScalb, f.scalb)
}

func (f float) round(mode uint8) row {
	return func(g *graph, x [3]ref) ref { return g.imm("VROUND"+f.w, mode, x[0]) }
}

func (f float) compare(pred uint8) row {
	return func(g *graph, x [3]ref) ref { return g.imm("VCMP"+f.w, pred, x[0], x[1]) }
}

func (f float) neg(g *graph, x [3]ref) ref {
	if y, ok := f.negOf(g, x[0]); ok {
		return y
	}
	return g.op("VXORPS", x[0], f.signBits(g))
}

// negOf reports whether x is a negated value, and returns that value.
func (f float) negOf(g *graph, x ref) (ref, bool) {
	if n := g.At(x); g.is(x, "VXORPS") && n.Arg[1] == f.signBits(g) {
		return n.Arg[0], true
	}
	return none, false
}

// fma uses the instructions that negate the product or the addend, if sources are negated.
func (f float) fma(g *graph, x [3]ref) ref {
	product, addend := "VFM", "ADD"
	for i := range 2 {
		if y, ok := f.negOf(g, x[i]); ok {
			x[i] = y
			product = map[string]string{"VFM": "VFNM", "VFNM": "VFM"}[product]
		}
	}
	if y, ok := f.negOf(g, x[2]); ok {
		x[2] = y
		addend = "SUB"
	}
	return g.op(product+addend+f.w, x[0], x[1], x[2])
}

// safe finds a source that is a constant other than NaN and zero. One instruction with that constant as its first source then
// computes Go's min or max.
func (f float) safe(g *graph, x [3]ref) (c, v ref, ok bool) {
	for i := range 2 {
		if bits, isConst := g.constant(x[i]); isConst {
			c := math.Float64frombits(bits)
			if f.w == "PS" {
				c = float64(math.Float32frombits(uint32(bits)))
			}
			if c == c && c != 0 {
				return x[i], x[1-i], true
			}
		}
	}
	return none, none, false
}

// min is Go's min. VMIN returns its second source if one is NaN or both are zeros. So the
// results of both orders of the sources differ in these cases only, and OR combines them:
// -0 | +0 is -0, and NaN | x is a NaN.
func (f float) min(g *graph, x [3]ref) ref {
	if c, v, ok := f.safe(g, x); ok {
		return g.op("VMIN"+f.w, c, v)
	}
	return g.op("VORPS", g.op("VMIN"+f.w, x[0], x[1]), g.op("VMIN"+f.w, x[1], x[0]))
}

// max is Go's max. AND combines the results of both orders here: -0 & +0 is +0. As NaN & x may not be a NaN, lanes with a
// NaN are set to all ones, which is a NaN. If one source is constant along a row, like the bound of a ReLU, one VMAX is
// enough: of that source and the sum of the other one with the value of clearing, which handles NaN and zeros. See also
// greatest.
func (f float) max(g *graph, x [3]ref) ref {
	if c, v, ok := f.safe(g, x); ok {
		return g.op("VMAX"+f.w, c, v)
	}
	for i := range 2 {
		if c, v := x[i], x[1-i]; g.Invariant(c) {
			return g.op("VMAX"+f.w, c, g.op("VADD"+f.w, v, f.clearing(g, c)))
		}
	}
	a, b := f.values(g, x, 0), f.values(g, x, 1)
	if len(a)+len(b) > greatestValues {
		b = x[1:2]
	}
	if len(a)+len(b) > greatestValues {
		a = x[:1]
	}
	return f.greatest(g, slices.Concat(a, b))
}

// clearing returns the addend to v for which VMAX of c and the sum is Go's max of c and v. If c is NaN, that is c: the
// sum is then NaN. If c is a zero, it is c too: +0 turns -0 into +0. Otherwise it is -0, which changes nothing.
func (f float) clearing(g *graph, c ref) ref {
	if _, ok := g.constant(c); ok {
		return c // NaN or a zero: see safe
	}
	return g.choose(g.imm("VCMP"+f.w, cmpUnequal, c, g.zero()), f.signBits(g), c)
}

// scalb multiplies by two powers of 2 that are normal numbers. The sum of the exponent and magic has the exponent, biased
// twice, in its low bits. If the exponent is itself the difference of such a sum and magic, that sum is used.
func (f float) scalb(g *graph, x [3]ref) ref {
	p, y := x[0], x[1]
	if f.w == "PS" {
		k := f.biased(g, y, g.f32(0x1.8p23+2*127))
		half := g.imm("VPSRAD", 1, k)
		power := func(k ref) ref { return g.imm("VPSLLD", 23, k) }
		return g.op("VMULPS", g.op("VMULPS", p, power(half)), power(g.op("VPSUBD", k, half)))
	}
	k := f.biased(g, y, g.f64(0x1.8p52+2*1023))
	half := g.op("VFMADDPD", y, g.f64(0.5), g.f64(0x1.8p52+1023)) // AVX2 has no arithmetic shift of 64 bits
	power := func(k ref) ref { return g.imm("VPSLLQ", 52, k) }
	return g.op("VMULPD", g.op("VMULPD", p, power(half)), power(g.op("VPSUBQ", k, half)))
}

// biased returns y + magic.
func (f float) biased(g *graph, y, magic ref) ref {
	if n := g.At(y); g.is(y, "VSUB"+f.w) && n.Arg[1] == magic {
		return n.Arg[0]
	}
	return g.op("VADD"+f.w, y, magic)
}

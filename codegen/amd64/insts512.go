package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The rows of AVX-512 that differ from AVX2's: comparisons, which AVX-512 has of every
// integer type, products with powers of 2, and operations on 64-bit lanes and conversions that AVX2 lacks.

// Predicates of VPCMPD and the like.
const (
	cmpIntEq = iota
	cmpIntLt
	cmpIntLe
	cmpIntNe = 4
)

// mirroredInt returns the predicate that holds for y and x exactly if a given one holds for x
// and y.
func mirroredInt(pred uint8) uint8 {
	if pred == cmpIntEq || pred == cmpIntNe {
		return pred
	}
	return pred ^ 7
}

func avx512Table() table {
	t := newTable()
	for d, name := range map[ir.DType]string{
		ir.Int32: "VPCMPD", ir.Uint32: "VPCMPUD", ir.Uint8: "VPCMPUD", ir.Int64: "VPCMPQ", ir.Uint64: "VPCMPUQ",
	} {
		for op, pred := range map[ir.Op]uint8{ir.OpEq: cmpIntEq, ir.OpNe: cmpIntNe, ir.OpLt: cmpIntLt, ir.OpLe: cmpIntLe} {
			t.set(d, op, func(g *graph, x [3]ref) ref { return g.imm(name, pred, x[0], x[1]) })
		}
	}
	// The sign of what is shifted to the left is a bit.
	less := t.rows[key{ir.OpLt, ir.Int32}]
	t.set(ir.Int32, ir.OpLt, func(g *graph, x [3]ref) ref {
		if g.is(x[0], "VPSLLD") && x[1] == g.zero() {
			n := g.At(x[0])
			return g.op("VPTESTMD", n.Arg[0], g.c32(1<<31>>n.Imm))
		}
		return less(g, x)
	})
	for _, d := range []ir.DType{ir.Int32, ir.Uint32, ir.Int64, ir.Uint64} {
		t.set(d, ir.OpOr, afterAnd("VPOR", andThenOr))
		t.set(d, ir.OpXor, afterAnd("VPXOR", andThenXor))
	}
	for d, sign := range map[ir.DType]string{ir.Int64: "S", ir.Uint64: "U"} {
		t.set(d, ir.OpMin, binary("VPMIN"+sign+"Q"))
		t.set(d, ir.OpMax, binary("VPMAX"+sign+"Q"))
		t.set(d, ir.OpMul, binary("VPMULLQ"))
	}
	t.set(ir.Int64, ir.OpAbs, unary("VPABSQ"))
	t.set(ir.Int64, ir.OpShr, shift("VPSRAVQ", "VPSRAQ", 64))
	t.set(ir.Float32, ir.OpScalb, binary("VSCALEFPS"))
	t.set(ir.Float64, ir.OpScalb, binary("VSCALEFPD"))
	for d, lanes := range map[ir.DType]string{ir.Float32: "PS", ir.Float64: "PD"} {
		t.set(d, ir.OpSignificand, func(g *graph, x [3]ref) ref {
			const within1And2 = 0
			return g.choose(g.imm("VFPCLASS"+lanes+"Z", unscaled, x[0]), x[0], g.imm("VGETMANT"+lanes, within1And2, x[0]))
		})
		t.set(d, ir.OpExponent, func(g *graph, x [3]ref) ref {
			return g.op("VGETEXP"+lanes+".Z", g.not(g.imm("VFPCLASS"+lanes+"Z", unscaled, x[0])), x[0])
		})
	}
	t.set(ir.Float64, ir.OpLdexp, func(g *graph, x [3]ref) ref { // VSCALEFPD rounds down, and makes NaN of 0 and an infinite exponent. A NaN
		// exponent stays, as VMAXPD and VMINPD return their second operand then.
		const nearestEven, far = 8, 1 << 12
		e := g.op("VMINPD", g.f64(far), g.op("VMAXPD", g.f64(-far), g.imm("VROUNDPD", nearestEven, x[1])))
		return g.op("VSCALEFPD", x[0], e)
	})
	t.casts512()
	return t
}

// unscaled are the classes of numbers that have no exponent, by the bits of VFPCLASSPS: NaN, zeros and infinities.
const unscaled = 0x9f

// composed reports whether the target has an instruction for an op that other targets expand into several.
func (t *table) composed(in kernel.Inst, d ir.DType) bool {
	return in.Op.Info().Kind == ir.Composed && t.rows[key{in.Op, d}] != nil
}

// afterAnd is a row of the named instruction, or of one instruction for it and a preceding AND.
func afterAnd(name string, both uint8) row {
	return func(g *graph, x [3]ref) ref {
		for i := range 2 {
			if n := g.At(x[i]); g.is(x[i], "VPAND") {
				return g.imm("VPTERNLOGQ", both, n.Arg[0], n.Arg[1], x[1-i])
			}
		}
		return g.op(name, x[0], x[1])
	}
}

// casts512 are the conversions. Those to unsigned integers give the greatest integer for values beyond the range; VMAX turns NaN
// and negative values into 0. Those to signed integers give the least integer for NaN and values beyond the range.
func (t *table) casts512() {
	each := func(from, to ir.DType, f func(g *graph, x ref) ref) {
		t.casts[pair{from, to}] = func(g *graph, v value) value {
			v.Part[0] = f(g, v.Part[0])
			if g.parts(from) == 2 {
				v.Part[1] = f(g, v.Part[1])
			}
			return v
		}
	}
	each(ir.Float32, ir.Int32, func(g *graph, x ref) ref {
		r := g.where(g.imm("VCMPPS", cmpOrd, x, x), g.op("VCVTTPS2DQ", x))
		return g.choose(g.imm("VCMPPS", cmpGe, x, g.f32(1<<31)), g.i32(1<<31-1), r)
	})
	each(ir.Float32, ir.Uint32, func(g *graph, x ref) ref { return g.op("VCVTTPS2UDQ", g.op("VMAXPS", x, g.zero())) })
	each(ir.Float64, ir.Int64, func(g *graph, x ref) ref {
		r := g.where(g.imm("VCMPPD", cmpOrd, x, x), g.op("VCVTTPD2QQ", x))
		return g.choose(g.imm("VCMPPD", cmpGe, x, g.f64(1<<63)), g.i64(1<<63-1), r)
	})
	t.casts[pair{ir.Float32, ir.Int64}] = func(g *graph, v value) value {
		x := v.Part[0]
		number, over := one(g.imm("VCMPPS", cmpOrd, x, x)), one(g.imm("VCMPPS", cmpGe, x, g.f32(1<<63)))
		part := func(half ref, p int) ref {
			return g.choose(g.MaskPart(over, 2, p), g.i64(1<<63-1), g.where(g.MaskPart(number, 2, p), g.op("VCVTTPS2QQ", half)))
		}
		return two(part(x, 0), part(g.high(x), 1))
	}
	t.casts[pair{ir.Float32, ir.Uint64}] = func(g *graph, v value) value {
		return split(func(g *graph, x ref) ref { return g.op("VCVTTPS2UQQ", x) })(g, one(g.op("VMAXPS", v.Part[0], g.zero())))
	}
	each(ir.Float64, ir.Uint64, func(g *graph, x ref) ref { return g.op("VCVTTPD2UQQ", g.op("VMAXPD", x, g.zero())) })
	t.casts[pair{ir.Float64, ir.Uint32}] = joinHalves(func(g *graph, x ref) ref {
		return g.op("VCVTTPD2UDQ", g.op("VMAXPD", x, g.zero()))
	})
	each(ir.Uint32, ir.Float32, func(g *graph, x ref) ref { return g.op("VCVTUDQ2PS", x) })
	t.casts[pair{ir.Uint32, ir.Float64}] = split(func(g *graph, x ref) ref { return g.op("VCVTUDQ2PD", x) })
	for d, name := range map[ir.DType]string{ir.Int64: "VCVTQQ2", ir.Uint64: "VCVTUQQ2"} {
		each(d, ir.Float64, func(g *graph, x ref) ref { return g.op(name+"PD", x) })
		t.casts[pair{d, ir.Float32}] = joinHalves(func(g *graph, x ref) ref { return g.op(name+"PS", x) })
	}
}

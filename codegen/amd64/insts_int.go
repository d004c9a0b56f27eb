package amd64

import (
	"math"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// intRows are the ops that are the same for int32, uint32 and uint8, which is computed in
// lanes of 32 bits.
func (t *table) intRows(d ir.DType) {
	t.set(d, ir.OpCopy, same)
	t.set(d, ir.OpAdd, binary("VPADDD"))
	t.set(d, ir.OpSub, binary("VPSUBD"))
	t.set(d, ir.OpMul, binary("VPMULLD"))
	t.set(d, ir.OpNeg, func(g *graph, x [3]ref) ref { return g.op("VPSUBD", g.zero(), x[0]) })
	t.set(d, ir.OpAbs, same)
	t.set(d, ir.OpEq, binary("VPCMPEQD"))
	t.set(d, ir.OpNe, func(g *graph, x [3]ref) ref { return g.not(g.op("VPCMPEQD", x[0], x[1])) })
	t.set(d, ir.OpAnd, binary("VPAND"))
	t.set(d, ir.OpOr, binary("VPOR"))
	t.set(d, ir.OpXor, binary("VPXOR"))
	t.set(d, ir.OpNot, func(g *graph, x [3]ref) ref { return g.not(x[0]) })
	t.set(d, ir.OpShl, shift("VPSLLVD", "VPSLLD", 32))
	t.set(d, ir.OpShr, shift("VPSRLVD", "VPSRLD", 32))
	t.set(d, ir.OpSelect, selectRow)
	t.set(d, ir.OpUnlikely, selectRow)
	t.set(d, ir.OpBitcast, same)
	t.set(d, ir.OpMin, binary("VPMINUD"))
	t.set(d, ir.OpMax, binary("VPMAXUD"))
}

// shift is a shift by counts in lanes, or by an immediate if the count is a constant. For
// counts of at least the width, the instructions give what the ops define.
func shift(lanes, immediate string, width uint64) row {
	return func(g *graph, x [3]ref) ref {
		if bits, ok := g.constant(x[1]); ok {
			n := bits
			if width == 32 {
				n = bits & math.MaxUint32
			}
			return g.imm(immediate, uint8(min(n, width)), x[0])
		}
		return g.op(lanes, x[0], x[1])
	}
}

func (t *table) signed32Rows() {
	d := ir.Int32
	t.set(d, ir.OpMulHalves, binary("VPMADDWD"))
	t.set(d, ir.OpAbs, unary("VPABSD"))
	t.set(d, ir.OpMin, binary("VPMINSD"))
	t.set(d, ir.OpMax, binary("VPMAXSD"))
	t.set(d, ir.OpLt, swapped("VPCMPGTD"))
	t.set(d, ir.OpLe, leByMin("VPMINSD"))
	t.set(d, ir.OpShr, shift("VPSRAVD", "VPSRAD", 32))
	t.set(d, ir.OpDiv, divRow(signedQuotient))
	t.set(d, ir.OpRem, remRow(signedQuotient))
}

func (t *table) unsigned32Rows() {
	d := ir.Uint32
	t.set(d, ir.OpLt, func(g *graph, x [3]ref) ref { return g.not(leByMin("VPMINUD")(g, [3]ref{x[1], x[0]})) })
	t.set(d, ir.OpLe, leByMin("VPMINUD"))
	t.set(d, ir.OpDiv, divRow(unsignedQuotient))
	t.set(d, ir.OpRem, remRow(unsignedQuotient))
}

// leByMin computes x <= y as min(x,y) == x: AVX2 has no such comparison.
func leByMin(least string) row {
	return func(g *graph, x [3]ref) ref { return g.op("VPCMPEQD", g.op(least, x[0], x[1]), x[0]) }
}

// byteRows are the ops on uint8 whose results have to be reduced to 8 bits, or differ
// otherwise.
func (t *table) byteRows() {
	d := ir.Uint8
	low := func(r row) row {
		return func(g *graph, x [3]ref) ref { return g.op("VPAND", r(g, x), g.i32(255)) }
	}
	for _, op := range []ir.Op{ir.OpAdd, ir.OpSub, ir.OpNeg, ir.OpShl} {
		t.set(d, op, low(t.rows[key{op, d}]))
	}
	t.set(d, ir.OpMul, low(binary("VPMULLW"))) // a product of bytes has 16 bits
	t.set(d, ir.OpNot, func(g *graph, x [3]ref) ref { return g.op("VPXOR", x[0], g.i32(255)) })
	t.set(d, ir.OpLt, swapped("VPCMPGTD"))
	t.set(d, ir.OpLe, leByMin("VPMINUD"))
	t.set(d, ir.OpDiv, divRow(byteQuotient))
	t.set(d, ir.OpRem, remRow(byteQuotient))
}

// divRow and remRow divide in floats. Truncating the rounded quotient is exact: no inexact quotient of such integers (below
// 2^32 in float64, of 16 bits in float32) is closer to the next integer than the rounding error. Quotients and
// remainders of a division by zero are set to 0.
func divRow(quotient func(g *graph, x, y ref) ref) row {
	return func(g *graph, x [3]ref) ref {
		return g.unless(g.op("VPCMPEQD", x[1], g.zero()), quotient(g, x[0], x[1]))
	}
}

func remRow(quotient func(g *graph, x, y ref) ref) row {
	return func(g *graph, x [3]ref) ref {
		q := quotient(g, x[0], x[1])
		r := g.op("VPSUBD", x[0], g.op("VPMULLD", q, x[1]))
		return g.unless(g.op("VPCMPEQD", x[1], g.zero()), r)
	}
}

// signedQuotient divides int32. The least int32 divided by -1 is 2^31, which converts to the
// least int32.
func signedQuotient(g *graph, x, y ref) ref {
	if g.fewBits(x) && g.fewBits(y) {
		return singleQuotient(g, x, y, true)
	}
	half := func(x, y ref) ref {
		return g.op("VCVTTPD2DQY", doubles.quotient(g, g.op("VCVTDQ2PD", x), g.op("VCVTDQ2PD", y), true))
	}
	return g.joined(half(x, y), half(g.high(x), g.high(y)))
}

func unsignedQuotient(g *graph, x, y ref) ref {
	half := func(x, y ref) ref {
		return g.u32Bits(doubles.quotient(g, g.u32ToF64(x), g.u32ToF64(y), false))
	}
	return g.isa().evens(g, half(x, y), half(g.high(x), g.high(y)))
}

func byteQuotient(g *graph, x, y ref) ref { return singleQuotient(g, x, y, false) }

// singleQuotient divides 16-bit integers in float32. negative says that they may be negative.
func singleQuotient(g *graph, x, y ref, negative bool) ref {
	return g.op("VCVTTPS2DQ", singles.quotient(g, g.op("VCVTDQ2PS", x), g.op("VCVTDQ2PS", y), negative))
}

// floats is a float type in which integers are divided.
type floats struct {
	end   string // of the names of its instructions
	value func(g *graph, x float64) ref
}

var (
	singles = floats{"PS", func(g *graph, x float64) ref { return g.f32(float32(x)) }}
	doubles = floats{"PD", (*graph).f64}
)

// quotient divides two integers that have been converted to floats. If the divisor is constant along a row, it takes the
// reciprocal once: for positive x, x/y is the truncation of (x + 1/2) * (1/y). This is exact because x + 1/2 is at least
// 1/2 away from every multiple of y, and the rounding errors are smaller if x has two bits less than the type. For
// negative x, 1/2 has the sign of x.
func (t floats) quotient(g *graph, x, y ref, negative bool) ref {
	if !g.Invariant(y) {
		return g.op("VDIV"+t.end, x, y)
	}
	half := t.value(g, 0.5)
	if negative {
		half = g.op("VORPS", g.op("VANDPS", x, t.value(g, math.Copysign(0, -1))), half)
	}
	return g.op("VMUL"+t.end, g.op("VADD"+t.end, x, half), g.op("VDIV"+t.end, t.value(g, 1), y))
}

// fewBits reports whether the lanes of x are integers of at most 16 bits.
func (g *graph) fewBits(x ref) bool {
	n := g.At(x)
	switch {
	case n.Kind == vector.KindSplat:
		return n.Place.Size() <= 2
	case g.is(x, "VPMOVZXBD"), g.is(x, "VPMOVZXWD"), g.is(x, "VPMOVSXBD"), g.is(x, "VPMOVSXWD"):
		return true
	case g.is(x, "VPSRAD"):
		return n.Imm >= 16
	case g.is(x, "VPAND"):
		bits, ok := g.constant(n.Arg[1])
		return ok && bits&math.MaxUint32 <= math.MaxUint16 && bits>>32 <= math.MaxUint16
	}
	return false
}

// two52 plus an integer of up to 52 bits is a float64 with the integer in its low bits.
const two52 = 1 << 52

// u32ToF64 converts the lower half of x: the bits of 2^52 combined with x by OR are those of
// 2^52 + x.
func (g *graph) u32ToF64(x ref) ref {
	return g.op("VSUBPD", g.op("VPOR", g.op("VPMOVZXDQ", x), g.f64(two52)), g.f64(two52))
}

// u32Bits truncates x, from 0 to below 2^32, to an integer in the lower 32 bits.
func (g *graph) u32Bits(x ref) ref {
	return g.op("VADDPD", g.imm("VROUNDPD", 11, x), g.f64(two52))
}

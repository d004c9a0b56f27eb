package amd64

import "github.com/stridefuse/stridefuse/ir"

// Casts between floats and integers that AVX2 has no instruction for, or whose
// instruction does not saturate. VMAX and VMIN return their second source if one is NaN.
// The conversions to int32 return the least int32 for NaN and beyond the range.

func (t *table) castFloats(single func(from, to ir.DType, f func(g *graph, x ref) ref)) {
	single(ir.Float32, ir.Int32, f32ToI32)
	single(ir.Float32, ir.Uint32, f32ToU32)
	single(ir.Float32, ir.Uint8, func(g *graph, x ref) ref {
		return g.op("VCVTTPS2DQ", g.op("VMINPS", g.op("VMAXPS", x, g.zero()), g.f32(255)))
	})
	t.casts[pair{ir.Float64, ir.Int32}] = joinHalves(f64ToI32)
	t.casts[pair{ir.Float64, ir.Uint8}] = joinHalves(func(g *graph, x ref) ref {
		return g.op("VCVTTPD2DQY", g.op("VMINPD", g.op("VMAXPD", x, g.zero()), g.f64(255)))
	})
	t.casts[pair{ir.Float64, ir.Uint32}] = func(g *graph, v value) value {
		return one(g.isa().evens(g, f64ToU32(g, v.Part[0]), f64ToU32(g, v.Part[1])))
	}
	t.castLong(ir.Int64, f64ToI64, i64ToF64, stickyI64)
	t.castLong(ir.Uint64, f64ToU64, u64ToF64, stickyU64)
}

// castLong makes the casts between floats and integers of 64 bits.
func (t *table) castLong(d ir.DType, fromFloat, toFloat, sticky func(g *graph, x ref) ref) {
	t.casts[pair{ir.Float64, d}] = func(g *graph, v value) value {
		return two(fromFloat(g, v.Part[0]), fromFloat(g, v.Part[1]))
	}
	t.casts[pair{ir.Float32, d}] = func(g *graph, v value) value {
		return t.casts[pair{ir.Float64, d}](g, t.casts[pair{ir.Float32, ir.Float64}](g, v))
	}
	t.casts[pair{d, ir.Float64}] = func(g *graph, v value) value {
		return two(toFloat(g, v.Part[0]), toFloat(g, v.Part[1]))
	}
	t.casts[pair{d, ir.Float32}] = func(g *graph, v value) value {
		odd := func(x ref) ref { return toFloat(g, sticky(g, x)) }
		return g.toSingles(two(odd(v.Part[0]), odd(v.Part[1])))
	}
}

// joinHalves converts two vectors to the halves of one.
func joinHalves(f func(g *graph, x ref) ref) castRow {
	return func(g *graph, v value) value { return one(g.joined(f(g, v.Part[0]), f(g, v.Part[1]))) }
}

// f32ToI32 corrects the conversion for values from 2^31 on: it gives the least int32, whose
// bits are flipped to those of the greatest.
func f32ToI32(g *graph, x ref) ref {
	over := g.imm("VCMPPS", cmpGe, x, g.f32(1<<31))
	r := g.op("VPXOR", g.op("VCVTTPS2DQ", x), over)
	return g.where(g.imm("VCMPPS", cmpOrd, x, x), r)
}

// f32ToU32 subtracts 2^31 from values from 2^31 on, converts, and adds it again.
func f32ToU32(g *graph, x ref) ref {
	t := g.op("VMAXPS", x, g.zero())
	big := g.imm("VCMPPS", cmpGe, t, g.f32(1<<31))
	low := g.op("VSUBPS", t, g.op("VANDPS", big, g.f32(1<<31)))
	r := g.op("VPXOR", g.op("VCVTTPS2DQ", low), g.imm("VPSLLD", 31, big))
	return g.op("VPOR", r, g.imm("VCMPPS", cmpGe, t, g.f32(1<<32)))
}

// f64ToI32 limits values to the greatest int32. Below the range the conversion gives the
// least int32, as it should.
func f64ToI32(g *graph, x ref) ref {
	t := g.where(g.imm("VCMPPD", cmpOrd, x, x), x)
	return g.op("VCVTTPD2DQY", g.op("VMINPD", t, g.f64(1<<31-1)))
}

func f64ToU32(g *graph, x ref) ref {
	return g.u32Bits(g.op("VMINPD", g.op("VMAXPD", x, g.zero()), g.f64(1<<32-1)))
}

// magic64 plus an integer of up to 51 bits is a float64 with the integer in its low bits.
const magic64 = 3 << 51

// f64ToI64 splits the truncated value into hi*2^32 + lo, both exact, and makes integers of
// hi and lo by adding powers of two.
func f64ToI64(g *graph, x ref) ref {
	t := g.imm("VROUNDPD", 11, x)
	hi := g.imm("VROUNDPD", 9, g.op("VMULPD", t, g.f64(0x1p-32)))
	lo := g.op("VFNMADDPD", hi, g.f64(1<<32), t)
	hiBits := g.imm("VPSLLQ", 32, g.op("VADDPD", hi, g.f64(magic64)))
	loBits := g.op("VPXOR", g.op("VADDPD", lo, g.f64(two52)), g.f64(two52))
	r := g.op("VPOR", hiBits, loBits)
	r = g.choose(g.imm("VCMPPD", cmpLt, x, g.f64(-1<<63)), g.i64(-1<<63), r)
	r = g.choose(g.imm("VCMPPD", cmpGe, x, g.f64(1<<63)), g.i64(1<<63-1), r)
	return g.op("VPAND", r, g.imm("VCMPPD", cmpOrd, x, x))
}

// f64ToU64 converts values from 2^63 on with 2^63 taken off.
func f64ToU64(g *graph, x ref) ref {
	t := g.op("VMAXPD", x, g.zero())
	big := g.imm("VCMPPD", cmpGe, t, g.f64(1<<63))
	low := f64ToI64(g, g.op("VSUBPD", t, g.op("VANDPS", big, g.f64(1<<63))))
	r := g.op("VPXOR", low, g.imm("VPSLLQ", 63, big))
	return g.op("VPOR", r, g.imm("VCMPPD", cmpGe, t, g.f64(1<<64)))
}

// u64ToF64 makes floats of the halves: 2^84 + hi*2^32 and 2^52 + lo. Their sum is rounded
// once.
func u64ToF64(g *graph, x ref) ref {
	hi := g.op("VPOR", g.imm("VPSRLQ", 32, x), g.f64(0x1p84))
	lo := g.op("VPOR", g.op("VPAND", x, g.i64(1<<32-1)), g.f64(two52))
	return g.op("VADDPD", g.op("VSUBPD", hi, g.f64(0x1p84+two52)), lo)
}

// i64ToF64 makes floats of the two halves of x by setting the exponents in their bits:
// 2^84 + 2^63 + hi*2^32 and 2^52 + lo. The sum minus the powers of two is rounded once.
func i64ToF64(g *graph, x ref) ref {
	flip := uint64(0x45300000_80000000) // 2^84 + 2^63
	hi := g.op("VPXOR", g.imm("VPSRLQ", 32, x), g.c64(flip))
	lo := g.op("VPOR", g.op("VPAND", x, g.i64(1<<32-1)), g.f64(two52))
	both := g.op("VSUBPD", hi, g.c64(0x45300000_80100000)) // 2^84 + 2^63 + 2^52
	return g.op("VADDPD", both, lo)
}

// stickyI64 replaces the low 11 bits of values of more than 53 bits by one bit that is set
// if any of them was (a sticky bit). The result is exact in float64, and rounding it to
// float32 gives what rounding x to float32 gives.
func stickyI64(g *graph, x ref) ref {
	small := g.op("VPCMPEQQ", g.imm("VPSRLQ", 54, g.op("VPADDQ", x, g.i64(1<<53))), g.zero())
	return g.choose(small, x, odd64(g, x))
}

func stickyU64(g *graph, x ref) ref {
	small := g.op("VPCMPEQQ", g.imm("VPSRLQ", 53, x), g.zero())
	return g.choose(small, x, odd64(g, x))
}

// odd64 clears the low 11 bits and sets the one above if any was set.
func odd64(g *graph, x ref) ref {
	low := g.i64(1<<11 - 1)
	odd := g.op("VPOR", x, g.op("VPADDQ", g.op("VPAND", x, low), low))
	return g.op("VPANDN", low, odd)
}

package ir

import "math"

// exp and tanh. The float32 forms compute in float64 with a polynomial of
// about the degree that float32 would need, and round once: 0.534 and 0.503
// ULP at worst over all inputs. The float64 forms: 0.87 and 1.1 ULP.
//
// Both reduce x = k*ln2 + r with |r| <= ln2/2. k comes from adding magic, which
// leaves it as an integer in the low bits of the sum; shifted by 52 it is an
// addend to the exponent of a float64.

const (
	magic  = 0x1.8p52
	log2e  = 0x1.71547652b82fep+0
	ln2    = 0x1.62e42fefa39efp-1
	ln2Lo  = 0x1.abc9e3b39803fp-56
	one    = 0x3ff0000000000000 // the bits of 1.0
	expLen = 52                 // bits of a float64's fraction
)

var (
	// exp(r), |r| <= 0.3475, relative error below 2^-27.
	expPoly32 = []float64{0x1p0, 0x1.0000009e5592ap0, 0x1.fffffd0e4a291p-2, 0x1.55540722eab12p-3, 0x1.555762a287be5p-5, 0x1.126ed467c116p-7, 0x1.6b7351c6b0807p-10}
	// (exp(r)-1)/r on the same interval.
	expm1Poly32 = []float64{0x1p0, 0x1.00000028b7907p-1, 0x1.5555550bebc98p-3, 0x1.5554abebbbca8p-5, 0x1.11115d8bf7dbcp-7, 0x1.6d765e42d1bf8p-10, 0x1.a071e22c117efp-13}
	// (exp(r)-1-r)/r^2, to float64 accuracy.
	expPoly64 = []float64{0x1p-1, 0x1.55555555554b7p-3, 0x1.5555555553025p-5, 0x1.111111113974ep-7, 0x1.6c16c17d58b4p-10, 0x1.a01a00c73dbcdp-13, 0x1.a019a959a57fp-16, 0x1.71e006c009906p-19, 0x1.28a15d2ba0a53p-22, 0x1.ac17315907898p-26}
	// (tanh(a)-a)/a^3 in a^2, a <= 1.02, to float64 accuracy.
	tanhPoly64 = []float64{-0x1.55555555554e3p-2, 0x1.111111110b773p-3, -0x1.ba1ba1b70630bp-5, 0x1.664f481437b25p-6, -0x1.226e2c1db7711p-7, 0x1.d6d2cd6c3b492p-9, -0x1.7d998f4b6ff95p-10, 0x1.3513b3f4070eap-11, -0x1.f2c16789615d2p-13, 0x1.8c0fe2812b5a4p-14, -0x1.2b90be6613094p-15, 0x1.946adf2d5ebf9p-17, -0x1.b74fb7519d0ebp-19, 0x1.47ad644d0bc1p-21, -0x1.e730780810857p-25}
)

func expandExp(b *Builder, a []Ref) Ref {
	x := a[0]
	if b.DType(x) == Float32 {
		x = b.clamp(x, -104, 89)
		return b.Cast(Float32, b.exp32(b.Cast(Float64, x)))
	}
	return b.exp64(b.clamp(x, -746, 710))
}

// expandTanh works on |x| and puts the sign back, which keeps -0.
func expandTanh(b *Builder, a []Ref) Ref {
	x := a[0]
	dt := b.DType(x)
	t := b.Op(OpAbs, x)
	if dt == Float32 {
		t = b.Cast(Float32, b.tanh32(b.Cast(Float64, b.upTo(t, 10))))
	} else {
		t = b.tanh64(b.upTo(t, 22))
	}
	return b.withSign(t, x)
}

// exp32 is exp in float64 with the accuracy of float32, for -104 <= x <= 89.
func (b *Builder) exp32(x Ref) Ref {
	k, kf := b.scale(x)
	p := b.estrin(b.reduce(x, kf), expPoly32)
	return b.Bitcast(Float64, b.Op(OpAdd, b.toExponent(k), b.Bitcast(Int64, p)))
}

// tanh32 is tanh with the accuracy of float32, for 0 <= x <= 10: with
// m = exp(2x)-1 it is m/(m+2).
func (b *Builder) tanh32(x Ref) Ref {
	x = b.Op(OpAdd, x, x)
	k, kf := b.scale(x)
	r := b.reduce(x, kf)
	p := b.Op(OpMul, r, b.estrin(r, expm1Poly32))
	e := b.powerOf2(b.toExponent(k))
	m := b.Op(OpFMA, e, p, b.Op(OpSub, e, b.f64(1)))
	return b.Op(OpDiv, m, b.Op(OpAdd, m, b.f64(2)))
}

// exp64 is exp for -746 <= x <= 710. The scale is applied in two steps, so
// that results below the normal range are rounded once.
func (b *Builder) exp64(x Ref) Ref {
	k, kf := b.scale(x)
	r := b.Op(OpFMA, kf, b.f64(-ln2Lo), b.reduce(x, kf))
	upper := b.estrin(r, expPoly64[2:])
	p := b.horner(r, []float64{1, 1, expPoly64[0], expPoly64[1]}, upper)
	half := b.Op(OpFMA, kf, b.f64(0.5), b.f64(magic))
	h, rest := b.toExponent(b.Bitcast(Int64, half)), b.toExponent(b.Op(OpSub, k, b.Bitcast(Int64, half)))
	return b.Op(OpMul, b.Op(OpMul, p, b.powerOf2(h)), b.powerOf2(rest))
}

// tanh64 is tanh for 0 <= a <= 22: a polynomial near 0, 1 - 2/(exp(2a)+1)
// beyond, with the rounding of the sum and of the quotient put back.
func (b *Builder) tanh64(a Ref) Ref {
	s := b.Op(OpMul, a, a)
	upper := b.estrin(s, tanhPoly64[4:])
	q := b.horner(s, tanhPoly64[:4], upper)
	near := b.Op(OpFMA, b.Op(OpMul, a, s), q, a)

	e := b.exp64(b.Op(OpAdd, a, a))
	d := b.Op(OpAdd, e, b.f64(1))
	lost := b.Op(OpSub, b.f64(1), b.Op(OpSub, d, e))
	t := b.Op(OpDiv, b.f64(2), d)
	res := b.Op(OpFMA, b.Op(OpNeg, t), lost, b.Op(OpFMA, b.Op(OpNeg, t), d, b.f64(2)))
	t = b.Op(OpFMA, res, b.Op(OpMul, t, b.f64(0.5)), t)
	far := b.Op(OpSub, b.f64(1), t)
	return b.Op(OpSelect, b.Op(OpLt, b.f64(1.02), a), far, near)
}

// scale returns k = round(x/ln2), as the low bits of an int64 and as a float64.
func (b *Builder) scale(x Ref) (k, kf Ref) {
	t := b.Op(OpFMA, x, b.f64(log2e), b.f64(magic))
	return b.Bitcast(Int64, t), b.Op(OpSub, t, b.f64(magic))
}

// reduce returns x - kf*ln2.
func (b *Builder) reduce(x, kf Ref) Ref { return b.Op(OpFMA, kf, b.f64(-ln2), x) }

// toExponent moves an integer to where a float64 has its exponent.
func (b *Builder) toExponent(k Ref) Ref { return b.Op(OpShl, k, b.Int(Int64, expLen)) }

// powerOf2 turns a shifted exponent into the float64 2^k.
func (b *Builder) powerOf2(k Ref) Ref {
	return b.Bitcast(Float64, b.Op(OpAdd, k, b.Const(Int64, one)))
}

// clamp bounds x; NaN stays, which OpMin and OpMax keep too, at more cost.
func (b *Builder) clamp(x Ref, lo, hi float64) Ref {
	least := b.Float(b.DType(x), lo)
	return b.upTo(b.Op(OpSelect, b.Op(OpLt, x, least), least, x), hi)
}

// upTo bounds x from above; NaN stays.
func (b *Builder) upTo(x Ref, hi float64) Ref {
	most := b.Float(b.DType(x), hi)
	return b.Op(OpSelect, b.Op(OpLt, most, x), most, x)
}

// withSign returns magnitude, which has no sign, with the sign of x.
func (b *Builder) withSign(magnitude, x Ref) Ref {
	dt, bits := b.DType(x), Int64
	if dt == Float32 {
		bits = Int32
	}
	sign := b.Op(OpAnd, b.Bitcast(bits, x), b.Const(bits, wrap(bits, math.MinInt64>>(64-8*dt.Size()))))
	return b.Bitcast(dt, b.Op(OpOr, b.Bitcast(bits, magnitude), sign))
}

func (b *Builder) f64(v float64) Ref { return b.Float(Float64, v) }

// horner evaluates c[0] + x*(c[1] + ... x*(c[n-1] + x*top)).
func (b *Builder) horner(x Ref, c []float64, top Ref) Ref {
	for i := len(c) - 1; i >= 0; i-- {
		top = b.Op(OpFMA, top, x, b.f64(c[i]))
	}
	return top
}

// estrin evaluates a polynomial by halves, which shortens the chain of
// dependent operations.
func (b *Builder) estrin(x Ref, c []float64) Ref {
	terms := make([]Ref, len(c))
	for i, v := range c {
		terms[i] = b.f64(v)
	}
	for len(terms) > 1 {
		var next []Ref
		for i := 0; i+1 < len(terms); i += 2 {
			next = append(next, b.Op(OpFMA, terms[i+1], x, terms[i]))
		}
		if len(terms)%2 == 1 {
			next = append(next, terms[len(terms)-1])
		}
		terms = next
		x = b.Op(OpMul, x, x)
	}
	return terms[0]
}

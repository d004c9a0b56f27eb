package elementary

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Reduction of an angle: x = n*step + r with |r| up to about step/2. A step is a half turn or a quarter turn.
//
// Up to 2^30, FMA subtracts the parts of step (Cody and Waite): the first difference is exact, as n*pi/2 and x agree in their leading bits.
// Beyond, x*2/pi is formed from the bits of 2/pi that x's exponent selects (Payne and Hanek 1983): bits whose product with x is a
// multiple of 4 quarter turns are dropped, and the others are multiplied exactly. That path is long and seldom taken.

const (
	quarter   = 0x1.921fb54442d18p+0  // pi/2 in three parts, all positive, so that
	quarterLo = 0x1.1a62633145c06p-54 // -0 less no times each of them is -0
	quarterLs = 0x1.c1cd129024e08p-107
	inverse   = 0x1.45f306dc9c883p-1 // 2/pi
	farFrom   = 0x1p30               // where the long path begins
	far32From = 0x1p16               // the same in lanes of float32
)

// twoOverPi is 2/pi in words of 53 bits.
var twoOverPi = [...]uint64{
	0x145f306dc9c882, 0x14a7f09d5f47d4, 0x1a6ee06db14acc, 0x13c439041fe516, 0x0757bd778ac36e, 0x091b8e909374b8,
	0x00324977504e8c, 0x121cfe1deb1cb1, 0x0534e7dd1046be, 0x14baed1213a671, 0x18135a2fbf209c, 0x191d639835339f,
	0x093908bf177bf2, 0x0a0ec7fe25fff7, 0x102cc07f79788c, 0x0b5a0a6d1f6d36, 0x0fd9e4f96136e9, 0x1d18fd9a797fa8,
	0x16ba93dd63f5f2, 0x1f17b3d0739f78, 0x14a525d4d7f6bf, 0x0c47e357421580, 0x198237e3db5d5f,
}

// grid is the set of angles that an angle is reduced to: (n-shift)*per quarter turns, n integer.
type grid struct{ per, shift float64 }

var (
	halves   = grid{per: 2}             // sine
	midways  = grid{per: 2, shift: 0.5} // cosine
	quarters = grid{per: 1}             // tangent
)

// nearest rounds v*factor to the grid. It returns the result in steps, and n in the low bits of a sum with magic.
func (b *builder) nearest(v kernel.Ref, factor float64, g grid) (at, n kernel.Ref) {
	dt := b.DType(v)
	large, shift := b.Float(dt, magicOf(dt)), b.Float(dt, g.shift)
	if g.shift == 0 {
		n = b.Op(ir.OpFMA, v, b.Float(dt, factor), large)
		return b.Op(ir.OpSub, n, large), n
	}
	n = b.Op(ir.OpAdd, b.Op(ir.OpFMA, v, b.Float(dt, factor), shift), large)
	return b.Op(ir.OpSub, b.Op(ir.OpSub, n, large), shift), n
}

// magicOf returns the number whose sum with an integer has the integer in its low bits.
func magicOf(dt ir.DType) float64 {
	if single(dt) {
		return 0x1.8p23
	}
	return magic
}

// reduceAngle returns n and r of an angle; r is rounded about once. parts are the parts of pi/2. Where far is true the results come from the
// long path.
func (b *builder) reduceAngle(x kernel.Ref, g grid, parts []float64, far kernel.Ref, long farPath) (n, r kernel.Ref) {
	dt := b.DType(x)
	at, n := b.nearest(x, inverse/g.per, g)
	r = x
	for _, p := range parts {
		r = b.Op(ir.OpFMA, at, b.Float(dt, -p*g.per), r)
	}
	nFar, f := long(b, b.Cast(ir.Float64, x), g)
	rFar := b.sum(b.mulPair(f, b.constPair(quarter*g.per, quarterLo*g.per)))
	if single(dt) {
		rFar = b.Cast(dt, rFar)
		nFar = b.Op(ir.OpAdd, b.Cast(dt, b.Op(ir.OpSub, nFar, b.f64(magic))), b.Float(dt, magicOf(dt)))
	}
	return b.Op(ir.OpUnlikely, far, nFar, n), b.Op(ir.OpUnlikely, far, rFar, r)
}

// quadrant32 reduces a float32 to quarter turns. It returns r, and less, by which r exceeds the reduced angle.
func (b *builder) quadrant32(x kernel.Ref) (n, r, less kernel.Ref) {
	p := quarterParts32
	at, n := b.nearest(x, inverse, quarters)
	t := b.Op(ir.OpFMA, at, b.f32(-p[0]), x)
	r = b.Op(ir.OpSub, t, b.Op(ir.OpMul, at, b.f32(p[1]))) // the next line is exact in its difference: t is a multiple of the last place of the product
	less = b.Op(ir.OpFMA, at, b.f32(p[1]), b.Op(ir.OpSub, r, t))
	less = b.Op(ir.OpFMA, at, b.f32(p[2]), less)

	nFar, f := far32(b, b.Cast(ir.Float64, x), quarters)
	w := b.sum(b.mulPair(f, b.constPair(quarter, quarterLo)))
	rFar := b.Cast(ir.Float32, w)
	lessFar := b.Cast(ir.Float32, b.Op(ir.OpSub, b.Cast(ir.Float64, rFar), w))
	nFar = b.Op(ir.OpAdd, b.Cast(ir.Float32, b.Op(ir.OpSub, nFar, b.f64(magic))), b.f32(magic32))
	far := b.isFar(x, far32From)
	seldom := func(y, z kernel.Ref) kernel.Ref { return b.Op(ir.OpUnlikely, far, y, z) }
	return seldom(nFar, n), seldom(rFar, r), seldom(lessFar, less)
}

// quadrantPair reduces x >= 0 to quarters, with r to twice the precision.
func (b *builder) quadrantPair(x kernel.Ref) (n kernel.Ref, r pair) {
	at, n := b.nearest(x, inverse, quarters)
	t := b.Op(ir.OpFMA, at, b.f64(-quarter), x)
	w := b.twoProd(at, b.f64(quarterLo))
	r.hi = b.Op(ir.OpSub, t, w.hi) // the next line is exact: t is a multiple of the last place of w.hi
	r.lo = b.Op(ir.OpSub, b.Op(ir.OpSub, b.Op(ir.OpSub, t, r.hi), w.hi), w.lo)
	r.lo = b.Op(ir.OpFMA, at, b.f64(-quarterLs), r.lo)

	nFar, f := far64(b, x, quarters)
	f = b.mulPair(f, b.constPair(quarter, quarterLo))
	far := b.Op(ir.OpLe, b.f64(farFrom), x)
	seldom := func(y, z kernel.Ref) kernel.Ref { return b.Op(ir.OpUnlikely, far, y, z) }
	return seldom(nFar, n), pair{seldom(f.hi, r.hi), seldom(f.lo, r.lo)}
}

// A farPath reduces a float64 by its bits. It returns n, and the rest in steps.
type farPath func(b *builder, x kernel.Ref, g grid) (n kernel.Ref, f pair)

// far32 is for x from 2^16 on that was a float32. Its 24 bits need three words of 2/pi, from one of two positions.
func far32(b *builder, x kernel.Ref, g grid) (n kernel.Ref, f pair) {
	high := b.Op(ir.OpLe, b.f64(0x1p78), b.Op(ir.OpAbs, x))
	m := b.Op(ir.OpMul, x, b.Op(ir.OpSelect, high, b.f64(0x1p-106/g.per), b.f64(0x1p-53/g.per)))
	w := b.ahead(high, b.words(4), 1, 3)
	turn := 4 / g.per
	top := b.twoProd(b.Op(ir.OpMul, m, b.f64(0x1p53)), w[0])
	mid := b.twoProd(m, w[1])
	rest := b.Op(ir.OpFMA, b.Op(ir.OpMul, m, b.f64(0x1p-53)), w[2], mid.lo)
	s := b.twoSum(b.Op(ir.OpAdd, b.mod(top.hi, turn), b.mod(top.lo, turn)), b.mod(mid.hi, turn))
	at, n := b.nearest(s.hi, 1, g)
	return n, pair{b.Op(ir.OpSub, s.hi, at), b.Op(ir.OpAdd, s.lo, rest)}
}

// far64 is for |x| >= 2^30, with an error below 2^-150: no float64 comes closer
// than 2^-62 to a quarter turn.
//
// x is scaled to 2 <= |m| < 2^54, by 53 binary places at a time, and the words that it selects are moved to the front. The first product
// is then a multiple of 2^-51, so its halves, less multiples of 4, add exactly. The second product is less than 2^54 and the third
// less than 2.
func far64(b *builder, x kernel.Ref, g grid) (n kernel.Ref, f pair) {
	const used = 5
	turn := 4 / g.per
	w := append([]kernel.Ref{b.f64(0)}, b.words(len(twoOverPi))...)
	m := x
	for k := 16; k > 0; k /= 2 {
		high := b.Op(ir.OpLe, b.f64(math.Ldexp(2, 53*k)), b.Op(ir.OpAbs, m))
		w = b.ahead(high, w, k, used+k-1)
		m = b.Op(ir.OpSelect, high, b.Op(ir.OpMul, m, b.f64(math.Ldexp(1, -53*k))), m)
	}
	var p [used]pair
	for j := range p {
		p[j] = b.twoProd(b.Op(ir.OpMul, m, b.f64(math.Ldexp(1/g.per, 53*(1-j)))), w[j])
	}
	top := b.Op(ir.OpAdd, b.mod(p[0].hi, turn), b.mod(p[0].lo, turn))
	head, lost := b.cascade(top, b.mod(p[1].hi, turn), p[2].hi, p[1].lo)
	tail, lost := b.cascade(append(lost, p[2].lo, p[3].hi)...)
	at, n := b.nearest(head, 1, g)
	f = b.twoSum(b.Op(ir.OpSub, head, at), tail)
	for _, v := range append(lost, p[3].lo, p[4].hi) {
		f.lo = b.Op(ir.OpAdd, f.lo, v)
	}
	return n, f
}

// cascade adds terms from the left, and returns the sum and the rounding error of each addition.
func (b *builder) cascade(terms ...kernel.Ref) (sum kernel.Ref, lost []kernel.Ref) {
	sum = terms[0]
	for _, v := range terms[1:] {
		s := b.twoSum(sum, v)
		sum, lost = s.hi, append(lost, s.lo)
	}
	return sum, lost
}

// mod subtracts a multiple of a power of two from x, exactly.
func (b *builder) mod(x kernel.Ref, power float64) kernel.Ref {
	return b.Op(ir.OpFMA, b.Op(ir.OpRound, b.Op(ir.OpMul, x, b.f64(1/power))), b.f64(-power), x)
}

// words returns the first n words of 2/pi, each as a value below 1.
func (b *builder) words(n int) []kernel.Ref {
	w := make([]kernel.Ref, n)
	for i := range w {
		w[i] = b.f64(math.Ldexp(float64(twoOverPi[i]), -53))
	}
	return w
}

// ahead returns n values from w, moved k places ahead where cond is true. Calls with k halved each time index a row of constants by the bits of
// a number.
func (b *builder) ahead(cond kernel.Ref, w []kernel.Ref, k, n int) []kernel.Ref {
	out := make([]kernel.Ref, min(n, len(w)))
	for i := range out {
		out[i] = w[i]
		if i+k < len(w) {
			out[i] = b.Op(ir.OpSelect, cond, w[i+k], w[i])
		}
	}
	return out
}

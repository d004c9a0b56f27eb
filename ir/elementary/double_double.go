package elementary

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// pair is an unevaluated sum hi + lo with |lo| of at most about half the last
// place of hi: twice the precision of its type. Names and proofs: Dekker 1971;
// Knuth, TAOCP 2, 4.2.2; Muller et al., Handbook of Floating-Point Arithmetic.
type pair struct{ hi, lo kernel.Ref }

// constPair returns the constant hi + lo, known to more bits than one float64 holds.
func (b *builder) constPair(hi, lo float64) pair { return pair{b.f64(hi), b.f64(lo)} }

// twoSum returns x + y exactly.
func (b *builder) twoSum(x, y kernel.Ref) pair {
	s := b.Op(ir.OpAdd, x, y)
	t := b.Op(ir.OpSub, s, x)
	return pair{s, b.Op(ir.OpAdd, b.Op(ir.OpSub, x, b.Op(ir.OpSub, s, t)), b.Op(ir.OpSub, y, t))}
}

// fastTwoSum returns x + y exactly if |x| >= |y| or x is 0.
func (b *builder) fastTwoSum(x, y kernel.Ref) pair {
	s := b.Op(ir.OpAdd, x, y)
	return pair{s, b.Op(ir.OpSub, y, b.Op(ir.OpSub, s, x))}
}

// twoProd returns x * y exactly, unless it underflows.
func (b *builder) twoProd(x, y kernel.Ref) pair {
	p := b.Op(ir.OpMul, x, y)
	return pair{p, b.Op(ir.OpFMA, x, y, b.Op(ir.OpNeg, p))}
}

// addPair returns x + y for |x| >= |y| or x = 0.
func (b *builder) addPair(x, y pair) pair {
	s := b.fastTwoSum(x.hi, y.hi)
	return pair{s.hi, b.Op(ir.OpAdd, s.lo, b.Op(ir.OpAdd, x.lo, y.lo))}
}

// mulPair returns x * y.
func (b *builder) mulPair(x, y pair) pair {
	p := b.twoProd(x.hi, y.hi)
	return pair{p.hi, b.Op(ir.OpFMA, x.hi, y.lo, b.Op(ir.OpFMA, x.lo, y.hi, p.lo))}
}

// scalePair returns x * y for a single y.
func (b *builder) scalePair(x pair, y kernel.Ref) pair {
	p := b.twoProd(x.hi, y)
	return pair{p.hi, b.Op(ir.OpFMA, x.lo, y, p.lo)}
}

// scaleSum returns x * y for a single y, rounded.
func (b *builder) scaleSum(x pair, y kernel.Ref) kernel.Ref {
	return b.Op(ir.OpFMA, x.hi, y, b.Op(ir.OpMul, x.lo, y))
}

// divPair returns x / y.
func (b *builder) divPair(x, y pair) pair {
	inv := b.Op(ir.OpDiv, b.Int(b.DType(y.hi), 1), y.hi)
	q := b.Op(ir.OpMul, x.hi, inv)
	minus := b.Op(ir.OpNeg, q)
	rest := b.Op(ir.OpFMA, minus, y.hi, x.hi)
	rest = b.Op(ir.OpAdd, rest, b.Op(ir.OpFMA, minus, y.lo, x.lo))
	return pair{q, b.Op(ir.OpMul, rest, inv)}
}

// sum returns x.hi + x.lo, rounded.
func (b *builder) sum(x pair) kernel.Ref { return b.Op(ir.OpAdd, x.hi, x.lo) }

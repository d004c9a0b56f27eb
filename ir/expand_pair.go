package ir

// pair is an unevaluated sum hi + lo with |lo| of at most about half the last
// place of hi: twice the precision of its type. Names and proofs: Dekker 1971;
// Knuth, TAOCP 2, 4.2.2; Muller et al., Handbook of Floating-Point Arithmetic.
type pair struct{ hi, lo Ref }

// constPair splits the value hi + lo, known to more bits than one float64.
func (b *Builder) constPair(hi, lo float64) pair { return pair{b.f64(hi), b.f64(lo)} }

// twoSum returns x + y exactly.
func (b *Builder) twoSum(x, y Ref) pair {
	s := b.Op(OpAdd, x, y)
	t := b.Op(OpSub, s, x)
	return pair{s, b.Op(OpAdd, b.Op(OpSub, x, b.Op(OpSub, s, t)), b.Op(OpSub, y, t))}
}

// fastTwoSum returns x + y exactly if |x| >= |y| or x is 0.
func (b *Builder) fastTwoSum(x, y Ref) pair {
	s := b.Op(OpAdd, x, y)
	return pair{s, b.Op(OpSub, y, b.Op(OpSub, s, x))}
}

// twoProd returns x * y exactly, unless it underflows.
func (b *Builder) twoProd(x, y Ref) pair {
	p := b.Op(OpMul, x, y)
	return pair{p, b.Op(OpFMA, x, y, b.Op(OpNeg, p))}
}

// addPair returns x + y for |x| >= |y| or x = 0.
func (b *Builder) addPair(x, y pair) pair {
	s := b.fastTwoSum(x.hi, y.hi)
	return pair{s.hi, b.Op(OpAdd, s.lo, b.Op(OpAdd, x.lo, y.lo))}
}

// mulPair returns x * y.
func (b *Builder) mulPair(x, y pair) pair {
	p := b.twoProd(x.hi, y.hi)
	return pair{p.hi, b.Op(OpFMA, x.hi, y.lo, b.Op(OpFMA, x.lo, y.hi, p.lo))}
}

// scalePair returns x * y for a single y.
func (b *Builder) scalePair(x pair, y Ref) pair {
	p := b.twoProd(x.hi, y)
	return pair{p.hi, b.Op(OpFMA, x.lo, y, p.lo)}
}

// scaleSum returns x * y for a single y, rounded.
func (b *Builder) scaleSum(x pair, y Ref) Ref {
	return b.Op(OpFMA, x.hi, y, b.Op(OpMul, x.lo, y))
}

// divPair returns x / y.
func (b *Builder) divPair(x, y pair) pair {
	inv := b.Op(OpDiv, b.Int(b.DType(y.hi), 1), y.hi)
	q := b.Op(OpMul, x.hi, inv)
	minus := b.Op(OpNeg, q)
	rest := b.Op(OpFMA, minus, y.hi, x.hi)
	rest = b.Op(OpAdd, rest, b.Op(OpFMA, minus, y.lo, x.lo))
	return pair{q, b.Op(OpMul, rest, inv)}
}

// sum returns x.hi + x.lo, rounded.
func (b *Builder) sum(x pair) Ref { return b.Op(OpAdd, x.hi, x.lo) }

// renorm makes lo as small as it can be.
func (b *Builder) renorm(x pair) pair { return b.fastTwoSum(x.hi, x.lo) }

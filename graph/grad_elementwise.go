package graph

import (
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Derivatives of elementwise ops that take more than an expression. Those of composed ops are formulas of their own,
// not derivatives of expansions.

func one(x, _, _ Node) Node           { return x.Scalar(1) }
func nought(_, _, _ Node) Node        { return Node{} }
func result(_, _, r Node) Node        { return r }
func firstOperand(x, _, _ Node) Node  { return x }
func secondOperand(_, y, _ Node) Node { return y }

// share returns the part of a cotangent that the chosen operand of a minimum or maximum gets: 1 where it is the result,
// 1/2 where both operands are.
func share(chosen, tie, like Node) Node {
	return Where(chosen, like.Scalar(1), Where(tie, like.Scalar(0.5), 0))
}

// ratioOr0 returns x/r, or 0 where r is 0.
func ratioOr0(x, r Node) Node { return Where(r.Eq(0), 0, x.Div(r)) }

// cosine returns x/r, where r is the length of a vector with the component x: 0 where r is 0, and the sign of x where x
// is infinite.
func cosine(x, r Node) Node { return Where(x.IsInf(), x.Sign(), ratioOr0(x, r)) }

// oneMinusSquare returns 1 - x*x. The product of 1-x and 1+x is accurate near 1.
func oneMinusSquare(x Node) Node { return x.Scalar(1).Sub(x).Mul(x.Add(1)) }

// powerByBase returns y * x^(y-1), or 0 where y is 0.
func powerByBase(x, y, _ Node) Node {
	if y.n.op == ir.OpConst {
		switch k := ir.ToFloat(y.n.typ.DType, y.n.attr.Bits); k {
		case 0:
			return Node{}
		case 1:
			return y
		case 2:
			return x.Mul(2)
		case 3:
			return x.Square().Mul(3)
		default:
			return x.Pow(k - 1).Mul(k)
		}
	}
	return Where(y.Eq(0), 0, x.Pow(y.Sub(1)).Mul(y))
}

// powerByExponent returns x^y * log(x), or 0 where x is 0.
func powerByExponent(x, _, r Node) Node { return r.Mul(Where(x.Eq(0), 0, x.Log())) }

// The slopes of activations have bounds on x beyond which they round to 0 or 1. So no intermediate value overflows, and
// an infinite x has the slope of the limit.

// siluSlope returns s + (1-s)*r, where s is the sigmoid of x.
func siluSlope(x, _, r Node) Node {
	s := x.Sigmoid()
	return s.Scalar(1).Sub(s).FMA(r.Minimum(100), s)
}

// mishSlope returns t + (1-t*t)*sigmoid(x)*x, where t is tanh(softplus(x)).
func mishSlope(x, _, _ Node) Node {
	x = x.Clip(-800, 800)
	t := x.Softplus().Tanh()
	return oneMinusSquare(t).Mul(x.Sigmoid()).FMA(x, t)
}

// geluSlope returns the distribution function of the normal distribution at x plus x times its density.
func geluSlope(x, _, _ Node) Node {
	x = x.Clip(-40, 40)
	below := x.Mul(math.Sqrt2 / 2).Erf().Add(1).Mul(0.5)
	return x.Square().Mul(-0.5).Exp().Mul(1/math.Sqrt(2*math.Pi)).FMA(x, below)
}

// geluTanhSlope returns (1+t)/2 + x*(1-t*t)/2 * u', where t is tanh(u) and u the polynomial of GELUTanh.
func geluTanhSlope(x, _, _ Node) Node {
	const c, cubic = 0.79788456080286535588 /* sqrt(2/pi) */, 0.044715
	x = x.Clip(-10, 10)
	square := x.Square()
	t := square.Mul(c * cubic).Add(c).Mul(x).Tanh()
	slope := square.Mul(3 * c * cubic).Add(c)
	return oneMinusSquare(t).Mul(slope).Mul(x).Add(t).Add(1).Mul(0.5)
}

// The constants of SELU (Klambauer et al., Self-normalizing neural networks, 2017).
const (
	seluScale = 1.0507009873554804934
	seluAlpha = 1.6732632423543772848
)

// celuByAlpha returns expm1(q) - q*exp(q) with q = min(x, 0)/y.
func celuByAlpha(x, y, _ Node) Node {
	q := x.Minimum(0).Div(y)
	return q.Expm1().Sub(q.Mul(q.Exp()))
}

// pullSame passes the cotangent on unchanged.
func pullSame(p *pullback) []Node { return []Node{p.cotangent} }

// pullFMA differentiates x*y + z.
func pullFMA(p *pullback) []Node {
	return []Node{scaled(p.cotangent, p.arg(1), p.guarded), scaled(p.cotangent, p.arg(0), p.guarded), p.cotangent}
}

// pullSelect gives each value the cotangent where it is chosen.
func pullSelect(p *pullback) []Node {
	c := p.arg(0)
	return []Node{{}, Where(c, p.cotangent, 0), Where(c, 0, p.cotangent)}
}

// pullClip differentiates min(max(x, lo), hi).
func pullClip(p *pullback) []Node {
	x, lo, hi := p.arg(0), p.arg(1), p.arg(2)
	m := x.Maximum(lo)
	g := p.cotangent.Mul(share(m.Lt(hi), m.Eq(hi), m))
	return []Node{g.Mul(share(x.Gt(lo), x.Eq(lo), x)), g.Mul(share(lo.Gt(x), x.Eq(lo), x)), p.cotangent.Mul(share(hi.Lt(m), m.Eq(hi), m))}
}

// pullCast converts the cotangent to the type of the operand. The cotangent of an integer stays a float.
func pullCast(p *pullback) []Node {
	dt := p.args[0].typ.DType
	if !ir.Fractions.Has(dt) {
		return []Node{p.cotangent}
	}
	return []Node{p.cotangent.as(cotangentType(dt))}
}

package oracle

import (
	"math"
	"math/big"
)

// calc computes with big.Float at one precision, and records how many bits subtractions have cancelled.
type calc struct {
	prec uint
	lost uint
	at   map[uint]*constants // constants, by precision
}

// constants are the constants for one precision.
type constants struct {
	pi, ln2, ln10 *big.Float
	overFactorial []*big.Float // 1/n!
}

const (
	basePrec = 128
	enough   = 96   // bits that a result must have after cancellation
	mostPrec = 8192 // precision at which a number that still cancels is taken as zero
	guard    = 64   // additional bits for steps that lose some
)

// result evaluates f with as much precision as its cancellations need.
func (c *calc) result(f func(c *calc, x, y *big.Float) *big.Float, x, y *big.Float) *big.Float {
	for c.prec = basePrec; ; {
		c.lost = 0
		z := f(c, x, y)
		if c.prec >= c.lost+enough || c.prec >= mostPrec {
			return z
		}
		c.prec = min(mostPrec, (c.prec+max(c.lost, c.prec/2)+63)/64*64)
	}
}

// finely computes with guard more bits, and rounds.
func (c *calc) finely(bits uint, f func() *big.Float) *big.Float {
	p := c.prec
	c.prec = (p + bits + 63) / 64 * 64
	z := f()
	c.prec = p
	return c.new().Set(z)
}

func (c *calc) new() *big.Float                 { return new(big.Float).SetPrec(c.prec) }
func (c *calc) num(v float64) *big.Float        { return c.new().SetFloat64(v) }
func (c *calc) mul(a, b *big.Float) *big.Float  { return c.new().Mul(a, b) }
func (c *calc) quo(a, b *big.Float) *big.Float  { return c.new().Quo(a, b) }
func (c *calc) neg(a *big.Float) *big.Float     { return c.new().Neg(a) }
func (c *calc) abs(a *big.Float) *big.Float     { return c.new().Abs(a) }
func (c *calc) sqrt(a *big.Float) *big.Float    { return c.new().Sqrt(a) }
func (c *calc) half(a *big.Float) *big.Float    { return c.shift(a, -1) }
func (c *calc) double(a *big.Float) *big.Float  { return c.shift(a, 1) }
func (c *calc) inverse(a *big.Float) *big.Float { return c.quo(c.num(1), a) }

// shift returns a * 2^n.
func (c *calc) shift(a *big.Float, n int) *big.Float { return c.new().SetMantExp(a, n) }

// decimal parses a decimal constant.
func (c *calc) decimal(s string) *big.Float {
	z, _, err := c.new().Parse(s, 10)
	if err != nil {
		panic("BUG: oracle: " + err.Error())
	}
	return z
}

// add returns a+b and records the cancelled bits.
func (c *calc) add(a, b *big.Float) *big.Float {
	z := c.new().Add(a, b)
	if a.Sign()*b.Sign() >= 0 {
		return z
	}
	if z.Sign() == 0 {
		c.lost += c.prec
		return z
	}
	if n := max(a.MantExp(nil), b.MantExp(nil)) - z.MantExp(nil); n > 1 {
		c.lost += uint(n)
	}
	return z
}

func (c *calc) sub(a, b *big.Float) *big.Float { return c.add(a, c.neg(b)) }

// plus returns a + v.
func (c *calc) plus(a *big.Float, v float64) *big.Float { return c.add(a, c.num(v)) }

// below reports whether |a| < 2^n.
func below(a *big.Float, n int) bool { return a.Sign() == 0 || a.MantExp(nil) <= n }

func (c *calc) constants() *constants {
	k := c.at[c.prec]
	if k == nil {
		if c.at == nil {
			c.at = map[uint]*constants{}
		}
		k = &constants{}
		c.at[c.prec] = k
	}
	return k
}

// overFactorial returns 1/0!, 1/1!, ... up to n.
func (c *calc) overFactorial(n int) []*big.Float {
	k := c.constants()
	for i := len(k.overFactorial); i <= n; i++ {
		f := new(big.Int).MulRange(1, int64(i))
		k.overFactorial = append(k.overFactorial, c.inverse(c.new().SetInt(f)))
	}
	return k.overFactorial
}

// terms returns how many terms the series sum t^n/n! needs for the precision, if |t| < 2^-e.
func (c *calc) terms(e int) int {
	bits := 0.0
	for n := 1; ; n++ {
		bits += float64(e) + math.Log2(float64(n))
		if bits > float64(c.prec)+8 {
			return n
		}
	}
}

// pi computes Machin's 16 atan(1/5) - 4 atan(1/239).
func (c *calc) pi() *big.Float {
	k := c.constants()
	if k.pi == nil {
		a, b := c.fixedArc(5, true), c.fixedArc(239, true)
		a.Lsh(a, 4)
		k.pi = c.fromFixed(a.Sub(a, b.Lsh(b, 2)))
	}
	return k.pi
}

// ln2 computes 18 atanh(1/26) - 2 atanh(1/4801) + 8 atanh(1/8749).
func (c *calc) ln2() *big.Float {
	k := c.constants()
	if k.ln2 == nil {
		sum := new(big.Int)
		for n, weight := range map[int64]int64{26: 18, 4801: -2, 8749: 8} {
			a := c.fixedArc(n, false)
			sum.Add(sum, a.Mul(a, big.NewInt(weight)))
		}
		k.ln2 = c.fromFixed(sum)
	}
	return k.ln2
}

func (c *calc) ln10() *big.Float {
	k := c.constants()
	if k.ln10 == nil {
		k.ln10 = c.log(c.num(10))
	}
	return k.ln10
}

// fixedArc returns atan(1/n), or atanh(1/n), times 2^(prec+guard).
func (c *calc) fixedArc(n int64, alternating bool) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), c.prec+guard)
	power.Quo(power, big.NewInt(n))
	square, sum := big.NewInt(n*n), new(big.Int)
	for i := int64(0); power.Sign() != 0; i++ {
		term := new(big.Int).Quo(power, big.NewInt(2*i+1))
		if alternating && i%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
		power.Quo(power, square)
	}
	return sum
}

func (c *calc) fromFixed(i *big.Int) *big.Float {
	z := c.new().SetInt(i)
	return z.SetMantExp(z, -int(c.prec+guard))
}

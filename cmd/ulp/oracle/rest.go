package oracle

import (
	"math"
	"math/big"
)

// quotient returns trunc(x/y) and the remainder, both exact.
func quotient(x, y *big.Float) (q *big.Int, r *big.Float) {
	low := min(lowBit(x), lowBit(y))
	a, _ := new(big.Float).SetMantExp(x, -low).Int(nil)
	b, _ := new(big.Float).SetMantExp(y, -low).Int(nil)
	q, rest := new(big.Int).QuoRem(a, b, new(big.Int))
	r = new(big.Float).SetPrec(uint(max(rest.BitLen(), 64))).SetInt(rest)
	return q, r.SetMantExp(r, low)
}

// lowBit returns the exponent of the last bit of x.
func lowBit(x *big.Float) int { return x.MantExp(nil) - int(x.MinPrec()) }

func (c *calc) fmod(x, y *big.Float) *big.Float {
	if isFar(y) {
		return x
	}
	_, r := quotient(x, y)
	return signed(r, x)
}

func (c *calc) mod(x, y *big.Float) *big.Float {
	if isFar(y) {
		if x.Signbit() != y.Signbit() {
			return y
		}
		return x
	}
	_, r := quotient(x, y)
	if r.Sign() == 0 {
		return signed(r, y)
	}
	if r.Signbit() != y.Signbit() {
		return new(big.Float).SetPrec(4096).Add(r, y)
	}
	return r
}

func (c *calc) floorDiv(x, y *big.Float) *big.Float {
	q, r := quotient(x, y)
	if r.Sign() != 0 && x.Signbit() != y.Signbit() {
		q.Sub(q, big.NewInt(1))
	}
	z := new(big.Float).SetPrec(uint(max(q.BitLen(), 64))).SetInt(q)
	if z.Sign() == 0 && x.Signbit() != y.Signbit() {
		z.Neg(z)
	}
	return z
}

// far stands for an infinity where a function has a limit there.
const far = 1 << 22

func isFar(x *big.Float) bool { return x.MantExp(nil) > far/2 }

// toBig returns x, with an infinity replaced by a number larger than any other.
func toBig(x float64) *big.Float {
	if math.IsInf(x, 0) {
		return new(big.Float).SetMantExp(big.NewFloat(math.Copysign(1, x)), far)
	}
	return new(big.Float).SetFloat64(x)
}

package oracle

import "math"

// Functions in float64 that Go's package math lacks, or computes less accurately: log2 near 1, acos near 1, powers.

func nearLog2(x, _ float64) float64  { return math.Log(x) * math.Log2E }
func nearLog10(x, _ float64) float64 { return math.Log(x) * math.Log10E }
func nearRsqrt(x, _ float64) float64 { return 1 / math.Sqrt(x) }

func nearAcos(x, _ float64) float64 {
	return math.Atan2(math.Sqrt((1-x)*(1+x)), x)
}

func nearAsin(x, _ float64) float64 {
	return math.Atan2(x, math.Sqrt((1-x)*(1+x)))
}

func nearSigmoid(x, _ float64) float64 { return 1 / (1 + math.Exp(-x)) }

func nearSiLU(x, _ float64) float64 {
	if x < -800 { // also for -Inf
		return math.Copysign(0, -1)
	}
	return x * nearSigmoid(x, 0)
}

func nearSoftplus(x, _ float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

func nearGELU(x, _ float64) float64 {
	if x < -100 {
		return math.Copysign(0, -1)
	}
	return x / 2 * math.Erfc(-x/math.Sqrt2)
}

func nearGELUTanh(x, _ float64) float64 {
	u := math.Sqrt(2/math.Pi) * (x + 0.044715*x*x*x)
	return nearGated(x, u+u)
}

// nearGated returns x * sigmoid(u), for u that falls as x rises.
func nearGated(x, u float64) float64 {
	if u < -800 {
		return math.Copysign(0, x)
	}
	return x / (1 + math.Exp(-u))
}

func nearMish(x, _ float64) float64 {
	if x > 40 {
		return x
	}
	if x < -800 {
		return math.Copysign(0, -1)
	}
	e := math.Exp(x)
	n := e * (e + 2)
	return x * (n / (n + 2))
}

func nearELU(x, alpha float64) float64 {
	if x > 0 {
		return x
	}
	return alpha * math.Expm1(x)
}

func nearCELU(x, alpha float64) float64 {
	if x > 0 || math.IsInf(alpha, 0) && !math.IsInf(x, 0) {
		return x
	}
	return alpha * math.Expm1(x/alpha)
}

func nearSELU(x, _ float64) float64 {
	const alpha, lambda = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
	if x > 0 {
		return lambda * x
	}
	return lambda * alpha * math.Expm1(x)
}

func nearHardSwish(x, _ float64) float64 {
	switch {
	case x >= 3:
		return x
	case x <= -3:
		return math.Copysign(0, -1)
	}
	return x * (x + 3) / 6
}

func nearSoftsign(x, _ float64) float64 {
	if math.IsInf(x, 0) {
		return math.Copysign(1, x)
	}
	return x / (1 + math.Abs(x))
}

func nearLogit(x, _ float64) float64 {
	if x > 0.25 && x < 0.75 {
		return math.Log1p((2*x - 1) / (1 - x))
	}
	return math.Log(x / (1 - x))
}

func nearMod(x, y float64) float64 {
	m := math.Mod(x, y)
	switch {
	case m == 0:
		return math.Copysign(0, y)
	case (m < 0) != (y < 0):
		return m + y
	}
	return m
}

// nearFloorDiv returns Python's special values: NaN for the quotient of infinities, and -1 for a number divided by an
// infinity of the other sign.
func nearFloorDiv(x, y float64) float64 {
	switch {
	case math.IsInf(x, 0) && y != 0:
		return math.NaN()
	case math.IsInf(y, 0) && x == x && x != 0 && math.Signbit(x) != math.Signbit(y):
		return -1
	}
	return math.Floor(x / y)
}

// nearPow computes exp(y*log|x|) with the logarithm and the product as pairs of float64, because the error of math.Pow
// grows with y.
func nearPow(x, y float64) float64 {
	if isSpecial(x) || isSpecial(y) || x < 0 && y != math.Trunc(y) {
		return math.Pow(x, y)
	}
	h, l := logPair(math.Abs(x))
	p := y * h
	if math.Abs(p) > 700 { // beyond float32, soon infinite
		return math.Copysign(math.Exp(p), math.Pow(math.Copysign(1, x), y))
	}
	e := math.FMA(y, h, -p) + y*l
	z := math.Exp(p)
	z += z * e
	if x < 0 && math.Abs(math.Mod(y, 2)) == 1 {
		return -z
	}
	return z
}

// logPair returns log(x) as the sum of two float64, to about 2^-90: 2*atanh(s) with s = (m-1)/(m+1), plus the exponent
// times ln2.
func logPair(x float64) (h, l float64) {
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	d, u := m-1, m+1 // d is exact
	ul := 1 - (u - m)
	s := d / u
	sl := (math.FMA(-s, u, d) - s*ul) / u
	q := s * s
	ql := math.FMA(s, s, -q) + 2*s*sl
	// sum of q^n/(2n+1), with the first terms as pairs
	tail := 0.0
	for n := 20; n >= 8; n-- {
		tail = tail*q + 1/float64(2*n+1)
	}
	h = tail
	for n := 7; n >= 0; n-- {
		ph := h * q
		pl := math.FMA(h, q, -ph) + h*ql + l*q
		c := 1 / float64(2*n+1)
		cl := math.FMA(-c, float64(2*n+1), 1) / float64(2*n+1)
		h = c + ph
		l = (ph - (h - c)) + pl + cl
	}
	ph := 2 * s * h
	pl := math.FMA(2*s, h, -ph) + 2*s*l + 2*sl*h
	const ln2, ln2Lo = 0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56
	eh := float64(e) * ln2
	el := math.FMA(float64(e), ln2, -eh) + float64(e)*ln2Lo
	h = eh + ph
	bb := h - eh
	l = (eh - (h - bb)) + (ph - bb) + el + pl
	return h, l
}

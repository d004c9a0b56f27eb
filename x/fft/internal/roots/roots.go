// Package roots has the roots of unity, rounded from about 100 bits.
package roots

import (
	"math"
	"math/bits"
)

// Roots are the n-th roots of unity. Each is the product of two from tables of about √n entries, as sums of two floats.
type Roots struct {
	n         int
	shift     int
	low, high []number
}

// number is a complex number.
type number struct{ re, im double }

// Of returns the n-th roots of unity.
func Of(n int) *Roots {
	r := &Roots{n: n, shift: (bits.Len(uint(n)) + 1) / 2}
	for k := range min(n, 1<<r.shift) {
		r.low = append(r.low, exact(k, n))
	}
	for k := 0; k < n; k += 1 << r.shift {
		r.high = append(r.high, exact(k, n))
	}
	return r
}

// At returns exp(-2πi·k/n), for 0 <= k < n.
func (r *Roots) At(k int) (re, im float64) {
	a, b := r.high[k>>r.shift], r.low[k&(1<<r.shift-1)]
	re = rounded(a.re.times(b.re).plus(a.im.times(b.im).negative()))
	im = rounded(a.re.times(b.im).plus(a.im.times(b.re)))
	return re, im
}

// rounded returns the float nearest to d, or 0 if d is 0 but for the errors of products.
func rounded(d double) float64 {
	if math.Abs(d.high) < 0x1p-80 {
		return 0
	}
	return d.high + d.low
}

// exact returns exp(-2πi·k/n). It takes the sine and the cosine of at most an eighth of a turn.
func exact(k, n int) number {
	quarters := (8*k + n) / (2 * n) // the nearest number of quarters of a turn
	sin, cos := sincos(quarter.times(quotient(4*k-quarters*n, n)))
	switch quarters % 4 {
	case 0:
		return number{cos, sin.negative()}
	case 1:
		return number{sin.negative(), cos.negative()}
	case 2:
		return number{cos.negative(), sin}
	}
	return number{sin, cos}
}

// double is the sum of two floats, the second at most half an ulp of the first (Dekker, A floating-point technique for
// extending the available precision, 1971).
type double struct{ high, low float64 }

var quarter = double{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54} // π/2

func quotient(a, b int) double {
	q := float64(a) / float64(b)
	return double{q, math.FMA(-q, float64(b), float64(a)) / float64(b)}
}

func (d double) negative() double { return double{-d.high, -d.low} }

func (d double) plus(e double) double {
	sum := d.high + e.high
	rest := sum - d.high
	low := (d.high - (sum - rest)) + (e.high - rest) + d.low + e.low
	return normal(sum, low)
}

func (d double) times(e double) double {
	product := float64(d.high * e.high)
	low := math.FMA(d.high, e.high, -product) + (float64(d.high*e.low) + float64(d.low*e.high))
	return normal(product, low)
}

func (d double) over(n float64) double {
	q := d.high / n
	return normal(q, (math.FMA(-q, n, d.high)+d.low)/n)
}

// normal returns the sum of a float and a much smaller one.
func normal(a, b float64) double {
	sum := a + b
	return double{sum, b - (sum - a)}
}

// sincos returns the sine and the cosine of at most π/4, by their series.
func sincos(x double) (sin, cos double) {
	term := double{1, 0}
	for n := 0; n < 30; n++ {
		signed := term
		if n%4 >= 2 {
			signed = term.negative()
		}
		if n%2 == 0 {
			cos = cos.plus(signed)
		} else {
			sin = sin.plus(signed)
		}
		term = term.times(x).over(float64(n + 1))
	}
	return sin, cos
}

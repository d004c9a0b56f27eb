package onnx

import (
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
)

// Numbers that models compute from the sizes of their inputs. Each operation is exact, or reports that it has no exact
// result: then the graph computes it.

// quantity is an extent divided by a power of two, in lowest terms. So 0.5 times a size, rounded down, is an extent.
type quantity struct {
	num graph.Extent
	den int
}

// mostDen is the greatest denominator. A float32 with it is exact up to 8 (24 bits).
const mostDen = 1 << 20

func whole(d graph.Extent) quantity { return quantity{d, 1} }
func integer(n int) quantity        { return whole(ir.Fixed(n)) }

// lowest returns num/den in lowest terms. ok is false if the denominator is too large, or an extent is invalid.
func lowest(num graph.Extent, den int) (q quantity, ok bool) {
	for den > 1 && num.Div(2).Mul(ir.Fixed(2)) == num {
		num, den = num.Div(2), den/2
	}
	return quantity{num, den}, den <= mostDen && num.Err() == nil
}

// quantityOf returns a float, if it is a quantity.
func quantityOf(x float64) (q quantity, ok bool) {
	if n := x * mostDen; n == math.Trunc(n) && math.Abs(n) < 1<<53 && int64(n) == int64(int(n)) {
		return lowest(ir.Fixed(int(n)), mostDen)
	}
	return q, false
}

// fixed returns the number, or false for one that depends on sizes.
func (q quantity) fixed() (float64, bool) {
	n, ok := q.num.Int()
	return float64(n) / float64(q.den), ok
}

// int returns the number of an integer, or false.
func (q quantity) int() (int, bool) {
	n, ok := q.num.Int()
	return n, ok && q.den == 1
}

func (q quantity) neg() quantity { return quantity{ir.Fixed(0).Sub(q.num), q.den} }

func add(a, b quantity) (quantity, bool) {
	den := max(a.den, b.den)
	return lowest(a.num.Mul(ir.Fixed(den/a.den)).Add(b.num.Mul(ir.Fixed(den/b.den))), den)
}

func sub(a, b quantity) (quantity, bool) { return add(a, b.neg()) }

func mul(a, b quantity) (quantity, bool) {
	if a.den > mostDen/b.den {
		return a, false
	}
	return lowest(a.num.Mul(b.num), a.den*b.den)
}

// over returns a/b of floats, for a number b that divides a.
func over(a, b quantity) (quantity, bool) {
	k, fixed := b.num.Int()
	if !fixed || k == 0 {
		return a, false
	}
	num, den := a.num.Mul(ir.Fixed(b.den)), a.den
	if k < 0 {
		num, k = ir.Fixed(0).Sub(num), -k
	}
	for ; k%2 == 0; k /= 2 {
		if den *= 2; den > mostDen {
			return a, false
		}
	}
	if num.Div(k).Mul(ir.Fixed(k)) != num {
		return a, false
	}
	return lowest(num.Div(k), den)
}

// quotient returns a/b of integers, for a number b > 0. Numbers are truncated; anything else must not be negative.
func quotient(a, b quantity) (quantity, bool) {
	k, fixed := b.int()
	n, both := a.int()
	switch {
	case !fixed || k <= 0 || a.den != 1:
		return a, false
	case both:
		return integer(n / k), true
	}
	return whole(a.num.Div(k)), true
}

// modulo returns a modulo a number b > 0, by Python's rule.
func modulo(a, b quantity) (quantity, bool) {
	k, fixed := b.int()
	if !fixed || k <= 0 || a.den != 1 {
		return a, false
	}
	return sub(a, whole(a.num.Div(k).Mul(b.num)))
}

func floor(a quantity) (quantity, bool) { return whole(a.num.Div(a.den)), true }

func ceil(a quantity) (quantity, bool) {
	return whole(a.num.Add(ir.Fixed(a.den - 1)).Div(a.den)), true
}

// truncated rounds towards 0; what is no number must not be negative.
func truncated(a quantity) (quantity, bool) {
	if n, fixed := a.fixed(); fixed && n < 0 {
		return ceil(a)
	}
	return floor(a)
}

// lowerBound returns a lower bound of an extent for all sizes, which are not negative. ok is false if it has none that is
// simple to see.
func lowerBound(d graph.Extent) (n int, ok bool) {
	if n, fixed := d.Int(); fixed {
		return n, true
	}
	if strings.Contains(d.String(), "-") {
		return 0, false
	}
	zero := map[string]int{}
	for _, name := range d.Names() {
		zero[name] = 0
	}
	n, err := d.Bind(zero)
	return n, err == nil
}

// atLeast reports whether a-b >= n/den for all sizes, where den is the greater denominator.
func atLeast(a, b quantity, n int) bool {
	d, ok := sub(a, b)
	if !ok {
		return false
	}
	low, ok := lowerBound(d.num)
	return ok && low >= n
}

// comparison is the truth of a < b, a == b and a > b where it is the same for all sizes; otherwise known is false.
type comparison struct{ less, equal, greater, known bool }

func compare(a, b quantity) (c comparison) {
	switch {
	case a == b:
		c.equal = true
	case atLeast(a, b, 1):
		c.greater = true
	case atLeast(b, a, 1):
		c.less = true
	default:
		return c
	}
	c.known = true
	return c
}

// greaterOf returns the greater of two, if that is the same one for all sizes.
func greaterOf(a, b quantity) (quantity, bool) {
	switch {
	case atLeast(a, b, 0):
		return a, true
	case atLeast(b, a, 0):
		return b, true
	}
	return a, false
}

func lesserOf(a, b quantity) (quantity, bool) {
	switch {
	case atLeast(a, b, 0):
		return b, true
	case atLeast(b, a, 0):
		return a, true
	}
	return a, false
}

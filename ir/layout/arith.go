package layout

import (
	"math"
	"math/bits"
)

// Arithmetic on ints that does not wrap. Sizes, offsets and strides that come from a user or a text go through it.

// AddInt returns a+b, and whether it is within int.
func AddInt(a, b int) (int, bool) {
	c := a + b
	return c, (c > a) == (b > 0) || b == 0
}

// SubInt returns a-b, and whether it is within int.
func SubInt(a, b int) (int, bool) {
	c := a - b
	return c, (c < a) == (b > 0) || b == 0
}

// MulInt returns a*b, and whether it is within int.
func MulInt(a, b int) (int, bool) {
	if a == math.MinInt || b == math.MinInt {
		return a * b, a == 0 || b == 0 || a == 1 || b == 1
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	return a * b, hi == 0 && lo <= math.MaxInt
}

// Advance returns at + steps*stride for steps >= 0. If that exceeds int, it returns the greatest or least int, by the stride's
// sign.
func Advance(at, steps, stride int) int {
	over, reach := bits.Mul(uint(steps), uint(max(stride, -stride)))
	if stride < 0 {
		if over != 0 || reach > uint(at)-uint(math.MaxInt)-1 { // at - MinInt
			return math.MinInt
		}
		return at - int(reach)
	}
	if over != 0 || reach > uint(math.MaxInt)-uint(at) {
		return math.MaxInt
	}
	return at + int(reach)
}

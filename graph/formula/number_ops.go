package formula

import (
	"errors"
	"math"
	"math/bits"
)

// Python's operators on integers of 64 bits and floats.

var (
	errZero     = errors.New("division by zero")
	errNegative = errors.New("a shift by a negative number")
	errComplex  = errors.New("a negative number to a fraction as power is complex")
)

func addInts(x, y int64) (number, error) {
	sum := x + y
	if (sum > x) != (y > 0) && y != 0 {
		return number{}, errRange
	}
	return intNumber(sum), nil
}

func subInts(x, y int64) (number, error) {
	diff := x - y
	if (diff < x) != (y > 0) && y != 0 {
		return number{}, errRange
	}
	return intNumber(diff), nil
}

func mulInts(x, y int64) (number, error) {
	hi, lo := bits.Mul64(magnitude(x), magnitude(y))
	negative := (x < 0) != (y < 0)
	if hi != 0 || lo > math.MaxInt64 && !(negative && lo == 1<<63) {
		return number{}, errRange
	}
	return intNumber(x * y), nil
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

func floorDivInts(x, y int64) (number, error) {
	switch {
	case y == 0:
		return number{}, errZero
	case x == math.MinInt64 && y == -1:
		return number{}, errRange
	}
	q := x / y
	if x%y != 0 && (x < 0) != (y < 0) {
		q--
	}
	return intNumber(q), nil
}

func modInts(x, y int64) (number, error) {
	if y == 0 {
		return number{}, errZero
	}
	if y == -1 {
		return intNumber(0), nil
	}
	r := x % y
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
	return intNumber(r), nil
}

func powInts(x, y int64) (number, error) {
	if y < 0 {
		return powFloats(float64(x), float64(y))
	}
	result := intNumber(1)
	for square := x; ; {
		var err error
		if y&1 != 0 {
			if result, err = mulInts(result.i, square); err != nil {
				return number{}, err
			}
		}
		if y >>= 1; y == 0 {
			return result, nil
		}
		n, err := mulInts(square, square)
		if err != nil {
			return number{}, err
		}
		square = n.i
	}
}

func shiftLeft(x, y int64) (number, error) {
	switch {
	case y < 0:
		return number{}, errNegative
	case y > 63 && x != 0 || y <= 63 && x<<y>>y != x:
		return number{}, errRange
	}
	return intNumber(x << y), nil
}

func shiftRight(x, y int64) (number, error) {
	if y < 0 {
		return number{}, errNegative
	}
	return intNumber(x >> y), nil
}

func divFloats(x, y float64) (number, error) {
	if y == 0 {
		return number{}, errZero
	}
	return floatNumber(x / y), nil
}

// divMod returns the quotient and the remainder of floats as Python defines them. The remainder has the sign of y, even
// if it is 0. The quotient is the integer nearest to (x - remainder)/y, not floor(x/y): 1.0/0.1 rounds to 10, but
// 1.0//0.1 is 9.
func divMod(x, y float64) (quotient, remainder float64) {
	r := math.Mod(x, y) // has the sign of x
	q := (x - r) / y
	switch {
	case r == 0:
		r = math.Copysign(0, y)
	case (r < 0) != (y < 0):
		r += y
		q--
	}
	whole := math.Floor(q)
	if q-whole > 0.5 {
		whole++
	}
	if whole == 0 {
		whole = math.Copysign(0, x/y)
	}
	return whole, r
}

func floorDivFloats(x, y float64) (number, error) {
	if y == 0 {
		return number{}, errZero
	}
	q, _ := divMod(x, y)
	return floatNumber(q), nil
}

func modFloats(x, y float64) (number, error) {
	if y == 0 {
		return number{}, errZero
	}
	_, r := divMod(x, y)
	return floatNumber(r), nil
}

func powFloats(x, y float64) (number, error) {
	switch {
	case x == 0 && y < 0:
		return number{}, errZero
	case x < 0 && y != math.Trunc(y):
		return number{}, errComplex
	}
	return floatNumber(math.Pow(x, y)), nil
}

// unordered is the order of NaN and any number.
const unordered = 2

// order compares numbers exactly, also an integer with a float. It returns -1, 0, 1 or unordered.
func order(x, y number) int {
	if math.IsNaN(x.float()) || math.IsNaN(y.float()) {
		return unordered
	}
	return x.exact().Cmp(y.exact())
}

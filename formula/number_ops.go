package formula

import (
	"cmp"
	"errors"
	"math"
	"math/bits"
)

// The operators of Python on integers of 64 bits and floats.

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

func modFloats(x, y float64) (number, error) {
	if y == 0 {
		return number{}, errZero
	}
	r := math.Mod(x, y)
	if r != 0 && (r < 0) != (y < 0) {
		r += y
	}
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

// unordered is the order of NaN and anything.
const unordered = 2

// comparison returns the operator of a condition on how numbers are ordered: -1, 0, 1, or
// unordered.
func comparison(holds func(order int) bool) foldOp {
	return foldOp{
		func(x, y int64) (number, error) { return boolNumber(holds(cmp.Compare(x, y))), nil },
		func(x, y float64) (number, error) {
			if x != x || y != y {
				return boolNumber(holds(unordered)), nil
			}
			return boolNumber(holds(cmp.Compare(x, y))), nil
		},
	}
}

package formula

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
)

// Python numbers and their operators.

// number is a Python number. It has no element type and takes that of an array beside it. Arithmetic without arrays is
// Python's, but integers have 64 bits; overflow is an error.
type number struct {
	class graph.DType // Bool, Int64 or Float64
	i     int64       // the value of Bool and Int64
	f     float64     // the value of Float64
}

func intNumber(i int64) number     { return number{class: graph.Int64, i: i} }
func floatNumber(f float64) number { return number{class: graph.Float64, f: f} }
func boolNumber(b bool) number {
	if b {
		return number{class: graph.Bool, i: 1}
	}
	return number{class: graph.Bool}
}

// float returns the number as a float.
func (n number) float() float64 {
	if n.class == graph.Float64 {
		return n.f
	}
	return float64(n.i)
}

// exact returns the number, which must not be NaN, without rounding.
func (n number) exact() *big.Float {
	if n.class == graph.Float64 {
		return big.NewFloat(n.f)
	}
	return new(big.Float).SetInt64(n.i)
}

// operand returns the number in the form that graph takes for an element type.
func (n number) operand(dt graph.DType) any {
	switch {
	case dt == graph.Bool:
		return n.float() != 0
	case n.class == graph.Float64:
		return n.f
	}
	return n.i
}

// parseNumber parses a numeral.
func parseNumber(text string) (number, error) {
	if i, err := strconv.ParseInt(text, 0, 64); err == nil && !strings.HasPrefix(text, "0") || text == "0" || isBased(text) && err == nil {
		return intNumber(i), nil
	}
	f, err := strconv.ParseFloat(text, 64)
	switch {
	case isBased(text) || strings.Trim(text, "0123456789_") == "" && (f >= math.MaxInt64 || err != nil):
		return number{}, fmt.Errorf("the integer %s has more than 64 bits, or digits that its base has not", text)
	case err != nil && !errors.Is(err, strconv.ErrRange) || strings.Contains(text, "_"):
		return number{}, fmt.Errorf("%s is no number", text)
	case strings.Trim(text, "0123456789") == "":
		return number{}, fmt.Errorf("%s: an integer does not begin with 0", text)
	}
	return floatNumber(f), nil
}

// isBased reports whether a numeral has a prefix such as 0x.
func isBased(text string) bool {
	return len(text) > 1 && text[0] == '0' && strings.ContainsRune("xXoObB", rune(text[1]))
}

var errRange = errors.New("the integer passes 64 bits: write one of the numbers as a float")

// negated, positive and inverted are Python's unary operators on numbers.
func negated(n number) (number, error) {
	switch {
	case n.class == graph.Float64:
		return floatNumber(-n.f), nil
	case n.i == math.MinInt64:
		return n, errRange
	}
	return intNumber(-n.i), nil
}

func positive(n number) (number, error) {
	if n.class == graph.Bool {
		return intNumber(n.i), nil
	}
	return n, nil
}

func inverted(n number) (number, error) {
	if n.class == graph.Float64 {
		return n, errors.New("~ takes integers and bools")
	}
	return intNumber(^n.i), nil
}

// foldOp has a binary operator on integers and one on floats (nil if it does not take them), or a comparison as a
// condition on the order of numbers.
type foldOp struct {
	ints   func(x, y int64) (number, error)
	floats func(x, y float64) (number, error)
	order  func(order int) bool
}

// folds has Python's binary operators on numbers, by the name of their function.
var folds = map[string]foldOp{
	"add":           {ints: addInts, floats: floatOp(func(x, y float64) float64 { return x + y })},
	"subtract":      {ints: subInts, floats: floatOp(func(x, y float64) float64 { return x - y })},
	"multiply":      {ints: mulInts, floats: floatOp(func(x, y float64) float64 { return x * y })},
	"divide":        {floats: divFloats},
	"floor_divide":  {ints: floorDivInts, floats: floorDivFloats},
	"mod":           {ints: modInts, floats: modFloats},
	"power":         {ints: powInts, floats: powFloats},
	"bitwise_and":   {ints: intOp(func(x, y int64) int64 { return x & y })},
	"bitwise_or":    {ints: intOp(func(x, y int64) int64 { return x | y })},
	"bitwise_xor":   {ints: intOp(func(x, y int64) int64 { return x ^ y })},
	"left_shift":    {ints: shiftLeft},
	"right_shift":   {ints: shiftRight},
	"equal":         {order: func(order int) bool { return order == 0 }},
	"not_equal":     {order: func(order int) bool { return order != 0 }},
	"less":          {order: func(order int) bool { return order == -1 }},
	"less_equal":    {order: func(order int) bool { return order == -1 || order == 0 }},
	"greater":       {order: func(order int) bool { return order == 1 }},
	"greater_equal": {order: func(order int) bool { return order == 1 || order == 0 }},
}

// fold applies a binary operator.
func fold(function string, x, y number) (number, error) {
	op, ok := folds[function]
	switch {
	case !ok:
		return x, fmt.Errorf("%s takes arrays", function)
	case op.order != nil:
		return boolNumber(op.order(order(x, y))), nil
	case op.ints != nil && x.class != graph.Float64 && y.class != graph.Float64:
		n, err := op.ints(x.i, y.i)
		if x.class == graph.Bool && y.class == graph.Bool && strings.HasPrefix(function, "bitwise") {
			n.class = graph.Bool
		}
		return n, err
	case op.floats == nil:
		return x, fmt.Errorf("%s takes integers and bools", function)
	}
	return op.floats(x.float(), y.float())
}

func intOp(f func(x, y int64) int64) func(x, y int64) (number, error) {
	return func(x, y int64) (number, error) { return intNumber(f(x, y)), nil }
}

func floatOp(f func(x, y float64) float64) func(x, y float64) (number, error) {
	return func(x, y float64) (number, error) { return floatNumber(f(x, y)), nil }
}

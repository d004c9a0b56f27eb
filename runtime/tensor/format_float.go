package tensor

import (
	"fmt"
	"math"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// mostDigits is the number of digits after the point in a column.
const mostDigits = 8

// floatColumn chooses exponents and digits for all shown elements together, as NumPy 2's FloatingFormat does.
// Fixed-point numbers have no exponents.
func floatColumn(dt ir.DType, values []any) func(v any) string {
	format, largest, smallest := byte('f'), min(plainBelow(dt), 1e8), 1e-4
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if f := math.Abs(asFloat(v)); f != 0 && !math.IsInf(f, 0) && !math.IsNaN(f) {
			least, most = min(least, f), max(most, f)
		}
	}
	ratio := most / least
	smallest, ratio = rounded(dt, smallest), rounded(dt, ratio) // NumPy compares in the tensor's own precision
	if dt != ir.Fixed16x16 && (most >= largest || most > 0 && (least < smallest || ratio > 1000)) {
		format = 'e'
	}
	whole, digits, tail, special := 0, 0, 0, 0 // longest length of each part
	for _, v := range values {
		if f := asFloat(v); math.IsInf(f, 0) || math.IsNaN(f) {
			special = max(special, len(nonFinite(f)))
			continue
		}
		w, d, e := floatParts(dt, asFloat(v), format, mostDigits)
		whole, digits, tail = max(whole, len(w)), max(digits, len(d)), max(tail, len(e))
	}
	width := whole + 1 + digits + tail
	if whole == 0 {
		width = 0 // no finite elements
	}
	width = max(width, special)
	return func(v any) string {
		f := asFloat(v)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return padLeft(nonFinite(f), width)
		}
		if format == 'e' { // all mantissas have the same digits
			w, d, e := splitFloat(dt, f, format, digits)
			return padLeft(w+"."+d+"e"+e[1:2]+strings.Repeat("0", tail-len(e))+e[2:], width)
		}
		w, d, _ := floatParts(dt, f, format, mostDigits)
		return padLeft(w+"."+d+strings.Repeat(" ", digits-len(d)), width)
	}
}

// plainBelow is the magnitude from which on NumPy prints a scalar with an exponent: where the type no longer holds all
// integers with so many digits.
func plainBelow(dt ir.DType) float64 {
	switch dt {
	case ir.Float16:
		return 1e3
	case ir.BFloat16:
		return 1e2
	case ir.Float64, ir.Fixed16x16: // fixed16x16 has no more than 2^15
		return 1e16
	}
	if dt == ir.Float32 || ir.Minifloats.Has(dt) { // printed as a float32
		return 1e6
	}
	panic(fmt.Sprintf("BUG: tensor: %s is no float type", dt))
}

// floatParts splits the shortest digits of f as splitFloat does. If limit >= 0 it cuts them to limit digits after the
// point.
func floatParts(dt ir.DType, f float64, format byte, limit int) (whole, digits, exponent string) {
	whole, digits, exponent = splitFloat(dt, f, format, -1)
	if limit >= 0 && len(digits) > limit {
		whole, digits, exponent = splitFloat(dt, f, format, limit)
		digits = strings.TrimRight(digits, "0")
	}
	return whole, digits, exponent
}

// splitFloat splits the text of ir.FormatFloat into parts such as "-12", "5" and, in format 'e', "e+03".
func splitFloat(dt ir.DType, f float64, format byte, precision int) (whole, digits, exponent string) {
	text := ir.FormatFloat(dt, f, format, precision)
	if k := strings.IndexByte(text, 'e'); k >= 0 {
		text, exponent = text[:k], text[k:]
	}
	whole, digits, _ = strings.Cut(text, ".")
	return whole, digits, exponent
}

// floatText prints a scalar with all its digits, as NumPy does.
func floatText(dt ir.DType, f float64) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nonFinite(f)
	}
	format, least := byte('f'), 1e-4
	if dt != ir.Fixed16x16 && f != 0 && (math.Abs(f) < least || math.Abs(f) >= plainBelow(dt)) {
		format = 'e'
	}
	whole, digits, exponent := floatParts(dt, f, format, -1)
	if digits == "" && format == 'f' {
		digits = "0"
	}
	if digits != "" {
		digits = "." + digits
	}
	return whole + digits + exponent
}

// asFloat returns the number of a float element.
func asFloat(v any) float64 {
	switch v := v.(type) {
	case Half:
		return float64(v.Float32())
	case BFloat:
		return float64(v.Float32())
	case Fixed:
		return v.Float64()
	case float32:
		return float64(v)
	case float64:
		return v
	}
	panic(fmt.Sprintf("BUG: tensor: %T has no fractions", v))
}

func nonFinite(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case f > 0:
		return "inf"
	}
	return "-inf"
}

package tensor

import (
	"math"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// mostDigits is how many digits after the point a column shows.
const mostDigits = 8

// floatColumn chooses exponents and digits for all shown elements together, as
// NumPy 2's FloatingFormat does.
func floatColumn(dt ir.DType, values []any) func(v any) string {
	bits := 8 * dt.Size()
	format, largest := byte('f'), 1e8
	if dt == ir.Float32 {
		largest = 1e6
	}
	smallest := 1e-4
	least, most := math.Inf(1), 0.0
	for _, v := range values {
		if f := math.Abs(asFloat(v)); f != 0 && !math.IsInf(f, 0) && !math.IsNaN(f) {
			least, most = min(least, f), max(most, f)
		}
	}
	ratio := most / least
	if dt == ir.Float32 { // NumPy compares in the tensor's own precision
		smallest, ratio = float64(float32(smallest)), float64(float32(most)/float32(least))
	}
	if most >= largest || most > 0 && (least < smallest || ratio > 1000) {
		format = 'e'
	}
	whole, digits, tail, special := 0, 0, 0, 0 // the longest of each part
	for _, v := range values {
		if f := asFloat(v); math.IsInf(f, 0) || math.IsNaN(f) {
			special = max(special, len(nonFinite(f)))
			continue
		}
		w, d, e := floatParts(asFloat(v), format, bits, mostDigits)
		whole, digits, tail = max(whole, len(w)), max(digits, len(d)), max(tail, len(e))
	}
	width := whole + 1 + digits + tail
	if whole == 0 {
		width = 0 // nothing finite
	}
	width = max(width, special)
	return func(v any) string {
		f := asFloat(v)
		if math.IsInf(f, 0) || math.IsNaN(f) {
			return padLeft(nonFinite(f), width)
		}
		if format == 'e' { // all mantissas have the same digits
			w, d, e := splitFloat(f, format, digits, bits)
			return padLeft(w+"."+d+"e"+e[1:2]+strings.Repeat("0", tail-len(e))+e[2:], width)
		}
		w, d, _ := floatParts(f, format, bits, mostDigits)
		return padLeft(w+"."+d+strings.Repeat(" ", digits-len(d)), width)
	}
}

// floatParts splits the shortest digits of f, cut to limit after the point when
// limit >= 0, as splitFloat does.
func floatParts(f float64, format byte, bits, limit int) (whole, digits, exponent string) {
	whole, digits, exponent = splitFloat(f, format, -1, bits)
	if limit >= 0 && len(digits) > limit {
		whole, digits, exponent = splitFloat(f, format, limit, bits)
		digits = strings.TrimRight(digits, "0")
	}
	return whole, digits, exponent
}

// splitFloat prints f by strconv.FormatFloat in the parts "-12", "5" and, in
// format 'e', "e+03".
func splitFloat(f float64, format byte, precision, bits int) (whole, digits, exponent string) {
	text := strconv.FormatFloat(f, format, precision, bits)
	if k := strings.IndexByte(text, 'e'); k >= 0 {
		text, exponent = text[:k], text[k:]
	}
	whole, digits, _ = strings.Cut(text, ".")
	return whole, digits, exponent
}

// floatText prints a scalar with all its digits, as NumPy does.
func floatText(f float64, bits int) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nonFinite(f)
	}
	format, least, most := byte('f'), 1e-4, 1e16
	if bits == 32 {
		most = 1e6
	}
	if f != 0 && (math.Abs(f) < least || math.Abs(f) >= most) {
		format = 'e'
	}
	whole, digits, exponent := floatParts(f, format, bits, -1)
	if digits == "" && format == 'f' {
		digits = "0"
	}
	if digits != "" {
		digits = "." + digits
	}
	return whole + digits + exponent
}

func asFloat(v any) float64 {
	if f, ok := v.(float32); ok {
		return float64(f)
	}
	f, _ := v.(float64)
	return f
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

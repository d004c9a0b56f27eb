package ir

import (
	"fmt"
	"math"
	"strconv"
)

// IsElement reports whether bits are an element of d in the form that lane ops use.
func IsElement(d DType, bits uint64) bool {
	if d == Bool {
		return bits <= 1
	}
	return d.Size() > 0 && Wrap(d, int64(bits)) == bits
}

// ConstText returns an element in IR text: floats in the fewest digits that
// give the same bits, and a NaN that is not Go's by its bits.
func ConstText(d DType, bits uint64) string {
	switch {
	case !IsElement(d, bits):
		return fmt.Sprintf("invalid:%#x", bits)
	case d == Bool:
		return strconv.FormatBool(bits != 0)
	case Complements.Has(d):
		return strconv.FormatInt(int64(bits), 10)
	case Fractions.Has(d):
		return floatText(d, bits)
	}
	return strconv.FormatUint(bits, 10)
}

func floatText(d DType, bits uint64) string {
	switch v := ToFloat(d, bits); {
	case v != v && bits == FromFloat(d, math.NaN()):
		return "nan"
	case v != v:
		return fmt.Sprintf("nan:%#x", bits)
	case math.IsInf(v, 0):
		return map[bool]string{true: "inf", false: "-inf"}[v > 0]
	default:
		return FormatFloat(d, v, 'g', -1)
	}
}

// Constant reads the text of an element whose type is not known yet.
func (s *Scanner) Constant() string {
	from := s.Blanks()
	if s.here("nan:0x") {
		if s.Run(IsHex) == "" {
			s.Syntax("hexadecimal digits")
		}
		return s.Text[from:s.Pos]
	}
	for _, word := range [...]string{"nan", "true", "false", "inf", "-inf"} {
		if s.Accept(word) {
			return word
		}
	}
	s.here("-")
	if s.Run(IsDigit) == "" {
		s.Syntax("a constant")
	}
	if s.here(".") && s.Run(IsDigit) == "" {
		s.Syntax("digits after the point")
	}
	if s.here("e") {
		if !s.here("-") {
			s.here("+")
		}
		if s.Run(IsDigit) == "" {
			s.Syntax("the digits of an exponent")
		}
	}
	return s.Text[from:s.Pos]
}

// ParseConst returns the bits of an element from its text.
func ParseConst(d DType, text string) (uint64, error) {
	if err := d.Check(); err != nil {
		return 0, err
	}
	bits, err := uint64(0), error(nil)
	size := d.Bits()
	switch {
	case d == Bool && (text == "true" || text == "false"):
		bits = FromBool(text == "true")
	case Complements.Has(d):
		var v int64
		v, err = strconv.ParseInt(text, 10, size)
		bits = uint64(v)
	case (Unsigned | Subbytes).Has(d):
		bits, err = strconv.ParseUint(text, 10, size)
	case Fractions.Has(d):
		bits, err = parseFloat(d, text)
	default:
		err = strconv.ErrSyntax
	}
	if err != nil {
		return 0, fmt.Errorf("%.60s is not an element of %s", text, d)
	}
	return bits, nil
}

func parseFloat(d DType, text string) (uint64, error) {
	if len(text) > 4 && text[:4] == "nan:" {
		bits, err := strconv.ParseUint(text[4:], 0, d.Bits())
		if v := ToFloat(d, bits); err == nil && v == v {
			err = strconv.ErrSyntax
		}
		return bits, err
	}
	if !d.Native() {
		return parseNarrow(d, text)
	}
	v, err := strconv.ParseFloat(text, d.Bits())
	return FromFloat(d, v), err
}

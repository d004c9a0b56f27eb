package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tokens. The input is a text and an offset, the output the token there and the offset after it.

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	end tokenKind = iota
	name
	numeral
	quoted // text is without the quotes
	operator
)

// token is a lexical unit of a formula.
type token struct {
	kind tokenKind
	text string
	at   int // offset of its first byte
}

// operators are the punctuation tokens. Longer ones come before their prefixes.
var operators = strings.Fields("... ** // << >> <= >= == != + - * / % @ & | ^ ~ < > ( ) [ ] , : . =")

// scan returns the token at an offset, after skipping space, and the offset after it. msg describes a mistake, or is
// empty.
func scan(text string, at int) (t token, next int, msg string) {
	at = len(text) - len(strings.TrimLeft(text[at:], " \t\r\n"))
	rest := text[at:]
	if rest == "" {
		return token{end, "", at}, at, ""
	}
	length := 0
	kind := operator
	switch c := rest[0]; {
	case isLetter(c):
		kind, length = name, span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		kind, length = numeral, numeralLength(rest)
	case c == '\'' || c == '"':
		length = strings.IndexByte(rest[1:], c)
		if length < 0 {
			return token{end, "", at}, at, "the quote is not closed"
		}
		return token{quoted, rest[1 : 1+length], at}, at + length + 2, ""
	default:
		for _, op := range operators {
			if strings.HasPrefix(rest, op) {
				return token{operator, op, at}, at + len(op), ""
			}
		}
		r, _ := utf8.DecodeRuneInString(rest)
		return token{end, "", at}, at, stray(r)
	}
	return token{kind, rest[:length], at}, at + length, ""
}

// stray describes a character that begins no token.
func stray(r rune) string {
	switch {
	case r == '!':
		return "! is no operator: for bools it is ~"
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return "this byte is no part of a formula"
	}
	return string(r) + " is no part of a formula"
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// span returns the number of leading bytes that satisfy a condition.
func span(s string, in func(byte) bool) int {
	n := 0
	for n < len(s) && in(s[n]) {
		n++
	}
	return n
}

// numeralLength returns the length of a Python number: 12, 1_000, 0xff, 1.5, .5, 1e-3.
func numeralLength(s string) int {
	word := func(c byte) bool { return isLetter(c) || isDigit(c) }
	if len(s) > 1 && s[0] == '0' && isLetter(s[1]) && s[1]|0x20 != 'e' && s[1] != '_' {
		return span(s, word)
	}
	for n := 0; ; n++ {
		n += span(s[n:], func(c byte) bool { return word(c) || c == '.' })
		exponent := n > 0 && s[n-1]|0x20 == 'e' && n < len(s) && (s[n] == '+' || s[n] == '-')
		if !exponent {
			return n
		}
	}
}

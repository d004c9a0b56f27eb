package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseError is a mistake in IR text. Syntax says that the text is outside the
// grammar (grammar.ebnf); without it the text is well formed and its meaning is
// wrong: an unknown name, a type that does not follow.
type ParseError struct {
	Line, Col int // from 1; Col in bytes
	Syntax    bool
	Msg       string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg)
}

// scanner reads IR text from left to right. The first error sticks and moves
// it to the end, where every method finds nothing.
type scanner struct {
	text string
	pos  int
	bad  *ParseError

	syntaxOnly bool // overlooks wrong meanings: for tests of the grammar
}

// syntax reports text outside the grammar at the present place.
func (s *scanner) syntax(want string) {
	s.blanks()
	s.report(s.pos, true, fmt.Sprintf("found %s, want %s", s.found(), want))
}

// refuse reports a wrong meaning of the text that begins at a place.
func (s *scanner) refuse(at int, format string, args ...any) {
	s.report(at, false, fmt.Sprintf(format, args...))
}

func (s *scanner) report(at int, syntax bool, msg string) {
	if s.syntaxOnly && !syntax {
		return
	}
	if s.bad == nil {
		before := s.text[:at]
		s.bad = &ParseError{
			Line:   1 + strings.Count(before, "\n"),
			Col:    at - strings.LastIndexByte(before, '\n'),
			Syntax: syntax,
			Msg:    msg,
		}
	}
	s.pos = len(s.text)
}

func (s *scanner) err() error {
	if s.bad == nil {
		return nil
	}
	return s.bad
}

// found describes the text at the present place, at most a word of it.
func (s *scanner) found() string {
	rest := s.text[s.pos:]
	if rest == "" {
		return "the end of the text"
	}
	n := 0
	for n < min(len(rest), 20) && isWordByte(rest[n]) {
		n++
	}
	return strconv.Quote(rest[:max(n, 1)])
}

func isWordByte(c byte) bool { return isDigit(c) || isLetter(c) }
func isDigit(c byte) bool    { return '0' <= c && c <= '9' }
func isHex(c byte) bool      { return isDigit(c) || 'a' <= c && c <= 'f' }
func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// blanks skips to the next character of the line and returns its place.
func (s *scanner) blanks() int {
	s.run(func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' })
	return s.pos
}

// run takes the characters that are of a class.
func (s *scanner) run(class func(byte) bool) string {
	from := s.pos
	for s.pos < len(s.text) && class(s.text[s.pos]) {
		s.pos++
	}
	return s.text[from:s.pos]
}

// here takes literal text that begins right here.
func (s *scanner) here(literal string) bool {
	if !strings.HasPrefix(s.text[s.pos:], literal) {
		return false
	}
	s.pos += len(literal)
	return true
}

// accept takes a literal after blanks; a word only as a whole.
func (s *scanner) accept(literal string) bool {
	from := s.blanks()
	if !s.here(literal) {
		return false
	}
	if isWordByte(literal[len(literal)-1]) && s.pos < len(s.text) && isWordByte(s.text[s.pos]) {
		s.pos = from
		return false
	}
	return true
}

func (s *scanner) want(literal string) {
	if !s.accept(literal) {
		s.syntax(strconv.Quote(literal))
	}
}

// next returns the next character after blanks, or 0 at the end.
func (s *scanner) next() byte {
	if s.blanks() < len(s.text) {
		return s.text[s.pos]
	}
	return 0
}

// word reads a letter and then letters and digits.
func (s *scanner) word(want string) string {
	if !isLetter(s.next()) {
		s.syntax(want)
	}
	return s.run(isWordByte)
}

// quoted reads a string in Go's double quotes.
func (s *scanner) quoted() string {
	if s.next() == '"' {
		if q, err := strconv.QuotedPrefix(s.text[s.pos:]); err == nil {
			s.pos += len(q)
			text, _ := strconv.Unquote(q)
			return text
		}
	}
	s.syntax("a string in double quotes")
	return ""
}

// name reads a word or a string.
func (s *scanner) name(want string) string {
	if s.next() == '"' {
		return s.quoted()
	}
	return s.word(want)
}

// integer reads a decimal number, perhaps negative.
func (s *scanner) integer() int {
	from := s.blanks()
	s.here("-")
	return s.decimal(from)
}

// offset reads a number that begins with its sign.
func (s *scanner) offset() int {
	from := s.blanks()
	if !s.here("-") && !s.here("+") {
		s.syntax("an offset, + or - and a number")
	}
	return s.decimal(from)
}

// decimal reads digits; the number, with its sign, begins at a place.
func (s *scanner) decimal(from int) int {
	if s.run(isDigit) == "" {
		s.syntax("an integer")
		return 0
	}
	n, err := strconv.Atoi(s.text[from:s.pos])
	if err != nil {
		s.refuse(from, "the number %.40s passes int", s.text[from:s.pos])
	}
	return n
}

// extent reads a number or a formula of named sizes, by ParseDim.
func (s *scanner) extent() Dim {
	from := s.blanks()
	depth := 0 // ) ends an extent unless it has an ( for it
	text := s.run(func(c byte) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth >= 0 && (isWordByte(c) || strings.IndexByte("+-*/()", c) >= 0)
	})
	if text == "" {
		s.syntax("an extent")
		return Dim{}
	}
	d, err := ParseDim(text)
	if err != nil {
		s.refuse(from, "%.200v", err)
	}
	return d
}

// list reads items between brackets, at most limit of them.
func (s *scanner) list(brackets string, limit int, item func()) {
	open, end := brackets[:1], brackets[1:]
	s.want(open)
	if s.accept(end) {
		return
	}
	for n := 1; s.bad == nil; n++ {
		if from := s.blanks(); n > limit {
			s.refuse(from, "more than %d in a list", limit)
		}
		item()
		if s.accept(end) {
			return
		}
		if !s.accept(",") {
			s.syntax(`"," or ` + strconv.Quote(end))
		}
	}
}

// integers reads a list of numbers.
func (s *scanner) integers(brackets string) []int {
	out := []int{}
	s.list(brackets, MaxRank, func() { out = append(out, s.integer()) })
	return out
}

package ir

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// ParseError is an error in IR text. Syntax says that the text is outside the grammar (grammar.ebnf). Otherwise the text is well
// formed and its meaning is wrong: an unknown name, for example, or a type other than the inferred one.
type ParseError struct {
	Line, Col int // from 1; Col in bytes
	Syntax    bool
	Msg       string
}

func (e *ParseError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Col, e.Msg)
}

// Scanner reads IR text from left to right. It keeps the first error and moves to the end of the text, where every method finds
// nothing.
type Scanner struct {
	Text string
	Pos  int
	Bad  *ParseError

	marks map[string]int // positions of parts of the text; nil if nobody asks

	SyntaxOnly bool // ignores wrong meanings: for tests of the grammar
}

// NewScanner returns a scanner at the beginning of a text.
func NewScanner(text string) *Scanner { return &Scanner{Text: text} }

// Syntax reports that the text at the present position is outside the grammar.
func (s *Scanner) Syntax(want string) {
	s.Blanks()
	s.report(s.Pos, true, fmt.Sprintf("found %s, want %s", s.found(), want))
}

// Refuse reports that the text at a position has a wrong meaning.
func (s *Scanner) Refuse(at int, format string, args ...any) {
	s.report(at, false, fmt.Sprintf(format, args...))
}

func (s *Scanner) report(at int, syntax bool, msg string) {
	if s.SyntaxOnly && !syntax {
		return
	}
	if s.Bad == nil {
		s.Bad = s.parseError(at, syntax, msg)
	}
	s.Pos = len(s.Text)
}

// parseError returns an error at a position.
func (s *Scanner) parseError(at int, syntax bool, msg string) *ParseError {
	before := s.Text[:at]
	return &ParseError{
		Line:   1 + strings.Count(before, "\n"),
		Col:    at - strings.LastIndexByte(before, '\n'),
		Syntax: syntax,
		Msg:    msg,
	}
}

func (s *Scanner) Err() error {
	if s.Bad == nil {
		return nil
	}
	return s.Bad
}

// found returns a description of the text at the present position, at most a word of it.
func (s *Scanner) found() string {
	rest := s.Text[s.Pos:]
	if rest == "" {
		return "the end of the text"
	}
	n := 0
	for n < min(len(rest), 20) && IsWordByte(rest[n]) {
		n++
	}
	return strconv.Quote(rest[:max(n, 1)])
}

func IsWordByte(c byte) bool { return IsDigit(c) || isLetter(c) }
func IsDigit(c byte) bool    { return '0' <= c && c <= '9' }
func IsHex(c byte) bool      { return IsDigit(c) || 'a' <= c && c <= 'f' }
func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// Blanks skips blanks and returns the position of the next character.
func (s *Scanner) Blanks() int {
	s.Run(func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' })
	return s.Pos
}

// Run reads the characters of a class.
func (s *Scanner) Run(class func(byte) bool) string {
	from := s.Pos
	for s.Pos < len(s.Text) && class(s.Text[s.Pos]) {
		s.Pos++
	}
	return s.Text[from:s.Pos]
}

// here reads a literal that begins at the present position.
func (s *Scanner) here(literal string) bool {
	if !strings.HasPrefix(s.Text[s.Pos:], literal) {
		return false
	}
	s.Pos += len(literal)
	return true
}

// Accept skips blanks and reads a literal. It accepts a word only as a whole.
func (s *Scanner) Accept(literal string) bool {
	from := s.Blanks()
	if !s.here(literal) {
		return false
	}
	if IsWordByte(literal[len(literal)-1]) && s.Pos < len(s.Text) && IsWordByte(s.Text[s.Pos]) {
		s.Pos = from
		return false
	}
	return true
}

func (s *Scanner) Want(literal string) {
	if !s.Accept(literal) {
		s.Syntax(strconv.Quote(literal))
	}
}

// Next returns the next character after blanks, or 0 at the end.
func (s *Scanner) Next() byte {
	if s.Blanks() < len(s.Text) {
		return s.Text[s.Pos]
	}
	return 0
}

// Word reads a letter and then letters and digits.
func (s *Scanner) Word(want string) string {
	if !isLetter(s.Next()) {
		s.Syntax(want)
	}
	return s.Run(IsWordByte)
}

// Quoted reads a string in Go's double quotes.
func (s *Scanner) Quoted() string {
	if s.Next() == '"' {
		if q, err := strconv.QuotedPrefix(s.Text[s.Pos:]); err == nil {
			s.Pos += len(q)
			text, _ := strconv.Unquote(q)
			return text
		}
	}
	s.Syntax("a string in double quotes")
	return ""
}

// Name reads a word or a string.
func (s *Scanner) Name(want string) string {
	if s.Next() == '"' {
		return s.Quoted()
	}
	return s.Word(want)
}

// Integer reads a decimal number, perhaps negative.
func (s *Scanner) Integer() int {
	from := s.Blanks()
	s.here("-")
	return s.decimal(from)
}

// Offset reads a number that begins with its sign.
func (s *Scanner) Offset() int {
	from := s.Blanks()
	if !s.here("-") && !s.here("+") {
		s.Syntax("an offset, + or - and a number")
	}
	return s.decimal(from)
}

// decimal reads digits. The number, with its sign, begins at position from.
func (s *Scanner) decimal(from int) int {
	if s.Run(IsDigit) == "" {
		s.Syntax("an integer")
		return 0
	}
	n, err := strconv.Atoi(s.Text[from:s.Pos])
	if err != nil {
		s.Refuse(from, "the number %.40s passes int", s.Text[from:s.Pos])
	}
	return n
}

// Extent reads a number or a formula of named sizes, as ParseDim does.
func (s *Scanner) Extent() Dim {
	from := s.Blanks()
	depth := 0 // ) ends an extent unless it has an ( for it
	text := s.Run(func(c byte) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return depth >= 0 && (IsWordByte(c) || strings.IndexByte("+-*/()", c) >= 0)
	})
	if text == "" {
		s.Syntax("an extent")
		return Dim{}
	}
	d, err := ParseDim(text)
	if err != nil {
		s.Refuse(from, "%.200v", err)
	}
	return d
}

// List reads items between brackets, at most limit of them.
func (s *Scanner) List(brackets string, limit int, item func()) {
	open, end := brackets[:1], brackets[1:]
	s.Want(open)
	if s.Accept(end) {
		return
	}
	for n := 1; s.Bad == nil; n++ {
		if from := s.Blanks(); n > limit {
			s.Refuse(from, "more than %d in a list", limit)
		}
		item()
		if s.Accept(end) {
			return
		}
		if !s.Accept(",") {
			s.Syntax(`"," or ` + strconv.Quote(end))
		}
	}
}

// Integers reads a list of numbers.
func (s *Scanner) Integers(brackets string) []int {
	out := []int{}
	s.List(brackets, layout.MaxRank, func() { out = append(out, s.Integer()) })
	return out
}

package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parseHeader reads the text of a header: a Python dict with the keys descr (a string),
// fortran_order (a bool) and shape (a tuple of integers), in any order.
func parseHeader(text string) (h header, err error) {
	s := scanner{rest: text}
	seen := map[string]bool{}
	s.expect("{")
	for !s.accept("}") && s.err == nil {
		key := s.quoted()
		s.expect(":")
		switch {
		case s.err != nil:
		case seen[key]:
			s.fail("key %q twice", key)
		case key == "descr":
			h.element, h.fields = s.elementType()
		case key == "fortran_order":
			h.fortran = s.boolean()
		case key == "shape":
			h.shape = s.tuple()
		default:
			s.fail("unknown key %q", key)
		}
		seen[key] = true
		if !s.accept(",") {
			s.expect("}")
			break
		}
	}
	if s.err == nil && strings.TrimSpace(s.rest) != "" {
		s.fail("text after the dict")
	}
	if s.err == nil && len(seen) != 3 {
		s.err = errors.New("header: descr, fortran_order or shape is missing")
	}
	return h, s.err
}

// scanner reads the tokens of a header. It keeps the first mistake, after which all
// methods return zero values.
type scanner struct {
	depth int // of records in records
	rest  string
	err   error
}

func (s *scanner) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf("header: "+format, args...)
	}
}

// accept consumes a token if it comes next.
func (s *scanner) accept(token string) bool {
	s.rest = strings.TrimLeft(s.rest, " \t\n")
	rest, ok := strings.CutPrefix(s.rest, token)
	if s.err == nil && ok {
		s.rest = rest
		return true
	}
	return false
}

func (s *scanner) expect(token string) {
	if !s.accept(token) {
		s.fail("%q expected at %.20q", token, s.rest)
	}
}

// quoted reads a string without escapes.
func (s *scanner) quoted() string {
	mark := "'"
	if !s.accept(mark) {
		mark = `"`
		s.expect(mark)
	}
	text, rest, ok := strings.Cut(s.rest, mark)
	if !ok {
		s.fail("a string without an end")
	}
	if s.err != nil {
		return ""
	}
	s.rest = rest
	return text
}

// elementType reads the name of an element type, or the fields of records.
func (s *scanner) elementType() (element, []field) {
	if s.accept("[") {
		return element{}, s.fields()
	}
	descr := s.quoted()
	if s.err != nil {
		return element{}, nil
	}
	e, err := parseElement(descr)
	if s.err == nil {
		s.err = err
	}
	return e, nil
}

func (s *scanner) boolean() bool {
	if s.accept("True") {
		return true
	}
	s.expect("False")
	return false
}

// tuple reads integers in parentheses. Python 2 wrote an L after long integers.
func (s *scanner) tuple() []int {
	shape := []int{}
	s.expect("(")
	for s.err == nil && !s.accept(")") {
		s.accept("") // skips spaces
		end := strings.IndexFunc(s.rest, func(c rune) bool { return c < '0' || c > '9' })
		n, err := strconv.Atoi(s.rest[:max(end, 0)])
		if errors.Is(err, strconv.ErrRange) {
			s.fail("the extent %s passes int", s.rest[:end])
			break
		}
		if err != nil {
			s.fail("an extent expected at %.20q", s.rest)
			break
		}
		shape, s.rest = append(shape, n), s.rest[end:]
		s.accept("L")
		if !s.accept(",") {
			s.expect(")")
			break
		}
	}
	return shape
}

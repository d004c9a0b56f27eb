package ir

import (
	"errors"
	"fmt"
	"strings"
)

// Violation is a broken invariant that a verifier found. At names what it is about as the parser of the text does (Scanner.Mark),
// from the whole to the part: "step 3 in 1" is input 1 of step 3.
type Violation struct{ At, Msg string }

func (v *Violation) Error() string { return v.Msg }

// Mark records the position of a part of the text under the name that violations have for it.
func (s *Scanner) Mark(name any, at int) {
	if s.marks != nil && s.Bad == nil {
		s.marks[fmt.Sprint(name)] = at
	}
}

// Locate returns err with each Violation in it replaced by a *ParseError, which has the violation's place in a text that read
// reads, and nil for nil. A violation of something that the text does not show has the place of the whole that it is a part of, or none.
func Locate(err error, text string, read func(*Scanner)) error {
	if err == nil {
		return nil
	}
	s := NewScanner(text)
	s.marks = map[string]int{}
	s.EmptyLines()
	s.Mark("", s.Pos)
	read(s)
	return s.locate(err)
}

func (s *Scanner) locate(err error) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range all.Unwrap() {
			out = append(out, s.locate(e))
		}
		return errors.Join(out...)
	}
	var v *Violation
	if !errors.As(err, &v) {
		return err
	}
	for name := v.At; ; name = name[:max(0, strings.LastIndexByte(name, ' '))] {
		if at, ok := s.marks[name]; ok {
			return s.parseError(at, false, err.Error())
		}
	}
}

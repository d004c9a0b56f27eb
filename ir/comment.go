package ir

import (
	"path/filepath"
	"strconv"
	"strings"
)

// EndLine reads the end of a line and of empty lines after it. A comment may
// be a position in a user's source.
func (s *Scanner) EndLine() Pos {
	s.Blanks()
	comment := s.comment()
	if s.Next() != '\n' {
		s.Syntax("the end of the line")
	}
	s.EmptyLines()
	return parsePos(comment)
}

// EmptyLines skips blanks, line ends and comments.
func (s *Scanner) EmptyLines() {
	for s.Next() == '\n' || s.comment() != "" {
		s.here("\n")
	}
}

// comment reads // and the rest of the line.
func (s *Scanner) comment() string {
	if !strings.HasPrefix(s.Text[s.Pos:], "//") {
		return ""
	}
	return s.Run(func(c byte) bool { return c != '\n' })
}

// Comment returns the trailing comment of a line, or "". A file name that is
// more than plain text is quoted.
func (p Pos) Comment() string {
	if p.File == "" {
		return ""
	}
	name := filepath.Base(p.File)
	if q := strconv.Quote(name); q != `"`+name+`"` || strings.HasPrefix(name, " ") {
		name = q
	}
	return "// " + name + ":" + strconv.Itoa(p.Line)
}

// Trailing is Comment after a space, for the end of a line; "" if the position is unknown.
func (p Pos) Trailing() string {
	if c := p.Comment(); c != "" {
		return " " + c
	}
	return ""
}

// parsePos parses the text that Comment returns. Any other comment gives the zero Pos.
func parsePos(comment string) Pos {
	text, ok := strings.CutPrefix(strings.TrimRight(comment, " \t\r"), "// ")
	colon := strings.LastIndexByte(text, ':')
	if !ok || colon <= 0 {
		return Pos{}
	}
	line, err := strconv.Atoi(text[colon+1:])
	if err != nil {
		return Pos{}
	}
	name := text[:colon]
	if q, err := strconv.Unquote(name); err == nil && name[0] == '"' {
		name = q
	}
	return Pos{File: name, Line: line}
}

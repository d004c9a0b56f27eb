package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stridefuse/stridefuse/graph"
)

// The error of a formula, and how it shows the position of the mistake.

// Error is a mistake in a formula: what is wrong, and where.
type Error struct {
	Pos    graph.Pos // where Parse was called
	Text   string    // the formula
	Offset int       // byte offset of the mistake in Text
	Msg    string
}

// Error returns the message, the formula, and a caret below the mistake:
//
//	main.go:12: formula: there is no function sqr: did you mean sqrt?
//		2*a + sqr(b)
//		      ^
func (e *Error) Error() string {
	line, before := e.line()
	text := "formula: " + e.Msg + "\n\t" + line + "\n\t" + blank(before) + "^"
	if p := e.Pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
}

// Column returns the column of the mistake in its line, from 1, in characters.
func (e *Error) Column() int {
	_, offset := e.split()
	return 1 + utf8.RuneCountInString(e.Text[e.Offset-offset:e.Offset])
}

// shown is the number of bytes of a long line that are shown on each side of the caret.
const shown = 60

// line returns the line of the mistake and the part of it before the mistake. A long line is cut around the mistake.
func (e *Error) line() (line, before string) {
	line, offset := e.split()
	begin, end := 0, len(line)
	if offset > shown {
		begin = runeStart(line, offset-shown)
	}
	if end > offset+shown {
		end = runeStart(line, offset+shown)
	}
	return strings.ToValidUTF8(line[begin:end], "?"), strings.ToValidUTF8(line[begin:offset], "?")
}

// split returns the line of the mistake, and its offset in the line.
func (e *Error) split() (line string, offset int) {
	begin := strings.LastIndexByte(e.Text[:e.Offset], '\n') + 1
	line, _, _ = strings.Cut(e.Text[begin:], "\n")
	return strings.TrimSuffix(line, "\r"), min(e.Offset-begin, len(strings.TrimSuffix(line, "\r")))
}

// runeStart returns the offset of the first byte of the character that contains byte i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// blank returns spaces of the width of a text; tabs stay tabs.
func blank(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return r
		}
		return ' '
	}, s)
}

// reason returns the message of a Node's error, without its source line.
func reason(err error) string {
	if e, ok := err.(*graph.Error); ok {
		return (&graph.Error{Op: e.Op, Msg: e.Msg}).Error()
	}
	return fmt.Sprint(err)
}

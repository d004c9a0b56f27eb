package formula

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir"
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
	text := "formula: " + e.Msg + ir.Caret(e.split())
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

// split returns the line of the mistake, and its offset in the line.
func (e *Error) split() (line string, offset int) {
	begin := strings.LastIndexByte(e.Text[:e.Offset], '\n') + 1
	line, _, _ = strings.Cut(e.Text[begin:], "\n")
	line = strings.TrimSuffix(line, "\r")
	return line, min(e.Offset-begin, len(line))
}

// reason returns the message of a Node's error, without its source line.
func reason(err error) string {
	if e, ok := err.(*graph.Error); ok {
		return (&graph.Error{Op: e.Op, Msg: e.Msg}).Error()
	}
	return fmt.Sprint(err)
}

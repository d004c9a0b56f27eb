package ir

import (
	"fmt"
	"strconv"
)

// Error is an error in a graph or a run: its position, the op or call, and what to do.
type Error struct {
	Pos Pos
	Op  string // the call in lower case, with its name if it has one: "add", "run", "run net", "input x"; "" if unknown
	Msg string

	cause error // an *IndexError, the error of a context, or nil
}

// ErrorOf returns an error with the text of another one, which it wraps.
func ErrorOf(pos Pos, op string, cause error) *Error {
	return &Error{Pos: pos, Op: op, Msg: cause.Error(), cause: cause}
}

// Unwrap returns the IndexError or the error of a context that caused the error, or nil.
func (e *Error) Unwrap() error { return e.cause }

func (e *Error) Error() string {
	text := e.Msg
	if e.Op != "" {
		text = e.Op + ": " + text
	}
	if p := e.Pos.String(); p != "" {
		text = p + ": " + text
	}
	return text
}

// Format prints the error; %+v prints the whole path of its file, for editors that jump
// to it.
func (e *Error) Format(s fmt.State, verb rune) {
	text := e.Error()
	if p := e.Pos.String(); verb == 'v' && s.Flag('+') && p != "" {
		text = e.Pos.File + ":" + strconv.Itoa(e.Pos.Line) + text[len(p):]
	}
	if verb == 'q' {
		text = strconv.Quote(text)
	}
	fmt.Fprint(s, text)
}

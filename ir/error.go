package ir

import (
	"fmt"
	"strconv"
)

// Error is a mistake in a graph or a run: where, in what, and what to do.
type Error struct {
	Pos Pos
	Op  string // what was called, in lower case, with its name if it has one: "add", "run", "run net", "input x"; "" where that is not known
	Msg string

	index *IndexError // that it is made of, or nil
}

// Unwrap returns the IndexError that the error is made of, or nil.
func (e *Error) Unwrap() error {
	if e.index == nil {
		return nil
	}
	return e.index
}

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

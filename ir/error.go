package ir

import (
	"fmt"
	"strconv"
)

// Error is a mistake in a graph: where, in which op, and what to do.
type Error struct {
	Pos Pos
	Op  Op
	Msg string
}

func (e *Error) Error() string {
	text := e.Msg
	if e.Op != OpInvalid {
		text = e.Op.Method() + ": " + text
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

package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/stridefuse/stridefuse/ir"
)

// Mistakes in texts of programs, shown with their place.

// mistake is an error in a text. It prints as file:line:column, the message, the line and a caret below the mistake.
type mistake struct {
	file string // "" if the text is of no file
	ir.ParseError
	text string // the line
}

func (m *mistake) Error() string {
	file := m.file
	if file != "" {
		file += ":"
	}
	return file + m.ParseError.Error() + ir.Caret(m.text, m.Col-1)
}

// inText adds the name of the file to an error. A mistake in the text gets its place there.
func (t *tool) inText(err error) error { return inFile(err, t.arg, t.dump, t.before) }

// inFile returns an error about a part of a text, which begins behind some lines.
func inFile(err error, file, text string, before int) error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		var out []error
		for _, e := range all.Unwrap() {
			out = append(out, inFile(e, file, text, before))
		}
		return errors.Join(out...)
	}
	var in *ir.ParseError
	if errors.As(err, &in) {
		m := &mistake{file, *in, ""}
		m.Line += before
		if lines := strings.Split(text, "\n"); m.Line <= len(lines) {
			m.text = strings.TrimRight(lines[m.Line-1], "\r")
		}
		return m
	}
	return fmt.Errorf("%s: %w", file, err)
}

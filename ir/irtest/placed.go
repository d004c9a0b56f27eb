package irtest

import (
	"errors"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"
)

// RequirePlaced fails unless every violation in an error that ir.Locate returned has a place behind the first line of the text,
// where the name of the program stands, or is about the arena, which is named there.
func RequirePlaced(t require.TestingT, err error) {
	all := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		all = joined.Unwrap()
	}
	for _, e := range all {
		var at *ir.ParseError
		require.True(t, errors.As(e, &at), "%v has no place", e)
		require.False(t, at.Line == 1 && at.Col == 1, "%v has no place", e)
	}
}

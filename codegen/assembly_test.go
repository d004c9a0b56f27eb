package codegen

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestJoinLines joins the instructions between labels, comments and parameters.
func TestJoinLines(t *testing.T) {
	text := "TEXT ·k(SB), NOSPLIT, $0-8\n\t// a comment\n\tMOVQ    f+0(FP), CX\n\tMOVQ 8(CX), SI\n\tJLE  done\n\ndone:\n\tVZEROUPPER\n\tRET\n\nDATA c<>+0(SB)/8, $1\n"
	want := "TEXT ·k(SB), NOSPLIT, $0-8\n\t// a comment\n\tMOVQ f+0(FP), CX\n\tMOVQ 8(CX), SI; JLE done\n\ndone:\n\tVZEROUPPER; RET\n\nDATA c<>+0(SB)/8, $1\n"
	require.Equal(t, want, string(joinLines([]byte(text))))
	require.Equal(t, want, string(joinLines([]byte(want))), "lines that are joined stay")
}

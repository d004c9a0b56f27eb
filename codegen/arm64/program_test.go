package arm64

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestText has Go's assembler assemble a program with a frame, constants and a loop.
func TestText(t *testing.T) {
	var p Program
	p.do(OpFrame, x(0))
	p.do(OpPool, x(1))
	p.do("LDR.Q", v(0), mem(at(1, p.constant(1, 2))))
	p.do("STR.Q", v(0), mem(p.local(16)))
	p.here("loop")
	p.do("SUBS", x(0), x(0), imm(1))
	p.do("BNE", label("loop"))
	p.do("RET")
	text, err := p.text("f")
	require.NoError(t, err)
	require.Contains(t, text, "WORD $0x3dc00020 // ldr q0, [x1]")
	text = strings.ReplaceAll(strings.ReplaceAll(text, "NOSPLIT", "4"), "RODATA|NOPTR", "24")
	var got []string
	for _, w := range goWords(t, text) {
		got = append(got, fmt.Sprintf("%08x", w))
	}
	require.Contains(t, got, "3d8007e0", "str q0, [sp, #16] in a frame of 32 bytes")
	require.Contains(t, got, "f1000400")
}

// TestNoForm asks for an instruction that does not exist, and one with an operand that no form has.
func TestNoForm(t *testing.T) {
	for _, l := range []Line{{Op: "FNONE"}, {Op: "LDR.Q", Args: []Arg{v(0), mem(at(1, 1000))}}, {Op: "FADD.4S", Args: []Arg{v(0), v(1)}}} {
		_, err := l.text("")
		require.Error(t, err, l.Op)
	}
}

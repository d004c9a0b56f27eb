package arm64

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// TestEncode compares a program of all kinds of jumps, forward and back, with the words of Go's assembler.
func TestEncode(t *testing.T) {
	var p Program
	p.do("CBZ", x(1), label("end"))
	p.do(OpAlign, imm(16))
	p.here("loop")
	p.do("SUBS", x(0), x(0), imm(1))
	p.do("TBNZ", x(0), imm(3), label("loop"))
	p.do("BEQ", label("end"))
	p.do("ADD", x(2), x(2), x(0))
	p.do("TBZ", x(0), imm(40), label("end"))
	p.do("B", label("loop"))
	p.here("end")
	p.do("CBNZ", x(1), label("loop"))
	p.do("RET")
	text, err := p.text("f")
	require.NoError(t, err)
	code, err := p.encode()
	require.NoError(t, err)
	want := goWords(t, "#define NOSPLIT 4\n"+text)
	for i, w := range want {
		require.Equal(t, fmt.Sprintf("%08x", w), fmt.Sprintf("%08x", binary.LittleEndian.Uint32(code[4*i:])), "word %d", i)
	}
	require.Len(t, code, aligned(4*len(want), CodeAlign))
}

// TestEncodePool finds the argument and the constants where the code looks for them.
func TestEncodePool(t *testing.T) {
	var p Program
	p.do(OpFrame, x(3))
	p.do(OpPool, x(1))
	p.do("LDR.Q", v(0), mem(at(1, p.constant(1, 2))))
	p.do("RET")
	p.do("RET")
	code, err := p.encode()
	require.NoError(t, err)
	require.Equal(t, uint32(0xf94007e3), binary.LittleEndian.Uint32(code), "ldr x3, [sp, #8]")
	require.Equal(t, uint32(0x100000e1), binary.LittleEndian.Uint32(code[4:]), "adr x1, #28")
	require.Equal(t, []byte{1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}, code[32:])
}

// TestEncodeFar refuses a jump whose distance has no room in its word, and one to a label that does not exist.
func TestEncodeFar(t *testing.T) {
	for words, ok := range map[int]bool{1<<13 - 1: true, 1 << 13: false} {
		var p Program
		p.do("TBZ", x(0), imm(0), label("end"))
		for range words - 1 {
			p.do("RET")
		}
		p.here("end")
		_, err := p.encode()
		require.Equal(t, ok, err == nil, "%d words: %v", words, err)
	}
	var p Program
	p.do("B", label("nowhere"))
	_, err := p.encode()
	require.ErrorContains(t, err, "no label nowhere")
}

// TestAssembleBody refuses what it does not assemble: a micro-kernel without a body.
func TestAssembleBody(t *testing.T) {
	c, err := kernel.ParseCode("dot f32")
	require.NoError(t, err)
	require.False(t, NEON().EmitsBody(c))
	_, err = NEON().AssembleBody(c)
	require.ErrorIs(t, err, errNone)
}

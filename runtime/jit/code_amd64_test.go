//go:build linux && !purego && !nojit

package jit

import "encoding/binary"

// Machine code by hand. Each kernel loads its frame from 8(SP) into CX first.

// adds is a kernel that adds n to the int32 at its first operand.
func adds(n uint32) []byte {
	return binary.LittleEndian.AppendUint32(begin(
		0x48, 0x8b, 0x41, 0x10, // MOVQ 16(CX), AX
		0x81, 0x00), n, // ADDL $n, (AX)
	)
}

// begin returns code that loads the frame and goes on with some bytes.
func begin(rest ...byte) []byte { return append([]byte{0x48, 0x8b, 0x4c, 0x24, 0x08}, rest...) }

// ret ends code.
func ret(b []byte) []byte { return append(b, 0xc3) }

// spins is a kernel that counts Rows down to 0.
var spins = ret(begin(
	0x48, 0x8b, 0x11, // MOVQ (CX), DX
	0x48, 0xff, 0xca, // DECQ DX
	0x75, 0xfb, // JNE
))

// clobbers is a kernel that leaves no register as it was which it may change, and uses all of its stack.
var clobbers = ret(begin(
	0x45, 0x31, 0xf6, // XORL R14, R14
	0x31, 0xed, // XORL BP, BP
	0x66, 0x45, 0x0f, 0x76, 0xff, // PCMPEQL X15, X15
	0x48, 0x89, 0x4c, 0x24, 0x10, // MOVQ CX, 16(SP)
	0x48, 0x89, 0x8c, 0x24, 0x08, 0x10, 0x00, 0x00, // MOVQ CX, 4104(SP)
))

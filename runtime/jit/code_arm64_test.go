//go:build linux && !purego && !nojit

package jit

import "encoding/binary"

// Machine code by hand. Each kernel loads its frame from 8(SP) into R0 first.

// adds is a kernel that adds n, less than 2^32, to the int32 at its first operand.
func adds(n uint32) []byte {
	return begin(
		0xf9400801,             // MOVD 16(R0), R1
		0x52800002|n&0xffff<<5, // MOVZ $n, R2
		0x72a00002|n>>16<<5,    // MOVK $(n>>16<<16), R2
		0xb9400023,             // MOVWU (R1), R3
		0x0b020063,             // ADDW R2, R3, R3
		0xb9000023,             // MOVW R3, (R1)
	)
}

// begin returns code that loads the frame and goes on with some words.
func begin(rest ...uint32) (b []byte) {
	for _, w := range append([]uint32{0xf94007e0}, rest...) {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return b
}

// ret ends code.
func ret(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, 0xd65f03c0) }

// spins is a kernel that counts Rows down to 0.
var spins = ret(begin(
	0xf9400001, // MOVD (R0), R1
	0xf1000421, // SUBS $1, R1, R1
	0x54ffffe1, // BNE
))

// clobbers is a kernel that leaves no register as it was which it may change, and uses all of its stack.
var clobbers = ret(func() []byte {
	code := begin(
		0xf9000be0, // MOVD R0, 16(SP)
		0xf90807e0, // MOVD R0, 4104(SP)
	)
	for i := range uint32(32) {
		if i < 28 && i != 18 {
			code = binary.LittleEndian.AppendUint32(code, 0xaa1f03e0|i) // MOVD ZR, Ri
		}
		code = binary.LittleEndian.AppendUint32(code, 0x6f00e400|i) // MOVI $0, Vi.D2
	}
	return code
}())

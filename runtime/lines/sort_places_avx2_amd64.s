//go:build amd64 && !purego

#include "textflag.h"
#include "sort_keys_amd64.h"

// The places of the least elements of a line, and words of keys and places.

// The lanes of four bytes.
DATA lanes<>+0(SB)/8, $0x0000000100000000
DATA lanes<>+8(SB)/8, $0x0000000300000002
DATA lanes<>+16(SB)/8, $0x0000000500000004
DATA lanes<>+24(SB)/8, $0x0000000700000006
GLOBL lanes<>(SB), RODATA|NOPTR, $32

// func least32(from unsafe.Pointer, to *uint32, vectors, at int, flipped, positive, most uint32) int
TEXT ·least32(SB), NOSPLIT, $0-56
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVQ at+24(FP), AX
	MOVL flipped+32(FP), DX
	VMOVDQU lanes<>(SB), Y10
	SPREAD32(AX, X11, Y11)
	VPADDD Y10, Y11, Y11 // places
	MOVL $8, R8
	SPREAD32(R8, X10, Y10)
	SPREAD32(DX, X15, Y15)
	MOVL positive+36(FP), AX
	MOVL most+40(FP), DX
	XORL $0x80000000, AX
	XORL $0x80000000, DX
	SPREAD32(AX, X14, Y14) // for signed numbers
	SPREAD32(DX, X13, Y13)
	VPXOR Y12, Y12, Y12
	LEAQ ·lesserFirst32(SB), R9
	MOVQ DI, R11

vector:
	VMOVDQU (SI), Y0
	NEGATIVE32
	VPXOR Y14, Y0, Y0
	VPCMPGTD Y13, Y0, Y0
	VMOVMSKPS Y0, AX
	VPMOVZXBD (R9)(AX*8), Y0
	VPERMD Y11, Y0, Y0
	VMOVDQU Y0, (DI) // also places that are not wanted
	VPADDD Y10, Y11, Y11
	POPCNTL AX, AX
	SUBQ $8, AX
	SHLQ $2, AX
	SUBQ AX, DI
	ADDQ $32, SI
	DECQ CX
	JNE  vector
	SUBQ R11, DI
	SHRQ $2, DI
	MOVQ DI, ret+48(FP)
	VZEROUPPER
	RET

// func least64(from unsafe.Pointer, to *uint32, vectors, at int, flipped, positive, most uint64) int
TEXT ·least64(SB), NOSPLIT, $0-64
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVQ at+24(FP), AX
	MOVQ flipped+32(FP), DX
	VMOVDQU lanes<>(SB), Y10
	SPREAD32(AX, X11, Y11)
	VPADDD Y10, Y11, Y11 // places
	MOVL $4, R8
	SPREAD32(R8, X10, Y10)
	SPREAD64(DX, X15, Y15)
	MOVQ positive+40(FP), AX
	MOVQ most+48(FP), DX
	BTCQ $63, AX
	BTCQ $63, DX
	SPREAD64(AX, X14, Y14) // for signed numbers
	SPREAD64(DX, X13, Y13)
	VPXOR Y12, Y12, Y12
	LEAQ ·lesserFirst32(SB), R9
	MOVQ DI, R11

vector:
	VMOVDQU (SI), Y0
	NEGATIVE64
	VPXOR Y14, Y0, Y0
	VPCMPGTQ Y13, Y0, Y0
	VMOVMSKPD Y0, AX
	ORL  $0xf0, AX
	VPMOVZXBD (R9)(AX*8), Y0
	VPERMD Y11, Y0, Y0
	VMOVDQU X0, (DI) // also places that are not wanted
	VPADDD Y10, Y11, Y11
	POPCNTL AX, AX
	SUBQ $8, AX
	SHLQ $2, AX
	SUBQ AX, DI
	ADDQ $32, SI
	DECQ CX
	JNE  vector
	SUBQ R11, DI
	SHRQ $2, DI
	MOVQ DI, ret+56(FP)
	VZEROUPPER
	RET

// func words32(from unsafe.Pointer, to *uint64, vectors, at int, flipped, positive, zero, infinity uint32)
TEXT ·words32(SB), NOSPLIT, $0-48
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVQ at+24(FP), AX
	SPREAD32(AX, X11, Y11)
	VPADDD lanes<>(SB), Y11, Y11 // places
	MOVL $8, AX
	SPREAD32(AX, X10, Y10)
	MOVL flipped+32(FP), AX
	SPREAD32(AX, X15, Y15)
	MOVL positive+36(FP), AX
	SPREAD32(AX, X14, Y14)
	MOVL zero+40(FP), AX
	SPREAD32(AX, X9, Y9)
	MOVL infinity+44(FP), AX
	SPREAD32(AX, X8, Y8)
	VPXOR Y12, Y12, Y12
	VPCMPEQD Y13, Y13, Y13

vector:
	VMOVDQU (SI), Y0
	VPCMPEQD Y9, Y0, Y2
	VPANDN Y0, Y2, Y0 // -0 is +0
	VPADDD Y0, Y0, Y2
	VPMINUD Y8, Y2, Y3
	VPCMPEQD Y3, Y2, Y2
	VPXOR Y13, Y2, Y2 // NaNs
	NEGATIVE32
	VPXOR Y14, Y0, Y0
	VPOR Y2, Y0, Y0
	VPUNPCKLDQ Y0, Y11, Y2
	VPUNPCKHDQ Y0, Y11, Y3
	VPERM2I128 $0x20, Y3, Y2, Y0
	VPERM2I128 $0x31, Y3, Y2, Y1
	VMOVDQU Y0, (DI)
	VMOVDQU Y1, 32(DI)
	VPADDD Y10, Y11, Y11
	ADDQ $32, SI
	ADDQ $64, DI
	DECQ CX
	JNE  vector
	VZEROUPPER
	RET

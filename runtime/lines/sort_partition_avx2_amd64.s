//go:build amd64 && !purego

#include "textflag.h"

// The partitions of a quicksort, of unsigned keys. The compares of AVX2 are signed, so the first bit is inverted.

DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4
DATA sign64<>+0(SB)/8, $0x8000000000000000
GLOBL sign64<>(SB), RODATA|NOPTR, $8

// func partition32(from, to unsafe.Pointer, n int, pivot uint32) int
//
// R8 is where the greater keys begin. DX is how many bytes of keys are left, negative: there is as much room between
// both parts, and the lesser keys end at R8+DX. Each vector, its lesser lanes first, is stored at both ends of the room.
// That is right for a room of one vector and of two and more, so keys that fill no vector come first.
TEXT ·partition32(SB), NOSPLIT, $0-40
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ n+16(FP), DX
	MOVL pivot+24(FP), BX
	MOVQ DX, CX
	SHLQ $2, DX
	ADDQ DX, SI
	LEAQ (DI)(DX*1), R8
	NEGQ DX
	LEAQ ·lesserFirst32(SB), R9
	VPBROADCASTD sign32<>(SB), Y14
	VMOVQ BX, X15
	VPBROADCASTD X15, Y15
	VPXOR Y14, Y15, Y15

	// The keys that fill no vector come first. Other lanes of theirs are stored into the room.
	ANDQ $7, CX
	MOVL $1, R10
	SHLL CX, R10
	DECL R10
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	VPCMPGTD Y15, Y1, Y1
	VMOVMSKPS Y1, AX
	ANDL R10, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, -32(R8)
	XORL $255, R10
	ORL  AX, R10
	VPMOVZXBD (R9)(R10*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, (R8)(DX*1)
	POPCNTL AX, AX
	SHLQ $2, AX
	SUBQ AX, R8
	LEAQ (DX)(CX*4), DX

	TESTQ DX, DX
	JEQ  done

vector:
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	VPCMPGTD Y15, Y1, Y1
	VMOVMSKPS Y1, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y0
	POPCNTL AX, AX
	VMOVDQU Y0, (R8)(DX*1)
	VMOVDQU Y0, -32(R8)
	SHLQ $2, AX
	SUBQ AX, R8
	ADDQ $32, DX
	JNE  vector

done:
	SUBQ DI, R8
	SHRQ $2, R8
	MOVQ R8, ret+32(FP)
	VZEROUPPER
	RET

// func partition64(from, to unsafe.Pointer, n int, pivot uint64) int
TEXT ·partition64(SB), NOSPLIT, $0-40
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ pivot+24(FP), BX
	MOVQ DX, CX
	SHLQ $3, DX
	ADDQ DX, SI
	LEAQ (DI)(DX*1), R8
	NEGQ DX
	LEAQ ·lesserFirst64(SB), R9
	VPBROADCASTQ sign64<>(SB), Y14
	VMOVQ BX, X15
	VPBROADCASTQ X15, Y15
	VPXOR Y14, Y15, Y15

	// The keys that fill no vector come first. Other lanes of theirs are stored into the room.
	ANDQ $3, CX
	MOVL $1, R10
	SHLL CX, R10
	DECL R10
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	VPCMPGTQ Y15, Y1, Y1
	VMOVMSKPD Y1, AX
	ANDL R10, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, -32(R8)
	XORL $15, R10
	ORL  AX, R10
	VPMOVZXBD (R9)(R10*8), Y2
	VPERMD Y0, Y2, Y2
	VMOVDQU Y2, (R8)(DX*1)
	POPCNTL AX, AX
	SHLQ $3, AX
	SUBQ AX, R8
	LEAQ (DX)(CX*8), DX

	TESTQ DX, DX
	JEQ  done

vector:
	VMOVDQU (SI)(DX*1), Y0
	VPXOR Y14, Y0, Y1
	VPCMPGTQ Y15, Y1, Y1
	VMOVMSKPD Y1, AX
	VPMOVZXBD (R9)(AX*8), Y2
	VPERMD Y0, Y2, Y0
	POPCNTL AX, AX
	VMOVDQU Y0, (R8)(DX*1)
	VMOVDQU Y0, -32(R8)
	SHLQ $3, AX
	SUBQ AX, R8
	ADDQ $32, DX
	JNE  vector

done:
	SUBQ DI, R8
	SHRQ $3, R8
	MOVQ R8, ret+32(FP)
	VZEROUPPER
	RET

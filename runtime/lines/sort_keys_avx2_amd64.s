//go:build amd64 && !purego

#include "textflag.h"
#include "sort_keys_amd64.h"

// Elements of four and eight bytes to exact keys and back.

// func keys32(from, to unsafe.Pointer, vectors int, flipped, positive, nans, zero uint32) int
TEXT ·keys32(SB), NOSPLIT, $0-48
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVL flipped+24(FP), AX
	SPREAD32(AX, X15, Y15)
	MOVL positive+28(FP), AX
	SPREAD32(AX, X14, Y14)
	MOVL nans+32(FP), AX
	SPREAD32(AX, X13, Y13)
	MOVL zero+36(FP), AX
	SPREAD32(AX, X11, Y11)
	VPXOR Y12, Y12, Y12
	VPXOR Y10, Y10, Y10 // which lanes had the zero
	VPXOR Y9, Y9, Y9    // which lanes had a NaN, where elements are floats

vector:
	VMOVDQU (SI), Y0
	VPCMPEQD Y11, Y0, Y2
	VPOR Y2, Y10, Y10
	VCMPPS $3, Y0, Y0, Y3
	VPOR Y3, Y9, Y9
	NEGATIVE32
	VPXOR Y14, Y0, Y0
	VPSUBD Y13, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNE  vector
	VPMOVMSKB Y10, AX
	VPMOVMSKB Y9, DX
	NEGL AX
	SBBQ AX, AX
	ANDQ $1, AX
	NEGL DX
	SBBQ DX, DX
	ANDQ $2, DX
	ORQ  DX, AX
	MOVQ AX, ret+40(FP)
	VZEROUPPER
	RET

// func elements32(from, to unsafe.Pointer, vectors int, flipped, positive, nans uint32)
TEXT ·elements32(SB), NOSPLIT, $0-36
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVL flipped+24(FP), AX
	SPREAD32(AX, X15, Y15)
	MOVL positive+28(FP), AX
	SPREAD32(AX, X14, Y14)
	MOVL nans+32(FP), AX
	SPREAD32(AX, X13, Y13)
	VPXOR Y12, Y12, Y12

vector:
	VPADDD (SI), Y13, Y0
	VPXOR Y14, Y0, Y0
	NEGATIVE32
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNE  vector
	VZEROUPPER
	RET

// func keys64(from, to unsafe.Pointer, vectors int, flipped, positive, nans, zero uint64) int
TEXT ·keys64(SB), NOSPLIT, $0-64
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVQ flipped+24(FP), AX
	SPREAD64(AX, X15, Y15)
	MOVQ positive+32(FP), AX
	SPREAD64(AX, X14, Y14)
	MOVQ nans+40(FP), AX
	SPREAD64(AX, X13, Y13)
	MOVQ zero+48(FP), AX
	SPREAD64(AX, X11, Y11)
	VPXOR Y12, Y12, Y12
	VPXOR Y10, Y10, Y10 // which lanes had the zero
	VPXOR Y9, Y9, Y9    // which lanes had a NaN, where elements are floats

vector:
	VMOVDQU (SI), Y0
	VPCMPEQQ Y11, Y0, Y2
	VPOR Y2, Y10, Y10
	VCMPPD $3, Y0, Y0, Y3
	VPOR Y3, Y9, Y9
	NEGATIVE64
	VPXOR Y14, Y0, Y0
	VPSUBQ Y13, Y0, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNE  vector
	VPMOVMSKB Y10, AX
	VPMOVMSKB Y9, DX
	NEGL AX
	SBBQ AX, AX
	ANDQ $1, AX
	NEGL DX
	SBBQ DX, DX
	ANDQ $2, DX
	ORQ  DX, AX
	MOVQ AX, ret+56(FP)
	VZEROUPPER
	RET

// func elements64(from, to unsafe.Pointer, vectors int, flipped, positive, nans uint64)
TEXT ·elements64(SB), NOSPLIT, $0-48
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ vectors+16(FP), CX
	MOVQ flipped+24(FP), AX
	SPREAD64(AX, X15, Y15)
	MOVQ positive+32(FP), AX
	SPREAD64(AX, X14, Y14)
	MOVQ nans+40(FP), AX
	SPREAD64(AX, X13, Y13)
	VPXOR Y12, Y12, Y12

vector:
	VPADDQ (SI), Y13, Y0
	VPXOR Y14, Y0, Y0
	NEGATIVE64
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNE  vector
	VZEROUPPER
	RET

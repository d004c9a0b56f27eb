//go:build amd64 && !purego

#include "go_asm.h"
#include "textflag.h"

// NODE removes ends of eight rows: those that are neither less than the threshold nor kept.
#define NODE(ROWS, LESS, ENDS) \
	VPCMPGTD ROWS, Y8, LESS \
	VPOR     Y9, LESS, LESS \
	VPAND    LESS, ENDS, ENDS

// FIRST stores the numbers of the first bits of eight words: each as the exponent of the bit as a float.
#define FIRST(ENDS, BIT, TO) \
	VPSUBD    ENDS, Y8, BIT \
	VPAND     ENDS, BIT, BIT \
	VCVTDQ2PS BIT, BIT \
	VPSRLD    $23, BIT, BIT \
	VPSUBD    Y9, BIT, BIT \
	VPAND     Y10, BIT, BIT \
	VMOVDQU   BIT, TO

// func treeTop(nodes *topNode, count int, rows unsafe.Pointer, blocks int, ends *uint32)
TEXT ·treeTop(SB), NOSPLIT, $0-40
	MOVQ count+8(FP), R8
	MOVQ rows+16(FP), DX
	MOVQ blocks+24(FP), CX
	MOVQ ends+32(FP), DI

block:
	MOVQ     nodes+0(FP), SI
	MOVQ     R8, R9
	VPCMPEQD Y0, Y0, Y0
	VMOVDQA  Y0, Y1
	VMOVDQA  Y0, Y2
	VMOVDQA  Y0, Y3
	TESTQ    R9, R9
	JEQ      first

	PCALIGN $32
node:
	MOVL         (SI), AX
	VPBROADCASTD 4(SI), Y8
	VPBROADCASTD 8(SI), Y9
	NODE((DX)(AX*1), Y4, Y0)
	NODE(32(DX)(AX*1), Y5, Y1)
	NODE(64(DX)(AX*1), Y6, Y2)
	NODE(96(DX)(AX*1), Y7, Y3)
	ADDQ         $16, SI
	DECQ         R9
	JNE          node

first:
	VPXOR    Y8, Y8, Y8
	VPCMPEQD Y11, Y11, Y11
	VPSRLD   $25, Y11, Y9      // 127
	VPSRLD   $27, Y11, Y10     // 31
	FIRST(Y0, Y4, (DI))
	FIRST(Y1, Y5, 32(DI))
	FIRST(Y2, Y6, 64(DI))
	FIRST(Y3, Y7, 96(DI))
	ADDQ     $128, DX
	ADDQ     $128, DI
	DECQ     CX
	JNE      block
	VZEROUPPER
	RET

// STEP takes a step of walk CX from node AX: to R11, for the row at BX.
#define STEP \
	MOVL    crowd_at(DI)(CX*4), AX \
	MOVQ    crowd_row(DI)(CX*8), BX \
	LEAQ    (AX)(AX*2), DX \
	MOVL    (SI)(DX*4), R10 \
	CMPQ    R10, R8 \
	JAE     wrong \
	LEAQ    (BX)(R10*4), R12 \
	ADDQ    crowd_x(DI), R12 \
	MOVL    (R12), R12 \
	XORL    R11, R11 \
	CMPL    R12, 4(SI)(DX*4) \
	SETGT   R11 \
	ADDL    8(SI)(DX*4), R11 \
	CMPQ    R11, R9 \
	JAE     wrong

// func walkOn(s *crowd) int
TEXT ·walkOn(SB), NOSPLIT, $0-16
	MOVQ s+0(FP), DI
	MOVQ crowd_nodes(DI), SI
	MOVQ crowd_features(DI), R8
	MOVQ crowd_count(DI), R9
	MOVQ crowd_n(DI), R13
	MOVQ $(const_steps-1), R15

all:
	XORL CX, CX

	PCALIGN $32
plain:
	STEP
	MOVL R11, crowd_at(DI)(CX*4)
	INCQ CX
	CMPQ CX, R13
	JLT  plain
	DECQ R15
	JNE  all
	XORL CX, CX
	XORL R15, R15

	PCALIGN $32
last:
	STEP
	MOVQ  crowd_to(DI)(CX*8), R12
	MOVQ  crowd_out(DI), R10
	MOVQ  R11, (R10)(R12*1)
	MOVL  R11, crowd_at(DI)(R15*4)
	MOVQ  BX, crowd_row(DI)(R15*8)
	MOVQ  R12, crowd_to(DI)(R15*8)
	CMPL  R11, AX
	SETNE AX
	MOVBLZX AX, AX
	ADDQ  AX, R15
	INCQ  CX
	CMPQ  CX, R13
	JLT   last
	MOVQ  R15, ret+8(FP)
	RET

wrong:
	MOVQ $-1, ret+8(FP)
	RET

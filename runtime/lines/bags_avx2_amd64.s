//go:build amd64 && !purego

#include "textflag.h"
#include "go_asm.h"

#define BYTES 32
#define V0 Y0
#define V1 Y1
#define V2 Y2
#define V3 Y3
#define V4 Y4
#define V5 Y5
#define V6 Y6
#define V7 Y7
#define V8 Y8
#define V9 Y9
#define V10 Y10
#define V11 Y11
#define V12 Y12
#define V13 Y13
#define V14 Y14
#define KEPT0 (SP)
#define KEPT1 32(SP)
#define KEPT2 64(SP)
#define KEPT3 96(SP)
#define KEPT4 128(SP)
#define KEPT5 160(SP)
#define KEPT6 192(SP)
#define KEPT7 224(SP)
#define PREFETCH4 PREFETCHT1 (AX); PREFETCHT1 64(AX)

// As many columns of four bytes as there are before the end of the ones.
DATA columns<>+0(SB)/8, $-1
DATA columns<>+8(SB)/8, $-1
DATA columns<>+16(SB)/8, $-1
DATA columns<>+24(SB)/8, $-1
DATA columns<>+32(SB)/8, $0
DATA columns<>+40(SB)/8, $0
DATA columns<>+48(SB)/8, $0
DATA columns<>+56(SB)/8, $0
GLOBL columns<>(SB), RODATA|NOPTR, $64

// The last columns are those under a mask in Y15.
#define MASKLAST \
	MOVQ bags_to(R8), CX; \
	SUBQ AX, CX; \
	CMPQ CX, $32; \
	JLE  some; \
	MOVQ $32, CX; \
some: \
	NEGQ CX; \
	LEAQ columns<>+32(SB), R14; \
	VMOVUPS (R14)(CX*1), Y15
#define LOADLAST(a) VMASKMOVPS (SI)(AX*1), Y15, a
#define ADDLAST(a) VMASKMOVPS (SI)(AX*1), Y15, Y13; ADD Y13, a, a
#define MULLAST(a) VMASKMOVPS (SI)(AX*1), Y15, Y13; MUL Y13, Y12, a
#define POPLAST VMASKMOVPS (DI), Y15, Y13; ADD Y13, Y0, Y0
#define STORELAST \
	MOVQ bags_to(R8), CX; \
	SUBQ AX, CX; \
	CMPQ CX, $32; \
	JLT  part; \
	VMOVUPS Y0, (DI); \
	JMP  stored; \
part: \
	VMASKMOVPS Y0, Y15, (DI); \
stored:

#include "bags_types_amd64.h"

// func sumAVX2(b *bags, of int)
TEXT ·sumAVX2(SB), NOSPLIT, $0-16
	MOVQ of+8(FP), AX
	LEAQ sums<>(SB), CX
	MOVQ (CX)(AX*8), AX
	JMP  AX

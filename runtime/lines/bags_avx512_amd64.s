//go:build amd64 && !purego && !noavx512

#include "textflag.h"
#include "go_asm.h"

#define BYTES 64
#define V0 Z0
#define V1 Z1
#define V2 Z2
#define V3 Z3
#define V4 Z4
#define V5 Z5
#define V6 Z6
#define V7 Z7
#define V8 Z8
#define V9 Z9
#define V10 Z10
#define V11 Z11
#define V12 Z12
#define V13 Z13
#define V14 Z14
#define KEPT0 Z16
#define KEPT1 Z17
#define KEPT2 Z18
#define KEPT3 Z19
#define KEPT4 Z20
#define KEPT5 Z21
#define KEPT6 Z22
#define KEPT7 Z23
#define PREFETCH4 PREFETCHT1 (AX); PREFETCHT1 64(AX); PREFETCHT1 128(AX); PREFETCHT1 192(AX)

// The last columns are those under a mask in K1.
#define MASKLAST \
	MOVQ  bags_to(R8), CX; \
	SUBQ  AX, CX; \
	SHRQ  $SHIFT, CX; \
	MOVQ  $-1, R14; \
	BZHIQ CX, R14, R14; \
	KMOVW R14, K1
#define LOADLAST(a) VMOVU.Z (SI)(AX*1), K1, a
#define ADDLAST(a) ADD (SI)(AX*1), a, K1, a
#define MULLAST(a) MUL.Z (SI)(AX*1), Z12, K1, a
#define POPLAST ADD (DI), Z0, K1, Z0
#define STORELAST VMOVU Z0, K1, (DI)

#include "bags_types_amd64.h"

// func sumAVX512(b *bags, of int)
TEXT ·sumAVX512(SB), NOSPLIT, $0-16
	MOVQ of+8(FP), AX
	LEAQ sums<>(SB), CX
	MOVQ (CX)(AX*8), AX
	JMP  AX

// The functions of bags_amd64.h, bags_long_amd64.h and bags_ragged_amd64.h for AVX2 and one type. The including file defines their
// names, and the instructions ADD, MUL and SPREAD, which broadcasts.

// Rows are added 128 bytes at a time. They are prefetched into the second-level cache, which waits for more lines at once
// than the first: Zen 4, rows of 256 bytes of 32 MB, in 15 ms instead of 20.
#define WIDTH 128
#define MASK
#define PREFETCH PREFETCHT1 (AX); PREFETCHT1 64(AX)
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0; ADD a1, b1, b1; ADD a2, b2, b2; ADD a3, b3, b3
#define CLEAR VXORPS Y0, Y0, Y0; VXORPS Y1, Y1, Y1; VXORPS Y2, Y2, Y2; VXORPS Y3, Y3, Y3
#define POP ADD (DI), Y0, Y0; ADD 32(DI), Y1, Y1; ADD 64(DI), Y2, Y2; ADD 96(DI), Y3, Y3
#define STORE VMOVUPS Y0, (DI); VMOVUPS Y1, 32(DI); VMOVUPS Y2, 64(DI); VMOVUPS Y3, 96(DI)
#define KEEP VMOVUPS Y0, (SP); VMOVUPS Y1, 32(SP); VMOVUPS Y2, 64(SP); VMOVUPS Y3, 96(SP)
#define KEEP2 VMOVUPS Y0, 128(SP); VMOVUPS Y1, 160(SP); VMOVUPS Y2, 192(SP); VMOVUPS Y3, 224(SP)
#define ADDKEPT ADD (SP), Y0, Y0; ADD 32(SP), Y1, Y1; ADD 64(SP), Y2, Y2; ADD 96(SP), Y3, Y3
#define ADDKEPT2 ADD 128(SP), Y0, Y0; ADD 160(SP), Y1, Y1; ADD 192(SP), Y2, Y2; ADD 224(SP), Y3, Y3

#define FIRST(w, a0, a1, a2, a3) \
	VMOVUPS (SI)(AX*1), a0; \
	VMOVUPS 32(SI)(AX*1), a1; \
	VMOVUPS 64(SI)(AX*1), a2; \
	VMOVUPS 96(SI)(AX*1), a3
#define NEXT(w, a0, a1, a2, a3) \
	ADD (SI)(AX*1), a0, a0; \
	ADD 32(SI)(AX*1), a1, a1; \
	ADD 64(SI)(AX*1), a2, a2; \
	ADD 96(SI)(AX*1), a3, a3
#define NAME BAGS
#include "bags_amd64.h"
#undef NAME
#define NAME LONG
#include "bags_long_amd64.h"
#undef NAME
#undef FIRST
#undef NEXT

#define WEIGHTED
#define FIRST(w, a0, a1, a2, a3) \
	SPREAD w, Y12; \
	MUL (SI)(AX*1), Y12, a0; \
	MUL 32(SI)(AX*1), Y12, a1; \
	MUL 64(SI)(AX*1), Y12, a2; \
	MUL 96(SI)(AX*1), Y12, a3
#define NEXT(w, a0, a1, a2, a3) \
	SPREAD w, Y12; \
	MUL (SI)(AX*1), Y12, Y13; \
	ADD Y13, a0, a0; \
	MUL 32(SI)(AX*1), Y12, Y14; \
	ADD Y14, a1, a1; \
	MUL 64(SI)(AX*1), Y12, Y13; \
	ADD Y13, a2, a2; \
	MUL 96(SI)(AX*1), Y12, Y14; \
	ADD Y14, a3, a3
#define NAME WEIGHTEDBAGS
#include "bags_amd64.h"
#undef NAME
#define NAME WEIGHTEDLONG
#include "bags_long_amd64.h"
#undef NAME
#define NAME RAGGED
#include "bags_ragged_amd64.h"
#undef NAME
#undef FIRST
#undef NEXT
#undef WIDTH
#undef MASK
#undef PREFETCH
#undef SUM
#undef POP
#undef CLEAR
#undef STORE
#undef KEEP
#undef KEEP2
#undef ADDKEPT
#undef ADDKEPT2

// The last columns are added 32 bytes at a time, the last of them under a mask in Y15.
#define WIDTH 32
#define MASK \
	MOVQ bags_to(R8), CX; \
	SUBQ AX, CX; \
	CMPQ CX, $32; \
	JLE  some; \
	MOVQ $32, CX; \
some: \
	NEGQ CX; \
	LEAQ columns<>+32(SB), R14; \
	VMOVUPS (R14)(CX*1), Y15
#define PREFETCH PREFETCHT1 (AX)
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0
#define CLEAR VXORPS Y0, Y0, Y0
#define POP VMASKMOVPS (DI), Y15, Y13; ADD Y13, Y0, Y0
#define STORE \
	MOVQ bags_to(R8), CX; \
	SUBQ AX, CX; \
	CMPQ CX, $32; \
	JLT  part; \
	VMOVUPS Y0, (DI); \
	JMP  stored; \
part: \
	VMASKMOVPS Y0, Y15, (DI); \
stored:
#define KEEP VMOVUPS Y0, (SP)
#define KEEP2 VMOVUPS Y0, 128(SP)
#define ADDKEPT ADD (SP), Y0, Y0
#define ADDKEPT2 ADD 128(SP), Y0, Y0

#define FIRST(w, a0, a1, a2, a3) \
	SPREAD w, Y12; \
	VMASKMOVPS (SI)(AX*1), Y15, Y13; \
	MUL Y13, Y12, a0
#define NEXT(w, a0, a1, a2, a3) \
	SPREAD w, Y12; \
	VMASKMOVPS (SI)(AX*1), Y15, Y13; \
	MUL Y13, Y12, Y13; \
	ADD Y13, a0, a0
#define NAME WEIGHTEDBAGSEND
#include "bags_amd64.h"
#undef NAME
#define NAME WEIGHTEDLONGEND
#include "bags_long_amd64.h"
#undef NAME
#define NAME RAGGEDEND
#include "bags_ragged_amd64.h"
#undef NAME
#undef FIRST
#undef NEXT
#undef WEIGHTED

#define FIRST(w, a0, a1, a2, a3) VMASKMOVPS (SI)(AX*1), Y15, a0
#define NEXT(w, a0, a1, a2, a3) \
	VMASKMOVPS (SI)(AX*1), Y15, Y13; \
	ADD Y13, a0, a0
#define NAME BAGSEND
#include "bags_amd64.h"
#undef NAME
#define NAME LONGEND
#include "bags_long_amd64.h"
#undef NAME
#undef FIRST
#undef NEXT
#undef WIDTH
#undef MASK
#undef PREFETCH
#undef SUM
#undef POP
#undef CLEAR
#undef STORE
#undef KEEP
#undef KEEP2
#undef ADDKEPT
#undef ADDKEPT2

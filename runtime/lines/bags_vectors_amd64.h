// The functions of bags_amd64.h, bags_long_amd64.h and bags_ragged_amd64.h for one type. The including file defines their
// names, the instructions ADD, MUL and SPREAD, which broadcasts, and of the engine:
// - V0 to V14, registers of BYTES bytes each, and KEPT0 to KEPT7, where sums are kept: registers or memory;
// - PREFETCH4, which prefetches four vectors;
// - MASKLAST, which makes a mask of the columns that are left, and what reads and writes those: LOADLAST, ADDLAST and
//   MULLAST, by V12, of a row into a register, and POPLAST and STORELAST of sums in memory.

// Rows are added four vectors at a time. They are prefetched into the second-level cache, which waits for more lines at once
// than the first: Zen 4, rows of 256 bytes of 32 MB, in 15 ms instead of 20.
#define WIDTH (4*BYTES)
#define MASK
#define PREFETCH PREFETCH4
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0; ADD a1, b1, b1; ADD a2, b2, b2; ADD a3, b3, b3
#define CLEAR VXORPS V0, V0, V0; VXORPS V1, V1, V1; VXORPS V2, V2, V2; VXORPS V3, V3, V3
#define POP ADD (DI), V0, V0; ADD BYTES(DI), V1, V1; ADD (2*BYTES)(DI), V2, V2; ADD (3*BYTES)(DI), V3, V3
#define STORE VMOVUPS V0, (DI); VMOVUPS V1, BYTES(DI); VMOVUPS V2, (2*BYTES)(DI); VMOVUPS V3, (3*BYTES)(DI)
#define KEEP VMOVUPS V0, KEPT0; VMOVUPS V1, KEPT1; VMOVUPS V2, KEPT2; VMOVUPS V3, KEPT3
#define KEEP2 VMOVUPS V0, KEPT4; VMOVUPS V1, KEPT5; VMOVUPS V2, KEPT6; VMOVUPS V3, KEPT7
#define ADDKEPT ADD KEPT0, V0, V0; ADD KEPT1, V1, V1; ADD KEPT2, V2, V2; ADD KEPT3, V3, V3
#define ADDKEPT2 ADD KEPT4, V0, V0; ADD KEPT5, V1, V1; ADD KEPT6, V2, V2; ADD KEPT7, V3, V3

#define FIRST(w, a0, a1, a2, a3) \
	VMOVUPS (SI)(AX*1), a0; \
	VMOVUPS BYTES(SI)(AX*1), a1; \
	VMOVUPS (2*BYTES)(SI)(AX*1), a2; \
	VMOVUPS (3*BYTES)(SI)(AX*1), a3
#define NEXT(w, a0, a1, a2, a3) \
	ADD (SI)(AX*1), a0, a0; \
	ADD BYTES(SI)(AX*1), a1, a1; \
	ADD (2*BYTES)(SI)(AX*1), a2, a2; \
	ADD (3*BYTES)(SI)(AX*1), a3, a3
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
	SPREAD w, V12; \
	MUL (SI)(AX*1), V12, a0; \
	MUL BYTES(SI)(AX*1), V12, a1; \
	MUL (2*BYTES)(SI)(AX*1), V12, a2; \
	MUL (3*BYTES)(SI)(AX*1), V12, a3
#define NEXT(w, a0, a1, a2, a3) \
	SPREAD w, V12; \
	MUL (SI)(AX*1), V12, V13; \
	ADD V13, a0, a0; \
	MUL BYTES(SI)(AX*1), V12, V14; \
	ADD V14, a1, a1; \
	MUL (2*BYTES)(SI)(AX*1), V12, V13; \
	ADD V13, a2, a2; \
	MUL (3*BYTES)(SI)(AX*1), V12, V14; \
	ADD V14, a3, a3
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

// The last columns are added a vector at a time, the last of them under the mask of MASKLAST.
#define WIDTH BYTES
#define MASK MASKLAST
#define PREFETCH PREFETCHT1 (AX)
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0
#define CLEAR VXORPS V0, V0, V0
#define POP POPLAST
#define STORE STORELAST
#define KEEP VMOVUPS V0, KEPT0
#define KEEP2 VMOVUPS V0, KEPT4
#define ADDKEPT ADD KEPT0, V0, V0
#define ADDKEPT2 ADD KEPT4, V0, V0

#define FIRST(w, a0, a1, a2, a3) SPREAD w, V12; MULLAST(a0)
#define NEXT(w, a0, a1, a2, a3) SPREAD w, V12; MULLAST(V13); ADD V13, a0, a0
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

#define FIRST(w, a0, a1, a2, a3) LOADLAST(a0)
#define NEXT(w, a0, a1, a2, a3) ADDLAST(a0)
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

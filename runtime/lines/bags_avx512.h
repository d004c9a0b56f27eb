// The functions of bags_amd64.h, bags_long_amd64.h and bags_ragged_amd64.h for AVX-512 and one type. The including file defines
// their names, the instructions ADD, MUL and SPREAD, which broadcasts, and SHIFT, by which bytes become elements.

// Rows are added 256 bytes at a time. They are prefetched into the second-level cache, which waits for more lines at once
// than the first: Zen 4, rows of 256 bytes of 32 MB, in 15 ms instead of 20.
#define WIDTH 256
#define MASK
#define PREFETCH PREFETCHT1 (AX); PREFETCHT1 64(AX); PREFETCHT1 128(AX); PREFETCHT1 192(AX)
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0; ADD a1, b1, b1; ADD a2, b2, b2; ADD a3, b3, b3
#define CLEAR VXORPS Z0, Z0, Z0; VXORPS Z1, Z1, Z1; VXORPS Z2, Z2, Z2; VXORPS Z3, Z3, Z3
#define POP ADD (DI), Z0, Z0; ADD 64(DI), Z1, Z1; ADD 128(DI), Z2, Z2; ADD 192(DI), Z3, Z3
#define STORE VMOVUPS Z0, (DI); VMOVUPS Z1, 64(DI); VMOVUPS Z2, 128(DI); VMOVUPS Z3, 192(DI)
#define KEEP VMOVAPS Z0, Z16; VMOVAPS Z1, Z17; VMOVAPS Z2, Z18; VMOVAPS Z3, Z19
#define KEEP2 VMOVAPS Z0, Z20; VMOVAPS Z1, Z21; VMOVAPS Z2, Z22; VMOVAPS Z3, Z23
#define ADDKEPT ADD Z16, Z0, Z0; ADD Z17, Z1, Z1; ADD Z18, Z2, Z2; ADD Z19, Z3, Z3
#define ADDKEPT2 ADD Z20, Z0, Z0; ADD Z21, Z1, Z1; ADD Z22, Z2, Z2; ADD Z23, Z3, Z3

#define FIRST(w, a0, a1, a2, a3) \
	VMOVUPS (SI)(AX*1), a0; \
	VMOVUPS 64(SI)(AX*1), a1; \
	VMOVUPS 128(SI)(AX*1), a2; \
	VMOVUPS 192(SI)(AX*1), a3
#define NEXT(w, a0, a1, a2, a3) \
	ADD (SI)(AX*1), a0, a0; \
	ADD 64(SI)(AX*1), a1, a1; \
	ADD 128(SI)(AX*1), a2, a2; \
	ADD 192(SI)(AX*1), a3, a3
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
	SPREAD w, Z12; \
	MUL (SI)(AX*1), Z12, a0; \
	MUL 64(SI)(AX*1), Z12, a1; \
	MUL 128(SI)(AX*1), Z12, a2; \
	MUL 192(SI)(AX*1), Z12, a3
#define NEXT(w, a0, a1, a2, a3) \
	SPREAD w, Z12; \
	MUL (SI)(AX*1), Z12, Z13; \
	ADD Z13, a0, a0; \
	MUL 64(SI)(AX*1), Z12, Z14; \
	ADD Z14, a1, a1; \
	MUL 128(SI)(AX*1), Z12, Z13; \
	ADD Z13, a2, a2; \
	MUL 192(SI)(AX*1), Z12, Z14; \
	ADD Z14, a3, a3
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

// The last columns are added 64 bytes at a time, the last of them under a mask in K1.
#define WIDTH 64
#define MASK \
	MOVQ  bags_to(R8), CX; \
	SUBQ  AX, CX; \
	SHRQ  $SHIFT, CX; \
	MOVQ  $-1, R14; \
	BZHIQ CX, R14, R14; \
	KMOVW R14, K1
#define PREFETCH PREFETCHT1 (AX)
#define SUM(a0, a1, a2, a3, b0, b1, b2, b3) ADD a0, b0, b0
#define CLEAR VXORPS Z0, Z0, Z0
#define POP ADD (DI), Z0, K1, Z0
#define STORE VMOVU Z0, K1, (DI)
#define KEEP VMOVAPS Z0, Z16
#define KEEP2 VMOVAPS Z0, Z20
#define ADDKEPT ADD Z16, Z0, Z0
#define ADDKEPT2 ADD Z20, Z0, Z0

#define FIRST(w, a0, a1, a2, a3) \
	SPREAD w, Z12; \
	MUL.Z  (SI)(AX*1), Z12, K1, a0
#define NEXT(w, a0, a1, a2, a3) \
	SPREAD w, Z12; \
	MUL.Z  (SI)(AX*1), Z12, K1, Z13; \
	ADD    Z13, a0, a0
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

#define FIRST(w, a0, a1, a2, a3) VMOVU.Z (SI)(AX*1), K1, a0
#define NEXT(w, a0, a1, a2, a3) ADD (SI)(AX*1), a0, K1, a0
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

//go:build amd64 && !purego

#include "textflag.h"

#define FIRST Y8
#define TURN Y9
#define ONE Y10
#define NAN Y11
#define ROW Y12

// Integers.

#define EACH(OFF, B, P, GREATER) \
	VPXOR     OFF(R13), TURN, Y13 \
	GREATER   B, Y13, Y14 \
	VPBLENDVB Y14, ROW, P, P

#define FIND ·findInt8
#define SHIFT 0
#define SUBONE VPSUBB
#define COMPARE(OFF, B, P, NEXT, C, Q) \
	EACH(OFF, B, P, VPCMPGTB) \
	VPMAXSB Y13, B, B \
	EACH(NEXT, C, Q, VPCMPGTB) \
	VPMAXSB Y13, C, C
#define WIDEN(X, OFF) \
	VPMOVSXBD X, Y14 \
	VPADDD    FIRST, Y14, Y15 \
	VBLENDVPS Y14, OFF(R8), Y15, Y15 \
	VMOVUPS   Y15, OFF(R8)
#define PLACES(P, X, OFF) \
	WIDEN(X, OFF) \
	VPSRLDQ $8, X, X13 \
	WIDEN(X13, OFF+32) \
	VEXTRACTI128 $1, P, X \
	WIDEN(X, OFF+64) \
	VPSRLDQ $8, X, X13 \
	WIDEN(X13, OFF+96)
#include "places_avx2.h"
#undef WIDEN

#define FIND ·findInt16
#define SHIFT 1
#define SUBONE VPSUBW
#define COMPARE(OFF, B, P, NEXT, C, Q) \
	EACH(OFF, B, P, VPCMPGTW) \
	VPMAXSW Y13, B, B \
	EACH(NEXT, C, Q, VPCMPGTW) \
	VPMAXSW Y13, C, C
#define WIDEN(X, OFF) \
	VPMOVSXWD X, Y14 \
	VPADDD    FIRST, Y14, Y15 \
	VBLENDVPS Y14, OFF(R8), Y15, Y15 \
	VMOVUPS   Y15, OFF(R8)
#define PLACES(P, X, OFF) \
	WIDEN(X, OFF) \
	VEXTRACTI128 $1, P, X \
	WIDEN(X, OFF+32)
#include "places_avx2.h"
#undef WIDEN

#define SAME(P, X, OFF) \
	VPADDD    FIRST, P, Y15 \
	VBLENDVPS P, OFF(R8), Y15, Y15 \
	VMOVUPS   Y15, OFF(R8)
#define HALF(P, X, OFF) \
	VEXTRACTI128 $1, P, X14 \
	VSHUFPS   $0x88, X14, X, X14 \
	VPADDD    X8, X14, X15 \
	VBLENDVPS X14, OFF(R8), X15, X15 \
	VMOVUPS   X15, OFF(R8)

#define FIND ·findInt32
#define SHIFT 2
#define SUBONE VPSUBD
#define COMPARE(OFF, B, P, NEXT, C, Q) \
	EACH(OFF, B, P, VPCMPGTD) \
	VPMAXSD Y13, B, B \
	EACH(NEXT, C, Q, VPCMPGTD) \
	VPMAXSD Y13, C, C
#define PLACES(P, X, OFF) SAME(P, X, OFF)
#include "places_avx2.h"

#define FIND ·findInt64
#define SHIFT 3
#define SUBONE VPSUBQ
#define COMPARE(OFF, B, P, NEXT, C, Q) \
	EACH(OFF, B, P, VPCMPGTQ) \
	VPBLENDVB Y14, Y13, B, B \
	EACH(NEXT, C, Q, VPCMPGTQ) \
	VPBLENDVB Y14, Y13, C, C
#define PLACES(P, X, OFF) HALF(P, X, OFF)
#include "places_avx2.h"

// Floats. The greater of two zeros is that without a sign: both results of MAX have it then.

#define FLOAT(E, B, P, CMP, MAX) \
	CMP       $0x1e, B, E, Y15 \
	VBLENDVPS Y15, ROW, P, P \
	MAX       E, B, Y15 \
	MAX       B, E, B \
	VANDPS    Y15, B, B
#define FLOATS(OFF, B, P, NEXT, C, Q, CMP, MAX) \
	VXORPS OFF(R13), TURN, Y13 \
	VXORPS NEXT(R13), TURN, Y14 \
	CMP    $3, Y13, Y14, Y15 \
	VORPS  Y15, NAN, NAN \
	FLOAT(Y13, B, P, CMP, MAX) \
	FLOAT(Y14, C, Q, CMP, MAX)

#define FIND ·findFloat32
#define SHIFT 2
#define SUBONE VPSUBD
#define COMPARE(OFF, B, P, NEXT, C, Q) FLOATS(OFF, B, P, NEXT, C, Q, VCMPPS, VMAXPS)
#define PLACES(P, X, OFF) SAME(P, X, OFF)
#include "places_avx2.h"

#define FIND ·findFloat64
#define SHIFT 3
#define SUBONE VPSUBQ
#define COMPARE(OFF, B, P, NEXT, C, Q) FLOATS(OFF, B, P, NEXT, C, Q, VCMPPD, VMAXPD)
#define PLACES(P, X, OFF) HALF(P, X, OFF)
#include "places_avx2.h"

//go:build amd64 && !purego && !noavx512

#include "textflag.h"

#define TURN Z3
#define BEST0 Z8
#define BEST1 Z9
#define BEST2 Z10
#define BEST3 Z11

// The greater of two zeros is that without a sign: VRANGE says so. It leaves what a NaN is compared with.
#define FLOATS(CMP, RANGE, BEST, PLACE) \
	CMP       $0x1e, BEST, Z1, K1 \
	CMP       $7, Z1, Z1, K2 \
	VMOVDQA32 ROW, K1, PLACE \
	RANGE     $5, Z1, BEST, K2, BEST

#define INTS(CMP, MAX, BEST, PLACE) \
	CMP       BEST, Z1, K1 \
	VMOVDQA32 ROW, K1, PLACE \
	MAX       Z1, BEST, BEST

#define FIND ·findFloat32AVX512
#define LANES 16
#define LOAD VMOVDQU32
#define XOR VPXORD
#define PLACE0 Z12
#define PLACE1 Z13
#define PLACE2 Z14
#define PLACE3 Z15
#define ROW Z5
#define ONE Z6
#define FIRST Z7
#define COMPARE(BEST, PLACE) \
	FLOATS(VCMPPS, VRANGEPS, BEST, PLACE) \
	KANDW K2, K6, K6
#include "places_avx512.h"

#define FIND ·findInt32AVX512
#define LANES 16
#define LOAD VMOVDQU32
#define XOR VPXORD
#define PLACE0 Z12
#define PLACE1 Z13
#define PLACE2 Z14
#define PLACE3 Z15
#define ROW Z5
#define ONE Z6
#define FIRST Z7
#define COMPARE(BEST, PLACE) INTS(VPCMPGTD, VPMAXSD, BEST, PLACE)
#include "places_avx512.h"

// Eight places are half a vector. A NaN in the eight lanes is in the upper bits of K6 too.

#define FIND ·findFloat64AVX512
#define LANES 8
#define LOAD VMOVDQU64
#define XOR VPXORQ
#define PLACE0 Y12
#define PLACE1 Y13
#define PLACE2 Y14
#define PLACE3 Y15
#define ROW Y5
#define ONE Y6
#define FIRST Y7
#define COMPARE(BEST, PLACE) \
	FLOATS(VCMPPD, VRANGEPD, BEST, PLACE) \
	KUNPCKBW K2, K2, K2 \
	KANDW    K2, K6, K6
#include "places_avx512.h"

#define FIND ·findInt64AVX512
#define LANES 8
#define LOAD VMOVDQU64
#define XOR VPXORQ
#define PLACE0 Y12
#define PLACE1 Y13
#define PLACE2 Y14
#define PLACE3 Y15
#define ROW Y5
#define ONE Y6
#define FIRST Y7
#define COMPARE(BEST, PLACE) INTS(VPCMPGTQ, VPMAXSQ, BEST, PLACE)
#include "places_avx512.h"

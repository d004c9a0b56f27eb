//go:build amd64 && !purego && !noavx512

#include "textflag.h"

#define TURN Z3

// The greater of two zeros is that without a sign: VRANGE says so. It leaves what a NaN is compared with.
#define FLOATS(CMP, RANGE) \
	CMP       $0x1e, Z2, Z1, K1 \
	CMP       $7, Z1, Z1, K2 \
	VMOVDQA32 ROW, K1, PLACE \
	RANGE     $5, Z1, Z2, K2, Z2

#define INTS(CMP, MAX) \
	CMP       Z2, Z1, K1 \
	VMOVDQA32 ROW, K1, PLACE \
	MAX       Z1, Z2, Z2

#define FIND ·findFloat32AVX512
#define LANES 16
#define LOAD VMOVDQU32
#define XOR VPXORD
#define PLACE Z4
#define ROW Z5
#define ONE Z6
#define FIRST Z7
#define COMPARE \
	FLOATS(VCMPPS, VRANGEPS) \
	KANDW K2, K6, K6
#include "places_avx512.h"

#define FIND ·findInt32AVX512
#define LANES 16
#define LOAD VMOVDQU32
#define XOR VPXORD
#define PLACE Z4
#define ROW Z5
#define ONE Z6
#define FIRST Z7
#define COMPARE INTS(VPCMPGTD, VPMAXSD)
#include "places_avx512.h"

// Eight places are half a vector. A NaN in the eight lanes is in the upper bits of K6 too.

#define FIND ·findFloat64AVX512
#define LANES 8
#define LOAD VMOVDQU64
#define XOR VPXORQ
#define PLACE Y4
#define ROW Y5
#define ONE Y6
#define FIRST Y7
#define COMPARE \
	FLOATS(VCMPPD, VRANGEPD) \
	KUNPCKBW K2, K2, K2 \
	KANDW    K2, K6, K6
#include "places_avx512.h"

#define FIND ·findInt64AVX512
#define LANES 8
#define LOAD VMOVDQU64
#define XOR VPXORQ
#define PLACE Y4
#define ROW Y5
#define ONE Y6
#define FIRST Y7
#define COMPARE INTS(VPCMPGTQ, VPMAXSQ)
#include "places_avx512.h"

//go:build amd64 && !purego && !noavx512

#include "textflag.h"

// search_amd64.h for AVX-512.

#define VECTOR 64
#define HALF Z11
#define VALUE0 Z0
#define VALUE1 Z1
#define VALUE2 Z2
#define VALUE3 Z3
#define AT0 Z4
#define AT1 Z5
#define AT2 Z6
#define AT3 Z7
#define LOW0 Y4
#define LOW1 Y5
#define LOW2 Y6
#define LOW3 Y7
#define ZERO(AT) VPXORD AT, AT, AT

#define SIZE 4
#define SPREAD(N) VPBROADCASTD N, HALF
// STORE stores places of 32 bits as 64. LOW is the lower half.
#define STORE(TO, AT, LOW) \
	VPMOVZXDQ     LOW, Z8 \
	VEXTRACTI64X4 $1, AT, Y9 \
	VPMOVZXDQ     Y9, Z9 \
	VMOVDQU64     Z8, TO(DI) \
	VMOVDQU64     Z9, (TO+64)(DI)

#define BEGIN
#define NAN0 K4
#define NAN1 K5
#define NAN2 K6
#define NAN3 K7
#define LOAD(FROM, VALUE, NAN) \
	VMOVUPS FROM(DX), VALUE \
	VCMPPS  $3, VALUE, VALUE, NAN

#define SEARCH ·searchFloat32AVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VGATHERDPS (BX)(AT*4), K1, Z8 \
	VCMPPS $0x11, VALUE, Z8, K2 \
	VCMPPS $7, Z8, Z8, NAN, K3 \
	KORW   K3, K2, K2 \
	VPADDD HALF, AT, K2, AT
#include "search_amd64.h"

#define SEARCH ·searchFloat32RightAVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VGATHERDPS (BX)(AT*4), K1, Z8 \
	VCMPPS $0x12, VALUE, Z8, K2 \
	KORW   NAN, K2, K2 \
	VPADDD HALF, AT, K2, AT
#include "search_amd64.h"

#undef BEGIN
#undef LOAD
#undef NAN0
#undef NAN1
#undef NAN2
#undef NAN3
#define NAN0 // integers have none
#define NAN1
#define NAN2
#define NAN3
#define BEGIN VPBROADCASTD turn+40(FP), Z12
#define LOAD(FROM, VALUE, NAN) VPXORD FROM(DX), Z12, VALUE

#define SEARCH ·searchInt32AVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VPGATHERDD (BX)(AT*4), K1, Z8 \
	VPXORD Z12, Z8, Z8 \
	VPCMPD $1, VALUE, Z8, K2 \
	VPADDD HALF, AT, K2, AT
#include "search_amd64.h"

#define SEARCH ·searchInt32RightAVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VPGATHERDD (BX)(AT*4), K1, Z8 \
	VPXORD Z12, Z8, Z8 \
	VPCMPD $2, VALUE, Z8, K2 \
	VPADDD HALF, AT, K2, AT
#include "search_amd64.h"

#undef SIZE
#undef SPREAD
#undef STORE
#undef BEGIN
#undef LOAD
#undef NAN0
#undef NAN1
#undef NAN2
#undef NAN3

#define SIZE 8
#define SPREAD(N) VPBROADCASTQ N, HALF
#define STORE(TO, AT, LOW) VMOVDQU64 AT, TO(DI)

#define BEGIN
#define NAN0 K4
#define NAN1 K5
#define NAN2 K6
#define NAN3 K7
#define LOAD(FROM, VALUE, NAN) \
	VMOVUPD FROM(DX), VALUE \
	VCMPPD  $3, VALUE, VALUE, NAN

#define SEARCH ·searchFloat64AVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VGATHERQPD (BX)(AT*8), K1, Z8 \
	VCMPPD $0x11, VALUE, Z8, K2 \
	VCMPPD $7, Z8, Z8, NAN, K3 \
	KORW   K3, K2, K2 \
	VPADDQ HALF, AT, K2, AT
#include "search_amd64.h"

#define SEARCH ·searchFloat64RightAVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VGATHERQPD (BX)(AT*8), K1, Z8 \
	VCMPPD $0x12, VALUE, Z8, K2 \
	KORW   NAN, K2, K2 \
	VPADDQ HALF, AT, K2, AT
#include "search_amd64.h"

#undef BEGIN
#undef LOAD
#undef NAN0
#undef NAN1
#undef NAN2
#undef NAN3
#define NAN0 // integers have none
#define NAN1
#define NAN2
#define NAN3
#define BEGIN VPBROADCASTQ turn+40(FP), Z12
#define LOAD(FROM, VALUE, NAN) VPXORQ FROM(DX), Z12, VALUE

#define SEARCH ·searchInt64AVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VPGATHERQQ (BX)(AT*8), K1, Z8 \
	VPXORQ Z12, Z8, Z8 \
	VPCMPQ $1, VALUE, Z8, K2 \
	VPADDQ HALF, AT, K2, AT
#include "search_amd64.h"

#define SEARCH ·searchInt64RightAVX512
#define ROUND(VALUE, AT, NAN) \
	KXNORW K0, K0, K1 \
	VPXORD Z8, Z8, Z8 \
	VPGATHERQQ (BX)(AT*8), K1, Z8 \
	VPXORQ Z12, Z8, Z8 \
	VPCMPQ $2, VALUE, Z8, K2 \
	VPADDQ HALF, AT, K2, AT
#include "search_amd64.h"

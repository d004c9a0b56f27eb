//go:build amd64 && !purego

#include "textflag.h"

// search_amd64.h for AVX2.

#define VECTOR 32
#define HALF Y11
#define VALUE0 Y0
#define VALUE1 Y1
#define VALUE2 Y2
#define VALUE3 Y3
#define AT0 Y4
#define AT1 Y5
#define AT2 Y6
#define AT3 Y7
#define ZERO(AT) VPXOR AT, AT, AT

#define SIZE 4
#define SPREAD(N) \
	VMOVQ N, X11 \
	VPBROADCASTD X11, HALF
#define LOW0 X4
#define LOW1 X5
#define LOW2 X6
#define LOW3 X7
// STORE stores places of 32 bits as 64. LOW is the lower half.
#define STORE(TO, AT, LOW) \
	VPMOVZXDQ    LOW, Y8 \
	VEXTRACTI128 $1, AT, X9 \
	VPMOVZXDQ    X9, Y9 \
	VMOVDQU      Y8, TO(DI) \
	VMOVDQU      Y9, (TO+32)(DI)

#define BEGIN
#define NAN0 Y12
#define NAN1 Y13
#define NAN2 Y14
#define NAN3 Y15
#define LOAD(FROM, VALUE, NAN) \
	VMOVUPS FROM(DX), VALUE \
	VCMPPS  $3, VALUE, VALUE, NAN

#define SEARCH ·searchFloat32
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VGATHERDPS Y9, (BX)(AT*4), Y8 \
	VCMPPS $0x11, VALUE, Y8, Y10 \
	VCMPPS $7, Y8, Y8, Y8 \
	VPAND NAN, Y8, Y8 \
	VPOR  Y8, Y10, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDD Y10, AT, AT
#include "search_amd64.h"

#define SEARCH ·searchFloat32Right
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VGATHERDPS Y9, (BX)(AT*4), Y8 \
	VCMPPS $0x12, VALUE, Y8, Y10 \
	VPOR  NAN, Y10, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDD Y10, AT, AT
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
#define BEGIN VPBROADCASTD turn+40(FP), Y12
#define LOAD(FROM, VALUE, NAN) VPXOR FROM(DX), Y12, VALUE

#define SEARCH ·searchInt32
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VPGATHERDD Y9, (BX)(AT*4), Y8 \
	VPXOR Y12, Y8, Y8 \
	VPCMPGTD Y8, VALUE, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDD Y10, AT, AT
#include "search_amd64.h"

#define SEARCH ·searchInt32Right
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VPGATHERDD Y9, (BX)(AT*4), Y8 \
	VPXOR Y12, Y8, Y8 \
	VPCMPGTD VALUE, Y8, Y10 \
	VPANDN HALF, Y10, Y10 \
	VPADDD Y10, AT, AT
#include "search_amd64.h"

#undef SIZE
#undef SPREAD
#undef STORE
#undef LOW0
#undef LOW1
#undef LOW2
#undef LOW3
#undef BEGIN
#undef LOAD
#undef NAN0
#undef NAN1
#undef NAN2
#undef NAN3

#define SIZE 8
#define SPREAD(N) \
	VMOVQ N, X11 \
	VPBROADCASTQ X11, HALF
#define LOW0 X4
#define LOW1 X5
#define LOW2 X6
#define LOW3 X7
#define STORE(TO, AT, LOW) VMOVDQU AT, TO(DI)

#define BEGIN
#define NAN0 Y12
#define NAN1 Y13
#define NAN2 Y14
#define NAN3 Y15
#define LOAD(FROM, VALUE, NAN) \
	VMOVUPD FROM(DX), VALUE \
	VCMPPD  $3, VALUE, VALUE, NAN

#define SEARCH ·searchFloat64
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VGATHERQPD Y9, (BX)(AT*8), Y8 \
	VCMPPD $0x11, VALUE, Y8, Y10 \
	VCMPPD $7, Y8, Y8, Y8 \
	VPAND NAN, Y8, Y8 \
	VPOR  Y8, Y10, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDQ Y10, AT, AT
#include "search_amd64.h"

#define SEARCH ·searchFloat64Right
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VGATHERQPD Y9, (BX)(AT*8), Y8 \
	VCMPPD $0x12, VALUE, Y8, Y10 \
	VPOR  NAN, Y10, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDQ Y10, AT, AT
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
#define BEGIN VPBROADCASTQ turn+40(FP), Y12
#define LOAD(FROM, VALUE, NAN) VPXOR FROM(DX), Y12, VALUE

#define SEARCH ·searchInt64
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VPGATHERQQ Y9, (BX)(AT*8), Y8 \
	VPXOR Y12, Y8, Y8 \
	VPCMPGTQ Y8, VALUE, Y10 \
	VPAND HALF, Y10, Y10 \
	VPADDQ Y10, AT, AT
#include "search_amd64.h"

#define SEARCH ·searchInt64Right
#define ROUND(VALUE, AT, NAN) \
	VPCMPEQD Y9, Y9, Y9 \
	VPXOR Y8, Y8, Y8 \
	VPGATHERQQ Y9, (BX)(AT*8), Y8 \
	VPXOR Y12, Y8, Y8 \
	VPCMPGTQ VALUE, Y8, Y10 \
	VPANDN HALF, Y10, Y10 \
	VPADDQ Y10, AT, AT
#include "search_amd64.h"

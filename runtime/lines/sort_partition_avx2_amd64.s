//go:build amd64 && !purego

#include "textflag.h"

// The partitions of a quicksort, of unsigned keys. The compares of AVX2 are signed, so the first bit is inverted.

DATA sign32<>+0(SB)/4, $0x80000000
GLOBL sign32<>(SB), RODATA|NOPTR, $4
DATA sign64<>+0(SB)/8, $0x8000000000000000
GLOBL sign64<>(SB), RODATA|NOPTR, $8

#define LANES 8
#define BYTES 4
#define SHIFT 2
#define SIGN sign32<>(SB)
#define LESSERFIRST ·lesserFirst32(SB)
#define BROADCAST VPBROADCASTD
#define GREATER VPCMPGTD
#define SIGNS VMOVMSKPS

// func partition32(from, to unsafe.Pointer, n, room int, pivot uint32) int
TEXT ·partition32(SB), NOSPLIT, $0-48
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ room+24(FP), AX
	MOVL pivot+32(FP), BX
#include "sort_partition_amd64.h"

#define LANES 4
#define BYTES 8
#define SHIFT 3
#define SIGN sign64<>(SB)
#define LESSERFIRST ·lesserFirst64(SB)
#define BROADCAST VPBROADCASTQ
#define GREATER VPCMPGTQ
#define SIGNS VMOVMSKPD

// func partition64(from, to unsafe.Pointer, n, room int, pivot uint64) int
TEXT ·partition64(SB), NOSPLIT, $0-48
	MOVQ from+0(FP), SI
	MOVQ to+8(FP), DI
	MOVQ n+16(FP), DX
	MOVQ room+24(FP), AX
	MOVQ pivot+32(FP), BX
#include "sort_partition_amd64.h"

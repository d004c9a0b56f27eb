// The functions that sum bags, of float32 and float64, and the table of them. The including file defines the vectors of its
// engine: see bags_vectors_amd64.h.

// The lanes that are the first ones of fours, in the order of which those that are combined follow each other.
DATA fours<>+0(SB)/8, $0x0703050106020400
GLOBL fours<>(SB), RODATA|NOPTR, $8

#define ADD VADDPS
#define MUL VMULPS
#define SPREAD VBROADCASTSS
#define SHIFT 2
#define VMOVU VMOVUPS
#define BAGS bagsF32<>
#define BAGSEND bagsEndF32<>
#define LONG longBagsF32<>
#define LONGEND longBagsEndF32<>
#define WEIGHTEDBAGS weightedBagsF32<>
#define WEIGHTEDBAGSEND weightedBagsEndF32<>
#define WEIGHTEDLONG weightedLongBagsF32<>
#define WEIGHTEDLONGEND weightedLongBagsEndF32<>
#define RAGGED raggedF32<>
#define RAGGEDEND raggedEndF32<>
#include "bags_vectors_amd64.h"

#undef ADD
#undef MUL
#undef SPREAD
#undef SHIFT
#undef VMOVU
#undef BAGS
#undef BAGSEND
#undef LONG
#undef LONGEND
#undef WEIGHTEDBAGS
#undef WEIGHTEDBAGSEND
#undef WEIGHTEDLONG
#undef WEIGHTEDLONGEND
#undef RAGGED
#undef RAGGEDEND

#define ADD VADDPD
#define MUL VMULPD
#define SPREAD VBROADCASTSD
#define SHIFT 3
#define VMOVU VMOVUPD
#define BAGS bagsF64<>
#define BAGSEND bagsEndF64<>
#define LONG longBagsF64<>
#define LONGEND longBagsEndF64<>
#define WEIGHTEDBAGS weightedBagsF64<>
#define WEIGHTEDBAGSEND weightedBagsEndF64<>
#define WEIGHTEDLONG weightedLongBagsF64<>
#define WEIGHTEDLONGEND weightedLongBagsEndF64<>
#define RAGGED raggedF64<>
#define RAGGEDEND raggedEndF64<>
#include "bags_vectors_amd64.h"

// The functions, in the order of the constants of bags_amd64.go.
DATA sums<>+0(SB)/8, $bagsF32<>(SB)
DATA sums<>+8(SB)/8, $bagsEndF32<>(SB)
DATA sums<>+16(SB)/8, $longBagsF32<>(SB)
DATA sums<>+24(SB)/8, $longBagsEndF32<>(SB)
DATA sums<>+32(SB)/8, $weightedBagsF32<>(SB)
DATA sums<>+40(SB)/8, $weightedBagsEndF32<>(SB)
DATA sums<>+48(SB)/8, $weightedLongBagsF32<>(SB)
DATA sums<>+56(SB)/8, $weightedLongBagsEndF32<>(SB)
DATA sums<>+64(SB)/8, $raggedF32<>(SB)
DATA sums<>+72(SB)/8, $raggedEndF32<>(SB)
DATA sums<>+80(SB)/8, $bagsF64<>(SB)
DATA sums<>+88(SB)/8, $bagsEndF64<>(SB)
DATA sums<>+96(SB)/8, $longBagsF64<>(SB)
DATA sums<>+104(SB)/8, $longBagsEndF64<>(SB)
DATA sums<>+112(SB)/8, $weightedBagsF64<>(SB)
DATA sums<>+120(SB)/8, $weightedBagsEndF64<>(SB)
DATA sums<>+128(SB)/8, $weightedLongBagsF64<>(SB)
DATA sums<>+136(SB)/8, $weightedLongBagsEndF64<>(SB)
DATA sums<>+144(SB)/8, $raggedF64<>(SB)
DATA sums<>+152(SB)/8, $raggedEndF64<>(SB)
GLOBL sums<>(SB), RODATA, $160

//go:build amd64 && !purego

#include "textflag.h"

DATA half<>+0(SB)/4, $0x200000
DATA half<>+4(SB)/4, $0x200000
DATA half<>+8(SB)/4, $0x200000
DATA half<>+12(SB)/4, $0x200000
DATA half<>+16(SB)/4, $0
DATA half<>+20(SB)/4, $0
DATA half<>+24(SB)/4, $0
DATA half<>+28(SB)/4, $0
GLOBL half<>(SB), RODATA|NOPTR, $32

DATA lanes<>+0(SB)/4, $0
DATA lanes<>+4(SB)/4, $4
DATA lanes<>+8(SB)/4, $1
DATA lanes<>+12(SB)/4, $5
DATA lanes<>+16(SB)/4, $2
DATA lanes<>+20(SB)/4, $6
DATA lanes<>+24(SB)/4, $3
DATA lanes<>+28(SB)/4, $7
GLOBL lanes<>(SB), RODATA|NOPTR, $32

DATA pair<>+0(SB)/4, $0
DATA pair<>+4(SB)/4, $0
DATA pair<>+8(SB)/4, $0
DATA pair<>+12(SB)/4, $0
DATA pair<>+16(SB)/4, $1
DATA pair<>+20(SB)/4, $1
DATA pair<>+24(SB)/4, $1
DATA pair<>+28(SB)/4, $1
GLOBL pair<>(SB), RODATA|NOPTR, $32

// The factors of color.YCbCrToRGB, 128 and the bits of a full alpha.
DATA luma<>+0(SB)/4, $0x10101
GLOBL luma<>(SB), RODATA|NOPTR, $4
DATA middle<>+0(SB)/4, $128
GLOBL middle<>(SB), RODATA|NOPTR, $4
DATA redCr<>+0(SB)/4, $91881
GLOBL redCr<>(SB), RODATA|NOPTR, $4
DATA greenCb<>+0(SB)/4, $22554
GLOBL greenCb<>(SB), RODATA|NOPTR, $4
DATA greenCr<>+0(SB)/4, $46802
GLOBL greenCr<>(SB), RODATA|NOPTR, $4
DATA blueCb<>+0(SB)/4, $116130
GLOBL blueCb<>(SB), RODATA|NOPTR, $4
DATA full<>+0(SB)/4, $0xff000000
GLOBL full<>(SB), RODATA|NOPTR, $4
DATA most<>+0(SB)/4, $255
GLOBL most<>(SB), RODATA|NOPTR, $4

// func downBlocks(dst, src *uint8, stride, blocks int, k *int32, taps int)
TEXT ·downBlocks(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ stride+16(FP), DX
	MOVQ blocks+24(FP), CX
	MOVQ k+32(FP), R8
	MOVQ taps+40(FP), R9
	VPBROADCASTD half<>(SB), Y15
	VMOVDQU lanes<>(SB), Y14

block:
	VMOVDQA Y15, Y0
	VMOVDQA Y15, Y1
	VMOVDQA Y15, Y2
	VMOVDQA Y15, Y3
	MOVQ SI, R10
	MOVQ R8, R11
	MOVQ R9, R12

tap:
	VPBROADCASTD (R11), Y4
	VPMOVZXBD (R10), Y5
	VPMOVZXBD 8(R10), Y6
	VPMOVZXBD 16(R10), Y7
	VPMOVZXBD 24(R10), Y8
	VPMULLD Y4, Y5, Y5
	VPMULLD Y4, Y6, Y6
	VPMULLD Y4, Y7, Y7
	VPMULLD Y4, Y8, Y8
	VPADDD Y5, Y0, Y0
	VPADDD Y6, Y1, Y1
	VPADDD Y7, Y2, Y2
	VPADDD Y8, Y3, Y3
	ADDQ DX, R10
	ADDQ $4, R11
	DECQ R12
	JNZ tap
	VPSRAD $22, Y0, Y0
	VPSRAD $22, Y1, Y1
	VPSRAD $22, Y2, Y2
	VPSRAD $22, Y3, Y3
	VPACKSSDW Y1, Y0, Y0
	VPACKSSDW Y3, Y2, Y2
	VPACKUSWB Y2, Y0, Y0
	VPERMD Y0, Y14, Y0
	VMOVDQU Y0, (DI)
	ADDQ $32, SI
	ADDQ $32, DI
	DECQ CX
	JNZ block
	VZEROUPPER
	RET

// func acrossFour(dst, src *uint8, n int, first, k *int32, pairs int)
TEXT ·acrossFour(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ first+24(FP), DX
	MOVQ k+32(FP), R8
	MOVQ pairs+40(FP), R9
	VMOVDQU half<>(SB), Y15
	VMOVDQU pair<>(SB), Y14

pixel:
	MOVLQSX (DX), R10
	LEAQ (SI)(R10*4), R10
	VMOVDQA Y15, Y0
	MOVQ R9, R12

taps:
	VMOVQ (R8), X4
	VPERMD Y4, Y14, Y4
	VPMOVZXBD (R10), Y5
	VPMULLD Y4, Y5, Y5
	VPADDD Y5, Y0, Y0
	ADDQ $8, R8
	ADDQ $8, R10
	DECQ R12
	JNZ taps
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSRAD $22, X0, X0
	VPACKSSDW X0, X0, X0
	VPACKUSWB X0, X0, X0
	VMOVD X0, (DI)
	ADDQ $4, DX
	ADDQ $4, DI
	DECQ CX
	JNZ pixel
	VZEROUPPER
	RET

// func acrossOne(dst, src *uint8, n int, first, k *int32, eights int)
TEXT ·acrossOne(SB), NOSPLIT, $0-48
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ n+16(FP), CX
	MOVQ first+24(FP), DX
	MOVQ k+32(FP), R8
	MOVQ eights+40(FP), R9
	VMOVD half<>(SB), X15

pixel:
	MOVLQSX (DX), R10
	ADDQ SI, R10
	VMOVDQA Y15, Y0
	MOVQ R9, R12

taps:
	VPMOVZXBD (R10), Y5
	VPMULLD (R8), Y5, Y5
	VPADDD Y5, Y0, Y0
	ADDQ $32, R8
	ADDQ $8, R10
	DECQ R12
	JNZ taps
	VEXTRACTI128 $1, Y0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0x4E, X0, X1
	VPADDD X1, X0, X0
	VPSHUFD $0xB1, X0, X1
	VPADDD X1, X0, X0
	VPSRAD $22, X0, X0
	VPACKSSDW X0, X0, X0
	VPACKUSWB X0, X0, X0
	VPEXTRB $0, X0, (DI)
	ADDQ $4, DX
	INCQ DI
	DECQ CX
	JNZ pixel
	VZEROUPPER
	RET

// func doubleSixteens(dst, src *uint8, sixteens int)
TEXT ·doubleSixteens(SB), NOSPLIT, $0-24
	MOVQ dst+0(FP), DI
	MOVQ src+8(FP), SI
	MOVQ sixteens+16(FP), CX

loop:
	VMOVDQU (SI), X0
	VPUNPCKLBW X0, X0, X1
	VPUNPCKHBW X0, X0, X2
	VMOVDQU X1, (DI)
	VMOVDQU X2, 16(DI)
	ADDQ $16, SI
	ADDQ $32, DI
	DECQ CX
	JNZ loop
	RET

// func rgbaEights(dst, y, cb, cr *uint8, eights int)
TEXT ·rgbaEights(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ y+8(FP), SI
	MOVQ cb+16(FP), BX
	MOVQ cr+24(FP), DX
	MOVQ eights+32(FP), CX
	VPBROADCASTD luma<>(SB), Y15
	VPBROADCASTD middle<>(SB), Y14
	VPBROADCASTD redCr<>(SB), Y13
	VPBROADCASTD greenCb<>(SB), Y12
	VPBROADCASTD greenCr<>(SB), Y11
	VPBROADCASTD blueCb<>(SB), Y10
	VPBROADCASTD full<>(SB), Y9
	VPBROADCASTD most<>(SB), Y8
	VPXOR Y7, Y7, Y7

loop:
	VPMOVZXBD (SI), Y0
	VPMOVZXBD (BX), Y1
	VPMOVZXBD (DX), Y2
	VPMULLD Y15, Y0, Y0
	VPSUBD Y14, Y1, Y1
	VPSUBD Y14, Y2, Y2
	VPMULLD Y13, Y2, Y3
	VPMULLD Y12, Y1, Y4
	VPMULLD Y11, Y2, Y5
	VPMULLD Y10, Y1, Y6
	VPADDD Y3, Y0, Y3
	VPSUBD Y4, Y0, Y4
	VPSUBD Y5, Y4, Y4
	VPADDD Y6, Y0, Y6
	VPSRAD $16, Y3, Y3
	VPSRAD $16, Y4, Y4
	VPSRAD $16, Y6, Y6
	VPMAXSD Y7, Y3, Y3
	VPMAXSD Y7, Y4, Y4
	VPMAXSD Y7, Y6, Y6
	VPMINSD Y8, Y3, Y3
	VPMINSD Y8, Y4, Y4
	VPMINSD Y8, Y6, Y6
	VPSLLD $8, Y4, Y4
	VPSLLD $16, Y6, Y6
	VPOR Y9, Y3, Y3
	VPOR Y6, Y4, Y4
	VPOR Y4, Y3, Y3
	VMOVDQU Y3, (DI)
	ADDQ $8, SI
	ADDQ $8, BX
	ADDQ $8, DX
	ADDQ $32, DI
	DECQ CX
	JNZ loop
	VZEROUPPER
	RET

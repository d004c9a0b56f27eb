// The function of places_avx2.h for AVX-512 and elements, LANES in a vector. COMPARE compares the elements Z1
// of a row with the best elements Z2 so far, and puts ROW into PLACE where it has a better one. K6 has where no NaN was.

// func(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
TEXT FIND(SB), NOSPLIT, $0-72
	MOVQ         x+0(FP), SI
	MOVQ         best+8(FP), DI
	MOVQ         place+16(FP), R8
	MOVQ         step+24(FP), R9
	MOVQ         rows+32(FP), R10
	MOVQ         columns+40(FP), R11
	VPBROADCASTD first+48(FP), FIRST
	VPBROADCASTQ turn+56(FP), TURN
	VPTERNLOGD   $0xff, ONE, ONE, ONE
	KXNORW       K6, K6, K6
	MOVQ         $-1, AX
	JMP          more

	PCALIGN $32
vector:
	KMOVW         DX, K7 // the columns that are left
	LOAD.Z        (DI), K7, Z2
	VMOVDQU32.Z   (R8), K7, PLACE
	VMOVDQA32     FIRST, ROW
	MOVQ          SI, R13
	MOVQ          R10, CX

row:
	XOR.Z       (R13), TURN, K7, Z1
	COMPARE
	VPSUBD      ONE, ROW, ROW
	ADDQ        R9, R13
	DECQ        CX
	JNE         row
	LOAD        Z2, K7, (DI)
	VMOVDQU32   PLACE, K7, (R8)
	ADDQ        $64, SI
	ADDQ        $64, DI
	ADDQ        $(4*LANES), R8
	SUBQ        $LANES, R11

more:
	MOVQ    $LANES, DX
	CMPQ    R11, DX
	CMOVQLT R11, DX
	BZHIQ   DX, AX, DX
	TESTQ   R11, R11
	JGT     vector
	XORL  AX, AX
	KORTESTW K6, K6
	SETCC AL
	MOVQ  AX, ret+64(FP)
	VZEROUPPER
	RET

#undef FIND
#undef LANES
#undef LOAD
#undef XOR
#undef COMPARE
#undef PLACE
#undef ROW
#undef ONE
#undef FIRST

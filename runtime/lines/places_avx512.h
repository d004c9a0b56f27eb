// The function of places_avx2.h for AVX-512 and elements, LANES in a vector. COMPARE compares the elements Z1
// of a row with the best elements BEST so far, and puts ROW into PLACE where it has a better one. K6 has where no NaN was.
// Four vectors of columns are compared side by side, the last ones one by one.

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
	JMP          four

	PCALIGN $32
strip:
	LOAD      (DI), BEST0
	LOAD      64(DI), BEST1
	LOAD      128(DI), BEST2
	LOAD      192(DI), BEST3
	VMOVDQU32 (R8), PLACE0
	VMOVDQU32 (4*LANES)(R8), PLACE1
	VMOVDQU32 (8*LANES)(R8), PLACE2
	VMOVDQU32 (12*LANES)(R8), PLACE3
	VMOVDQA32 FIRST, ROW
	MOVQ      SI, R13
	MOVQ      R10, CX

striprow:
	XOR    (R13), TURN, Z1
	COMPARE(BEST0, PLACE0)
	XOR    64(R13), TURN, Z1
	COMPARE(BEST1, PLACE1)
	XOR    128(R13), TURN, Z1
	COMPARE(BEST2, PLACE2)
	XOR    192(R13), TURN, Z1
	COMPARE(BEST3, PLACE3)
	VPSUBD ONE, ROW, ROW
	ADDQ   R9, R13
	DECQ   CX
	JNE    striprow
	LOAD      BEST0, (DI)
	LOAD      BEST1, 64(DI)
	LOAD      BEST2, 128(DI)
	LOAD      BEST3, 192(DI)
	VMOVDQU32 PLACE0, (R8)
	VMOVDQU32 PLACE1, (4*LANES)(R8)
	VMOVDQU32 PLACE2, (8*LANES)(R8)
	VMOVDQU32 PLACE3, (12*LANES)(R8)
	ADDQ      $256, SI
	ADDQ      $256, DI
	ADDQ      $(16*LANES), R8
	SUBQ      $(4*LANES), R11

four:
	CMPQ R11, $(4*LANES)
	JGE  strip
	JMP  more

	PCALIGN $32
vector:
	KMOVW         DX, K7 // the columns that are left
	LOAD.Z        (DI), K7, BEST0
	VMOVDQU32.Z   (R8), K7, PLACE0
	VMOVDQA32     FIRST, ROW
	MOVQ          SI, R13
	MOVQ          R10, CX

row:
	XOR.Z       (R13), TURN, K7, Z1
	COMPARE(BEST0, PLACE0)
	VPSUBD      ONE, ROW, ROW
	ADDQ        R9, R13
	DECQ        CX
	JNE         row
	LOAD        BEST0, K7, (DI)
	VMOVDQU32   PLACE0, K7, (R8)
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
#undef PLACE0
#undef PLACE1
#undef PLACE2
#undef PLACE3
#undef ROW
#undef ONE
#undef FIRST

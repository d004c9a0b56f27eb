// Places of the greatest elements of columns, which TURN turns. Elements have 1<<SHIFT bytes. COMPARE compares the vectors of
// a row from R13 on, which are OFF and NEXT behind it, with the best elements B, C so far; P, Q are in which of the rows these
// are, or -1 if in none. PLACES(P, X, OFF) stores where they are from R8 on, if in one of the rows; X is the lower half of P.

#define LOAD(OFF, B, P) \
	VMOVUPS  OFF(DI), B \
	VPCMPEQD P, P, P

// func(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
TEXT FIND(SB), NOSPLIT, $0-72
	MOVQ         x+0(FP), SI
	MOVQ         best+8(FP), DI
	MOVQ         place+16(FP), R8
	MOVQ         step+24(FP), R9
	MOVQ         rows+32(FP), R10
	MOVQ         columns+40(FP), R11
	SHLQ         $SHIFT, R11             // bytes that are left
	VPBROADCASTD first+48(FP), FIRST
	VPBROADCASTQ turn+56(FP), TURN
	VPCMPEQD     ONE, ONE, ONE
	VPXOR        NAN, NAN, NAN
	JMP          more

	PCALIGN $32
block:
	LOAD(0, Y0, Y4)
	LOAD(32, Y1, Y5)
	LOAD(64, Y2, Y6)
	LOAD(96, Y3, Y7)
	VPXOR ROW, ROW, ROW
	MOVQ  SI, R13
	MOVQ  R10, CX

	PCALIGN $32
row:
	PREFETCHT0 512(R13)
	PREFETCHT0 576(R13)
	COMPARE(0, Y0, Y4, 32, Y1, Y5)
	COMPARE(64, Y2, Y6, 96, Y3, Y7)
	SUBONE ONE, ROW, ROW
	ADDQ   R9, R13
	DECQ   CX
	JNE    row
	VMOVUPS Y0, (DI)
	VMOVUPS Y1, 32(DI)
	VMOVUPS Y2, 64(DI)
	VMOVUPS Y3, 96(DI)
	PLACES(Y4, X4, 0)
	PLACES(Y5, X5, 128>>SHIFT)
	PLACES(Y6, X6, 256>>SHIFT)
	PLACES(Y7, X7, 384>>SHIFT)
	ADDQ $128, SI
	ADDQ $128, DI
	ADDQ $(512>>SHIFT), R8
	SUBQ $128, R11

more:
	CMPQ R11, $128
	JGE  block
	TESTQ R11, R11
	JEQ  done

vector:
	CMPQ R11, $32
	JGE  whole

	// The last vector overlaps the one before it: what is seen twice precedes nothing.
	LEAQ -32(R11), AX
	ADDQ AX, SI
	ADDQ AX, DI
	SHLQ $2, AX
	SARQ $SHIFT, AX
	ADDQ AX, R8
	MOVQ $32, R11

whole:
	LOAD(0, Y0, Y4)
	VPXOR ROW, ROW, ROW
	MOVQ  SI, R13
	MOVQ  R10, CX

next:
	COMPARE(0, Y0, Y4, 0, Y0, Y4)
	SUBONE ONE, ROW, ROW
	ADDQ   R9, R13
	DECQ   CX
	JNE    next
	VMOVUPS Y0, (DI)
	PLACES(Y4, X4, 0)
	ADDQ $32, SI
	ADDQ $32, DI
	ADDQ $(128>>SHIFT), R8
	SUBQ $32, R11
	JNE  vector

done:
	XORL  AX, AX
	VPTEST NAN, NAN
	SETNE AL
	MOVQ  AX, ret+64(FP)
	VZEROUPPER
	RET

#undef FIND
#undef SHIFT
#undef COMPARE
#undef PLACES
#undef SUBONE
#undef LOAD

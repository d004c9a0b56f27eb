//go:build amd64 && !purego

#include "textflag.h"

// How many rows before its copy a row is prefetched.
#define AHEAD 12

// func copyRows(to, from, index unsafe.Pointer, toStep, fromStep, indexStep, rows, bytes, extent, lines int) (copied int, outside int64)
//
// Rows of 32 bytes and more are copied as vectors, shorter ones as two words. The last vector and
// the second word end where the row does, and may overlap the vector, or word, before it: output and
// table are apart.
TEXT ·copyRows(SB), NOSPLIT, $0-96
	MOVQ to+0(FP), DI
	MOVQ from+8(FP), SI
	MOVQ index+16(FP), BX
	MOVQ toStep+24(FP), R8
	MOVQ fromStep+32(FP), R9
	MOVQ indexStep+40(FP), R10
	MOVQ rows+48(FP), CX // how many rows are left
	MOVQ bytes+56(FP), DX
	MOVQ extent+64(FP), R11
	IMUL3Q $AHEAD, R10, R12
	TESTQ CX, CX
	JLE  done

row:
	MOVQ  (BX), AX
	CMPQ  AX, R11
	JAE   done
	IMULQ R9, AX
	ADDQ  SI, AX // the row of the table

	// Prefetch a later row. Its index may be any number: a prefetch never faults.
	MOVQ  lines+72(FP), R14
	TESTQ R14, R14
	JEQ   copy
	CMPQ  CX, $AHEAD
	JLE   copy
	MOVQ  (BX)(R12*1), R13
	IMULQ R9, R13
	ADDQ  SI, R13

line:
	PREFETCHT0 (R13)
	ADDQ $64, R13
	DECQ R14
	JNE  line

copy:
	CMPQ DX, $32
	JB   under32
	MOVQ DI, R13
	MOVQ DX, R14
	SUBQ $128, R14
	JB   few

four:
	VMOVDQU (AX), Y0
	VMOVDQU 32(AX), Y1
	VMOVDQU 64(AX), Y2
	VMOVDQU 96(AX), Y3
	VMOVDQU Y0, (R13)
	VMOVDQU Y1, 32(R13)
	VMOVDQU Y2, 64(R13)
	VMOVDQU Y3, 96(R13)
	ADDQ $128, AX
	ADDQ $128, R13
	SUBQ $128, R14
	JAE  four

few:
	ADDQ $128, R14 // how many bytes are left
	JEQ  next

one:
	CMPQ R14, $32
	JB   last
	VMOVDQU (AX), Y0
	VMOVDQU Y0, (R13)
	ADDQ $32, AX
	ADDQ $32, R13
	SUBQ $32, R14
	JNE  one
	JMP  next

last:
	VMOVDQU -32(AX)(R14*1), Y0
	VMOVDQU Y0, -32(R13)(R14*1)
	JMP next

under32:
	CMPQ DX, $16
	JB   under16
	VMOVDQU (AX), X0
	VMOVDQU -16(AX)(DX*1), X1
	VMOVDQU X0, (DI)
	VMOVDQU X1, -16(DI)(DX*1)
	JMP next

under16:
	CMPQ DX, $8
	JB   under8
	MOVQ (AX), R13
	MOVQ -8(AX)(DX*1), R14
	MOVQ R13, (DI)
	MOVQ R14, -8(DI)(DX*1)
	JMP  next

under8:
	CMPQ DX, $4
	JB   under4
	MOVL (AX), R13
	MOVL -4(AX)(DX*1), R14
	MOVL R13, (DI)
	MOVL R14, -4(DI)(DX*1)
	JMP  next

under4:
	MOVB (AX), R13
	MOVB R13, (DI)
	CMPQ DX, $2
	JB   next
	MOVW -2(AX)(DX*1), R13
	MOVW R13, -2(DI)(DX*1)

next:
	ADDQ R10, BX
	ADDQ R8, DI
	DECQ CX
	JNE  row

done:
	VZEROUPPER
	MOVQ rows+48(FP), DX
	SUBQ CX, DX
	MOVQ DX, copied+80(FP)
	MOVQ AX, outside+88(FP)
	RET

// func prefetchRows(table, index unsafe.Pointer, tableStep, across, n, lines int)
TEXT ·prefetchRows(SB), NOSPLIT, $0-48
	MOVQ table+0(FP), SI
	MOVQ index+8(FP), BX
	MOVQ tableStep+16(FP), R9
	MOVQ across+24(FP), R10
	MOVQ n+32(FP), CX
	MOVQ lines+40(FP), DX

row:
	MOVQ  (BX), AX
	IMULQ R9, AX
	ADDQ  SI, AX
	MOVQ  DX, R14

line:
	PREFETCHT0 (AX)
	ADDQ $64, AX
	DECQ R14
	JNE  line
	ADDQ R10, BX
	DECQ CX
	JNE  row
	RET

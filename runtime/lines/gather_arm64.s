//go:build !purego

#include "textflag.h"

// func copyRows(to, from, index unsafe.Pointer, toStep, fromStep, indexStep, rows, bytes, extent, lines int) (copied int, outside int64)
//
// Rows of 32 bytes and more are copied as pairs of vectors, shorter ones as two vectors or words. The last
// ones end where the row does, and may overlap those before them: output and table are apart. Nothing is
// prefetched.
TEXT ·copyRows(SB), NOSPLIT, $0-96
	MOVD to+0(FP), R0
	MOVD from+8(FP), R1
	MOVD index+16(FP), R2
	MOVD toStep+24(FP), R3
	MOVD fromStep+32(FP), R4
	MOVD indexStep+40(FP), R5
	MOVD rows+48(FP), R6 // how many rows are left
	MOVD bytes+56(FP), R7
	MOVD extent+64(FP), R8
	CMP  $0, R6
	BLE  done

row:
	MOVD (R2), R9
	CMP  R8, R9
	BHS  done
	MADD R4, R1, R9, R10 // the row of the table
	MOVD R0, R11
	CMP  $32, R7
	BLO  under32
	SUBS $128, R7, R12
	BLO  few

four:
	FLDPQ (R10), (F0, F1)
	FLDPQ 32(R10), (F2, F3)
	FLDPQ 64(R10), (F4, F5)
	FLDPQ 96(R10), (F6, F7)
	FSTPQ (F0, F1), (R11)
	FSTPQ (F2, F3), 32(R11)
	FSTPQ (F4, F5), 64(R11)
	FSTPQ (F6, F7), 96(R11)
	ADD   $128, R10
	ADD   $128, R11
	SUBS  $128, R12
	BHS   four

few:
	ADDS $128, R12 // how many bytes are left
	BEQ  next

one:
	SUBS    $32, R12
	BLO     last
	FLDPQ.P 32(R10), (F0, F1)
	FSTPQ.P (F0, F1), 32(R11)
	BNE     one
	B       next

last:
	ADD   R12, R10 // R12 is the number of bytes left, less 32
	ADD   R12, R11
	FLDPQ (R10), (F0, F1)
	FSTPQ (F0, F1), (R11)
	B     next

under32:
	ADD   R7, R10, R12 // behind the rows
	ADD   R7, R11, R13
	TBZ   $4, R7, under16
	FMOVQ (R10), F0
	FMOVQ -16(R12), F1
	FMOVQ F0, (R11)
	FMOVQ F1, -16(R13)
	B     next

under16:
	TBZ  $3, R7, under8
	MOVD (R10), R14
	MOVD -8(R12), R15
	MOVD R14, (R11)
	MOVD R15, -8(R13)
	B    next

under8:
	TBZ   $2, R7, under4
	MOVWU (R10), R14
	MOVWU -4(R12), R15
	MOVW  R14, (R11)
	MOVW  R15, -4(R13)
	B     next

under4:
	MOVBU (R10), R14
	MOVB  R14, (R11)
	CMP   $2, R7
	BLO   next
	MOVHU -2(R12), R14
	MOVH  R14, -2(R13)

next:
	ADD  R5, R2
	ADD  R3, R0
	SUBS $1, R6
	BNE  row

done:
	MOVD rows+48(FP), R7
	SUB  R6, R7
	MOVD R7, copied+80(FP)
	MOVD R9, outside+88(FP)
	RET

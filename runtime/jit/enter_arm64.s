//go:build linux && !purego && !nojit

#include "textflag.h"
#include "funcdata.h"

// func enter(entry uintptr, f *abi.Frame)
// Calls the kernel at an address with a frame. The kernel finds the frame at 8(SP), and from 16(SP) on maxStack bytes of
// its own, which are in the frame of this function: its prologue made sure that the stack has them. So the kernel moves no
// stack pointer, and R30 is its return address all the time. If it faults, Go's signal handler recognises the caller by
// that register, and the fault becomes a panic of the caller.
//
// ISB drops what the processor has fetched ahead: another one may have written the kernel since.
TEXT ·enter(SB), 0, $4104-16
	NO_LOCAL_POINTERS
	MOVD entry+0(FP), R0
	MOVD f+8(FP), R1
	MOVD R1, 8(RSP)
	ISB  $15
	CALL (R0)
	RET

// func synchronize(code []byte)
// Cleans the lines of the data cache, and invalidates those of the instruction cache. CTR_EL0 has the sizes of lines as powers of two
// of 4 bytes (bits 16 to 19 and 0 to 3), and says whether either is not needed (bits 28 and 29).
TEXT ·synchronize(SB), NOSPLIT, $0-24
	MOVD code_base+0(FP), R0
	MOVD code_len+8(FP), R1
	ADD  R0, R1, R1 // the end
	MRS  CTR_EL0, R2
	MOVD $4, R3
	TBNZ $28, R2, cleaned
	UBFX $16, R2, $4, R4
	LSL  R4, R3, R4 // bytes of a line
	SUB  $1, R4, R5
	BIC  R5, R0, R6

clean:
	DC  CVAU, R6
	ADD R4, R6, R6
	CMP R1, R6
	BLO clean

cleaned:
	DSB  $11 // inner shareable: all processors of the process
	TBNZ $29, R2, done
	AND  $15, R2, R4
	LSL  R4, R3, R4
	SUB  $1, R4, R5
	BIC  R5, R0, R6

invalidate:
	WORD $0xd50b7526 // ic ivau, x6
	ADD R4, R6, R6
	CMP R1, R6
	BLO invalidate
	DSB $11

done:
	ISB $15
	RET

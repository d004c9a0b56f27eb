//go:build linux && !purego && !nojit

#include "textflag.h"
#include "funcdata.h"

// func enter(entry uintptr, f *abi.Frame)
// Calls the kernel at an address with a frame. The kernel finds the frame at 8(SP), and from 16(SP) on maxStack bytes of
// its own, which are in the frame of this function: its prologue made sure that the stack has them. So the kernel moves no
// stack pointer, and 0(SP) is its return address all the time. If it faults, Go's signal handler recognises the caller by
// that word, and the fault becomes a panic of the caller.
TEXT ·enter(SB), 0, $4104-16
	NO_LOCAL_POINTERS
	MOVQ entry+0(FP), AX
	MOVQ f+8(FP), CX
	MOVQ CX, 0(SP)
	CALL AX
	RET

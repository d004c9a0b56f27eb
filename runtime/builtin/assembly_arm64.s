//go:build !purego

#include "textflag.h"

// func kernel(f *abi.Frame)
TEXT ·kernel(SB), NOSPLIT, $0-8
	RET

// func callEntry(entry uintptr, f *abi.Frame)
// The kernel finds its frame where the address was, and returns to the caller.
TEXT ·callEntry(SB), NOSPLIT, $0-16
	MOVD entry+0(FP), R0
	MOVD f+8(FP), R1
	MOVD R1, entry+0(FP)
	JMP  (R0)

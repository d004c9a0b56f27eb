//go:build amd64 && !purego

#include "textflag.h"

// func kernel(f *abi.Frame)
TEXT ·kernel(SB), NOSPLIT, $0-8
	RET

// func callEntry(entry uintptr, f *abi.Frame)
// The kernel finds its frame where the address was, and returns to the caller.
TEXT ·callEntry(SB), NOSPLIT, $0-16
	MOVQ entry+0(FP), AX
	MOVQ f+8(FP), CX
	MOVQ CX, entry+0(FP)
	JMP  AX

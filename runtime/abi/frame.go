package abi

import (
	"unsafe"
)

// MaxOperands is the number of operands that a frame has room for. It equals kernel.MaxOperands (a test compares them),
// but package abi imports no package of the compiler, so that a change there does not recompile every kernel.
const MaxOperands = 24

// Frame is the argument of a kernel: a block of Rows x Cols elements. Operands are the kernel's inputs, then its
// outputs. Ptr is the address of an operand's element in the first row and column, Step the number of bytes from one
// row to the next. Along the columns a unit operand is contiguous, and a splat operand stays at one element. Assembly
// reads the fields at fixed offsets, which a test pins.
type Frame struct {
	Rows, Cols int
	Ptr        [MaxOperands]unsafe.Pointer
	Step       [MaxOperands]int
	// NonTemporal is 1 if the kernel may store its outputs past the caches, otherwise 0. The elements are the same, but
	// other processors see them for certain only after a fence.
	NonTemporal int
	// Stopped reports whether the run has failed or is cancelled. A kernel that may take long asks at times,
	// and then returns with any outputs. It is nil for other kernels. Assembly does not read it.
	Stopped func() bool
}

// ABI identifies the layout of Frame and the calling convention. If either changes, ABI3 replaces ABI2, so that older
// generated code stops compiling.
type ABI uint8

// ABI2 is the current kernel interface. If your generated code does not compile because it has another ABI, run go
// generate again.
const ABI2 ABI = 2

// Engine is a way of executing kernels.
type Engine uint8

// The engines. Each is faster than those before it, for the kernels that it has.
const (
	Portable Engine = iota // generated Go loops, or definitions: on every machine
	NEON                   // generated assembly: arm64
	AVX2                   // generated assembly: amd64 with AVX2 and FMA
	AVX512                 // the same with AVX-512 F, DQ, BW and VL
	NumEngines
)

func (e Engine) String() string { return [...]string{"portable", "neon", "avx2", "avx512"}[e] }

// Vector returns the bytes of a vector in the engine's kernels. Go loops have no vectors; schedules count them as AVX2.
func (e Engine) Vector() int { return [...]int{32, 16, 32, 64}[e] }

// Kernel is a compiled loop and the signature of the body that it computes.
type Kernel struct {
	Sig string
	Fn  func(*Frame)
}

package abi

import (
	"unsafe"
)

// MaxOperands is how many operands a frame has room for: kernel.MaxOperands, which a
// test compares. Package abi imports no package of the compiler, so that a change of one
// does not compile every kernel again.
const MaxOperands = 24

// Frame is what a kernel is called with: a block of Rows x Cols elements.
// Operands are the kernel's inputs, then its outputs. Ptr is the address of an
// operand's element in the first row and column, Step the bytes from one row to
// the next. Along the columns a unit operand is contiguous and a splat operand
// stays where it is. Assembly reads the fields at fixed offsets, which a test
// pins.
type Frame struct {
	Rows, Cols int
	Ptr        [MaxOperands]unsafe.Pointer
	Step       [MaxOperands]int
	// NonTemporal is 1 if the kernel may store its outputs past the caches, and else 0. The
	// elements are the same. Other processors are sure to see them only after a fence.
	NonTemporal int
}

// ABI identifies the layout of Frame and the calling rule. A change of either
// replaces ABI2 by ABI3, so that code generated before stops compiling.
type ABI uint8

// ABI2 is the present kernel interface. If your generated code does not
// compile because it has another ABI, run go generate again.
const ABI2 ABI = 2

// Engine is a way of executing kernels.
type Engine uint8

// The engines, each faster than those before it where it has a kernel.
const (
	Portable Engine = iota // generated Go loops, or definitions: every machine
	AVX2                   // generated assembly: amd64 with AVX2 and FMA
	AVX512                 // the same with AVX-512 F, DQ, BW, VL and VNNI
	NumEngines
)

func (e Engine) String() string { return [...]string{"portable", "avx2", "avx512"}[e] }

// Vector returns how many bytes a vector of the engine's kernels has. The Go loops have none:
// schedules count them as those of AVX2.
func (e Engine) Vector() int { return [...]int{32, 32, 64}[e] }

// Kernel is a compiled loop and the signature of the body that it computes.
type Kernel struct {
	Sig string
	Fn  func(*Frame)
}

// Package portable holds every built-in kernel as a Go loop. Register makes them known.
//
// Programs link it on machines that have no assembly, and with the build tag purego. On amd64 it would
// be half of the time that a program takes to build, so that they do not: where the processor has no
// AVX2 they use the loops of basic operations that package builtin has, and compute functions of float64, the fast ones, rare types and
// running sums down columns element by element, by the definition of the kernel. A program that is meant to run there calls
// Register first.
//
// Results have the same bits with it and without.
package portable

import "github.com/stridefuse/stridefuse/runtime/abi"

// Register makes the kernels known to all plans that are linked from then on.
func Register() { abi.Register(abi.ABI2, abi.Portable, kernels_portable) }

//go:generate go run ../../../cmd/genkernels -portable

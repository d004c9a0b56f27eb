// Package codegen turns kernels into files: assembly by a Target, the Go
// declarations and registration beside it, and the portable Go twin.
package codegen

import "github.com/stridefuse/stridefuse/ir"

// Target emits kernels for one instruction set.
type Target interface {
	// Name is what files and engines are called after: "avx2".
	Name() string
	// Assemble returns one assembly file with a function for each kernel, named
	// by Symbol. It fails if it cannot emit one; every canonical kernel within
	// ir's limits can be emitted.
	Assemble(pkg string, kernels []*ir.Kernel) ([]byte, error)
}

// File is a generated file, not written yet.
type File struct {
	Name    string
	Content []byte
}

// The offsets of runtime.Frame's fields in bytes, for targets. A test compares
// them with the Go struct.
const (
	FrameRows = 0
	FrameCols = 8
	FramePtr  = 16
	FrameStep = FramePtr + 8*ir.MaxOperands
)

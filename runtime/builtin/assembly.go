//go:build (amd64 || arm64) && !purego

package builtin

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// assembly is a table of kernels in assembly, by signature. They are no functions of Go: entries
// returns the first of the addresses where they begin.
type assembly struct {
	entries    func() *uintptr
	signatures []string
}

// register makes the kernels known. A build tag may have left all of them out.
func (a assembly) register(e abi.Engine) {
	if len(a.signatures) == 0 {
		return
	}
	entries := unsafe.Slice(a.entries(), len(a.signatures))
	kernels := make([]abi.Kernel, len(a.signatures))
	for i, sig := range a.signatures {
		kernels[i] = abi.Kernel{Sig: sig, Fn: function(entries[i])}
	}
	abi.RegisterBuiltin(e, kernels)
}

// function returns the func value of the kernel at an address.
func function(entry uintptr) func(*abi.Frame) {
	return func(f *abi.Frame) { callEntry(entry, f) }
}

// kernel is not called. The compiler writes down which arguments of it are pointers, and the kernels in
// assembly, which have the same argument and no declaration, refer to that.
//
//lint:ignore U1000 assembly refers to it
//go:noescape
func kernel(f *abi.Frame)

// callEntry calls the kernel at an address with a frame.
//
//go:noescape
func callEntry(entry uintptr, f *abi.Frame)

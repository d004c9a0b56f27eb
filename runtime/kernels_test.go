package runtime_test

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Kernels for tests: the definitions of all there can be, and such as call a function
// first.

// with returns an executor, whose kernels a lookup finds from now on.
func with(kernels runtime.Lookup, e *runtime.Executor) *runtime.Executor {
	e.SetLookup(kernels)
	return e
}

// before is a lookup whose kernels call a function first. Runs may do so at once.
func before(f func(signature string, frame *abi.Frame)) runtime.Lookup {
	return func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		fn, ok := abi.Lookup(e, sig)
		return func(frame *abi.Frame) { f(sig, frame); fn(frame) }, ok
	}
}

// anyKernel is a lookup that has every kernel: its definition.
func anyKernel(_ abi.Engine, signature string) (func(*abi.Frame), bool) {
	if _, err := kernel.ParseCode(signature); err != nil {
		return nil, false
	}
	return runtime.Defined(signature), true
}

// orAnyKernel is a lookup of the compiled kernels, and of definitions of those that are
// not.
func orAnyKernel(e abi.Engine, signature string) (func(*abi.Frame), bool) {
	if fn, ok := abi.Lookup(e, signature); ok || e != abi.Portable {
		return fn, ok
	}
	return anyKernel(e, signature)
}

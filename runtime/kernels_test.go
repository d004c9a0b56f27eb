package runtime_test

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
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

// defined are the kernels that anyKernel has made.
var defined sync.Map

// anyKernel is a lookup that has every kernel: its definition.
func anyKernel(_ abi.Engine, signature string) (func(*abi.Frame), bool) {
	if fn, ok := defined.Load(signature); ok {
		return fn.(func(*abi.Frame)), true
	}
	code, err := kernel.ParseCode(signature)
	if err != nil {
		return nil, false
	}
	reference, err := nest.ReferenceOf(code)
	if err != nil {
		return nil, false
	}
	args := code.Args()
	fn := func(f *abi.Frame) { reference(ir.Defined, &frameBlock{code, args, f}) }
	defined.Store(signature, fn)
	return fn, true
}

// orAnyKernel is a lookup of the compiled kernels, and of definitions of those that are
// not.
func orAnyKernel(e abi.Engine, signature string) (func(*abi.Frame), bool) {
	if fn, ok := abi.Lookup(e, signature); ok || e != abi.Portable {
		return fn, ok
	}
	return anyKernel(e, signature)
}

// frameBlock shows a call's frame to the definition of its kernel.
type frameBlock struct {
	code kernel.Code
	args []kernel.Arg
	f    *abi.Frame
}

func (b *frameBlock) Rows() int       { return b.f.Rows }
func (b *frameBlock) Cols() int       { return b.f.Cols }
func (b *frameBlock) Field(i int) int { return b.f.Step[b.code.FieldAt(i)] }

func (b *frameBlock) at(arg, outer, inner int) unsafe.Pointer {
	across := b.args[arg].DType.Size()
	if d := b.args[arg].Across; d != kernel.One {
		across = b.Field(int(d - kernel.Field0))
	}
	return unsafe.Add(b.f.Ptr[arg], outer*b.f.Step[arg]+inner*across)
}

func (b *frameBlock) Get(arg, outer, inner int) uint64 {
	return loadElement(b.args[arg].DType, b.at(arg, outer, inner))
}

func (b *frameBlock) Set(arg, outer, inner int, bits uint64) {
	memory.StoreBits(b.args[arg].DType, b.at(arg, outer, inner), bits)
}

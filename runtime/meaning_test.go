package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// frameBlock shows a call's frame to the kernel's reference function.
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

// meanings is a lookup that has every kernel: what it means.
func meanings(_ abi.Engine, signature string) (func(*abi.Frame), bool) {
	code, err := kernel.ParseCode(signature)
	if err != nil {
		return nil, false
	}
	reference, err := nest.ReferenceOf(code)
	return func(f *abi.Frame) { reference(&frameBlock{code, code.Args(), f}) }, err == nil
}

// orMeanings is a lookup of compiled kernels, and of meanings of those that are not.
func orMeanings(e abi.Engine, signature string) (func(*abi.Frame), bool) {
	if fn, ok := abi.Lookup(e, signature); ok || e != abi.Portable {
		return fn, ok
	}
	return meanings(e, signature)
}

package runtime

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// Kernels computed by their definition. Programs on amd64 contain few Go loops of the library's kernels. If the processor cannot run the
// assembly of another kernel, each element is computed as the table of ops defines it. The library's kernels of several operations
// do not exist then, except those of scans: tilings replace them.

// Defined returns a function that computes a valid kernel by its definition. Tests register it for kernels that are not generated.
func Defined(signature string) func(*abi.Frame) { return defined(signature).compute }

// defined returns a kernel of the library with its meaning.
func defined(signature string) *linkedKernel {
	if k := known(abi.NumEngines, signature); k != nil {
		return k
	}
	code, err := kernel.ParseCode(signature)
	if err != nil {
		panic(fmt.Sprintf("BUG: runtime: a kernel of the library does not parse: %v", err))
	}
	k := linkKernel(code, signature, abi.Portable)
	if k.meaning, err = nest.ReferenceOf(code); err != nil {
		panic(fmt.Sprintf("BUG: runtime: a kernel of the library: %v", err))
	}
	linkedKernels[abi.NumEngines].Store(signature, k)
	return k
}

// takesPlace reports whether runs compute the kernel by its definition if it has no other form. For kernels of several operations or with
// broadcast operands, tilings of other kernels are faster.
func (k *linkedKernel) takesPlace() bool {
	switch k := k.code.(type) {
	case *kernel.Kernel:
		copies := len(k.Body) == 1 && k.Body[0].Op == ir.OpCopy
		return copies || kernel.OfScans(k) || len(k.Body) <= 1 && !slices.ContainsFunc(k.In, func(in kernel.Operand) bool { return in.Splat })
	case *kernel.Micro:
		return k.Body == nil || len(k.Body.Body) == 0
	}
	return false
}

func (k *linkedKernel) compute(f *abi.Frame) { k.meaning(ir.Defined, &frameBlock{k, f}) }

// frameBlock presents a frame as a kernel.Block to the definition of its kernel.
type frameBlock struct {
	*linkedKernel
	f *abi.Frame
}

func (b *frameBlock) Rows() int       { return b.f.Rows }
func (b *frameBlock) Cols() int       { return b.f.Cols }
func (b *frameBlock) Field(i int) int { return b.f.Step[b.code.FieldAt(i)] }

func (b *frameBlock) Get(arg, outer, inner int) uint64 {
	d := b.args[arg].DType
	bits := memory.LoadBits(d, b.at(arg, outer, inner))
	if ir.Complements.Has(d) {
		return ir.Wrap(d, int64(bits))
	}
	return bits
}

func (b *frameBlock) Set(arg, outer, inner int, element uint64) {
	memory.StoreBits(b.args[arg].DType, b.at(arg, outer, inner), element)
}

// at returns the address of an element of an argument.
func (b *frameBlock) at(arg, outer, inner int) unsafe.Pointer {
	a := &b.args[arg]
	across := a.DType.Size()
	if a.Across != kernel.One {
		across = b.Field(int(a.Across - kernel.Field0))
	}
	return unsafe.Add(b.f.Ptr[arg], outer*b.f.Step[arg]+inner*across)
}

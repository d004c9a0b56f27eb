package blas

// The compiled kernels that the routines are made of. A frame has the number of rows and columns of a block, and for each operand an
// address and the bytes from one row to the next. Kernels check nothing: a routine has compared each matrix and vector with the length of
// its slice before.

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/builtin"
)

// float is a type that kernels compute in.
type float interface{ float32 | float64 }

// maxInputs is the greatest number of inputs of a kernel.
const maxInputs = 9

// loop is a compiled kernel, and the places of its operands in a frame.
type loop struct {
	call func(*abi.Frame)
	in   [maxInputs]int
	out  int
}

// kernels has the loops of one type. The operands u and v are contiguous along a row, s is one element for each row.
type kernels struct {
	dot       loop // out = a·b, or out += a·b: at most 2*kernel.DotColumns columns and ir.DotChunk pairs
	transpose loop // out[r,c] = in[c,r]
	scale     loop // out = u*s
	axpy      loop // out = s*u + v, rounded once
	axpy4     loop // out = s0*u0 + (s1*u1 + (s2*u2 + (s3*u3 + v))), each rounded once
	dots      loop // out[r] = the sum of u*v, for at most ir.ReduceChunk columns
	squares   loop // out[r] = the sum of u*u, likewise
	sums      loop // out[r] = the sum of |u|, likewise
}

// register makes the library's kernels known.
var register = sync.OnceFunc(builtin.Register)

// newKernels looks up the kernels of a type for an engine. It returns nil if one of them has no assembly there.
func newKernels(d ir.DType, on abi.Engine) *kernels {
	if on == abi.Portable {
		return nil
	}
	register()
	u, s := kernel.Operand{DType: d}, kernel.Operand{DType: d, Splat: true}
	square, magnitude := kernel.NewBuilder(u), kernel.NewBuilder(u)
	square.Store(square.Op(ir.OpMul, 0, 0))
	magnitude.Store(magnitude.Op(ir.OpAbs, 0))
	k := new(kernels)
	for _, l := range []struct {
		loop *loop
		code kernel.Code
	}{
		{&k.dot, &kernel.Micro{Kind: kernel.Dot, Type: d}},
		{&k.transpose, &kernel.Micro{Kind: kernel.Transpose, Type: kernel.BitsType(d)}},
		{&k.scale, chain(ir.OpMul, u, s)},
		{&k.axpy, chain(ir.OpFMA, s, u, u)},
		{&k.axpy4, chain(ir.OpFMA, s, u, s, u, s, u, s, u, u)},
		{&k.dots, sum(chain(ir.OpMul, u, u))},
		{&k.squares, sum(square.Kernel())},
		{&k.sums, sum(magnitude.Kernel())},
	} {
		if !l.loop.find(l.code, on) {
			return nil
		}
	}
	return k
}

// chain returns the kernel that applies an op to the last operands, then to those before them and its result, and so on.
func chain(op ir.Op, operands ...kernel.Operand) *kernel.Kernel {
	b, others := kernel.NewBuilder(operands...), op.Info().Arity-1
	at := len(operands) - 1
	result := kernel.Ref(at)
	for at -= others; at >= 0; at -= others {
		var args []kernel.Ref
		for i := range others {
			args = append(args, kernel.Ref(at+i))
		}
		result = b.Op(op, append(args, result)...)
	}
	b.Store(result)
	return b.Kernel()
}

// sum returns the kernel that adds up the elements of a body in each row.
func sum(body *kernel.Kernel) *kernel.Micro {
	return &kernel.Micro{Kind: kernel.Reduce, Combine: []ir.Op{ir.OpAdd}, Body: body}
}

// find looks the kernel up. It reports whether there is assembly for it.
func (l *loop) find(code kernel.Code, on abi.Engine) bool {
	canon, order := kernel.Canonical(code)
	fn, found, ok := abi.Find(on, canon.Signature())
	l.call, l.out = fn, len(order)
	for place, in := range order {
		l.in[in] = place
	}
	return ok && found != abi.Portable
}

// call calls a kernel. Assembly can't be interrupted, and neither a loop around it nor a func value has a point where Go's runtime can stop
// the goroutine. The prologue of this function has.
//
//go:noinline
func call(fn func(*abi.Frame), f *abi.Frame) { fn(f) }

// at returns the address of the first element of a slice.
func at[T float](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

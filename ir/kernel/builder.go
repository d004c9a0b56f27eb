package kernel

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Builder builds a kernel's body. Equal instructions become one. Its methods panic on operands that an op does not take:
// that is a bug of the caller, whose graph was checked before.
type Builder struct {
	k    Kernel
	seen map[Inst]Ref
}

// SetFast puts the kernel into the fast tier.
func (b *Builder) SetFast(fast bool) { b.k.Fast = fast }

// NewBuilder starts a kernel with the given operands, Refs 0, 1, ...
func NewBuilder(operands ...Operand) *Builder {
	return &Builder{k: Kernel{In: operands}, seen: map[Inst]Ref{}}
}

// Kernel returns the kernel built so far.
func (b *Builder) Kernel() *Kernel { return &b.k }

// DType returns the element type of a value.
func (b *Builder) DType(r Ref) ir.DType { return b.k.DType(r) }

// Store makes r the next output.
func (b *Builder) Store(r Ref) { b.k.Out = append(b.k.Out, r) }

// Op appends an operation.
func (b *Builder) Op(op ir.Op, args ...Ref) Ref { return b.Inst(op, ir.Invalid, args) }

// Cast converts x to another type.
func (b *Builder) Cast(dt ir.DType, x Ref) Ref { return b.Inst(ir.OpCast, dt, []Ref{x}) }

// Bitcast reinterprets the bits of x as another type of the same size.
func (b *Builder) Bitcast(dt ir.DType, x Ref) Ref { return b.Inst(ir.OpBitcast, dt, []Ref{x}) }

// Const appends a constant with the given bits.
func (b *Builder) Const(dt ir.DType, bits uint64) Ref {
	return b.Add(Inst{Op: ir.OpConst, DType: dt, Bits: bits})
}

// Table appends the entry of a table at an index.
func (b *Builder) Table(name uint64, index Ref) Ref {
	return b.Add(Inst{Op: ir.OpTable, DType: ir.Float32, Args: [3]Ref{index}, Bits: name})
}

// Float appends the element of a float type that is nearest to v.
func (b *Builder) Float(dt ir.DType, v float64) Ref { return b.Const(dt, ir.FromFloat(dt, v)) }

// Int appends an element of any type by its integer value.
func (b *Builder) Int(dt ir.DType, v int64) Ref {
	if ir.Floats.Has(dt) {
		return b.Float(dt, float64(v))
	}
	return b.Const(dt, ir.Wrap(dt, v))
}

func (b *Builder) Inst(op ir.Op, given ir.DType, args []Ref) Ref {
	in := Inst{Op: op}
	types := make([]ir.DType, len(args))
	for i, a := range args {
		in.Args[i], types[i] = a, b.DType(a)
	}
	dt, err := op.ResultType(given, types...)
	if err != nil || len(args) != op.Info().Arity {
		panic(fmt.Sprintf("BUG: kernel.Builder: %s on %v: %v", op, types, err))
	}
	in.DType = dt
	return b.Add(in)
}

func (b *Builder) Add(in Inst) Ref {
	if r, ok := b.seen[in]; ok {
		return r
	}
	b.k.Body = append(b.k.Body, in)
	r := Ref(len(b.k.In) + len(b.k.Body) - 1)
	b.seen[in] = r
	return r
}

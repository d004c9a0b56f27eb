package graph

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// DType is the type of one element.
type DType = ir.DType

// The element types. QInt8 and QUint8 are declared and have no kernels yet:
// using one is an error that says so. Each op on Float16 and BFloat16 computes in float32
// and rounds its result once, to even; subnormal numbers are kept. Sums, scans and products
// of them round at their end. So does Fixed16x16, the multiples of 2^-16 from -32768 to just
// below 32768, which is computed in float64: what is beyond becomes the least or the greatest,
// so that x/0 is one of those, and what is not a number, as 0/0, becomes 0. As float64 has 22
// bits more than its greatest numbers, the error of any function of one argument is below
// 0.50001 of 2^-16. Int8, Int16 and
// Uint16 are computed in int32 and wrap.
const (
	Bool       = ir.Bool
	Int8       = ir.Int8
	Int16      = ir.Int16
	Int32      = ir.Int32
	Int64      = ir.Int64
	Uint8      = ir.Uint8
	Uint16     = ir.Uint16
	Uint32     = ir.Uint32
	Uint64     = ir.Uint64
	Float16    = ir.Float16
	BFloat16   = ir.BFloat16
	Float32    = ir.Float32
	Float64    = ir.Float64
	Fixed16x16 = ir.Fixed16x16
	QInt8      = ir.QInt8
	QUint8     = ir.QUint8
)

// Extent is the number of elements along an axis: a number, or an expression in
// sizes that are known when a program runs. Dim makes one; its methods Add, Sub,
// Mul and Div make others. Where an int is an extent, the bound of a slice, an index or
// the operand of an op, an Extent may be too.
type Extent = ir.Dim

// Shape lists the extents of the axes, outermost first. A scalar has none.
type Shape = ir.Shape

// Pos is a line of the user's source.
type Pos = ir.Pos

// Error is a mistake in a graph or in what it is run on: the line, the op and
// what to do. Find it in an error with errors.As.
type Error = ir.Error

// Decision is an entry of a program's ledger: what the compiler chose, and why.
type Decision = plan.Decision

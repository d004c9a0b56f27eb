package graph

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// DType is the type of one element.
type DType = ir.DType

// The element types.
//
// Storage types are computed in another type. Float16 and BFloat16: each op computes in float32 and rounds its result
// once, to even; subnormal numbers are kept; sums, scans and products round at the end. Fixed16x16 has the multiples of
// 2^-16 from -32768 to just below 32768 and is computed in float64 in the same way: results out of range saturate (x/0
// too), and NaN, as of 0/0, becomes 0. The error of any function of one argument is below 0.50001 of 2^-16, as float64
// has 22 bits more. Int8, Int16 and Uint16 are computed in int32 and wrap.
//
// The types from Float8E4M3FN on can only be stored, moved, chosen by Where and converted. To compute, Cast them to
// Float32 or Int32 and the results back. Go has no types for their elements: Tensor.At returns a float32 or an int8,
// and Set takes any number. An element takes one byte; types of 4 or 2 bits use the low ones.
//
// A Cast to such a type rounds once, to nearest, ties to even. A float beyond the greatest number becomes infinite; it
// becomes NaN in a type without infinities, and the greatest number in Float4E2M1, which has neither. Clip before the
// Cast to saturate. Float8E8M0 takes the greater of two equally near powers of two, and NaN for negative numbers.
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

	Float8E4M3FN   = ir.Float8E4M3FN
	Float8E4M3FNUZ = ir.Float8E4M3FNUZ
	Float8E5M2     = ir.Float8E5M2
	Float8E5M2FNUZ = ir.Float8E5M2FNUZ
	Float8E8M0     = ir.Float8E8M0
	Float4E2M1     = ir.Float4E2M1
	Int4           = ir.Int4
	Int2           = ir.Int2
	Uint4          = ir.Uint4
	Uint2          = ir.Uint2
)

// Extent is the number of elements along an axis: a number, or an expression in sizes that are known when a program
// runs. Dim makes an Extent; its methods Add, Sub, Mul and Div make others. An Extent may stand wherever an int is an
// extent, the bound of a slice, an index or the operand of an op.
type Extent = ir.Dim

// Shape lists the extents of the axes, outermost first. A scalar has none.
type Shape = ir.Shape

// Pos is a line of the user's source.
type Pos = ir.Pos

// Error is a mistake in a graph or in what it runs on: the line, the op and what to do. Find it in an error with
// errors.As.
type Error = ir.Error

// Decision is an entry of a program's ledger: a choice of the compiler, and the reason.
type Decision = plan.Decision

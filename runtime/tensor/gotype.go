package tensor

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Element lists the Go types of elements.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | Half | BFloat | Fixed | float32 | float64
}

// DTypeOf returns the dtype of the Go type T.
func DTypeOf[T Element]() ir.DType {
	switch any(*new(T)).(type) {
	case bool:
		return ir.Bool
	case int8:
		return ir.Int8
	case int16:
		return ir.Int16
	case int32:
		return ir.Int32
	case int64:
		return ir.Int64
	case uint8:
		return ir.Uint8
	case uint16:
		return ir.Uint16
	case uint32:
		return ir.Uint32
	case uint64:
		return ir.Uint64
	case Half:
		return ir.Float16
	case BFloat:
		return ir.BFloat16
	case Fixed:
		return ir.Fixed16x16
	case float32:
		return ir.Float32
	case float64:
		return ir.Float64
	}
	panic(fmt.Sprintf("BUG: tensor: no dtype has elements of %T", *new(T)))
}

// loadAny returns an element as the Go type of the dtype. For a stored dtype, which has no Go type, it is a float32 or
// an int8 of the same number.
func loadAny(dt ir.DType, p unsafe.Pointer) any {
	switch {
	case ir.Minifloats.Has(dt):
		return float32(ir.ToFloat(dt, uint64(*(*uint8)(p))))
	case ir.Subbytes.Has(dt):
		return int8(ir.Wrap(dt, int64(*(*uint8)(p))))
	}
	return loads[dt](p)
}

// loads holds loadAny for each dtype with a Go type.
var loads = map[ir.DType]func(p unsafe.Pointer) any{
	ir.Bool: loadOf[bool],
	ir.Int8: loadOf[int8], ir.Int16: loadOf[int16], ir.Int32: loadOf[int32], ir.Int64: loadOf[int64],
	ir.Uint8: loadOf[uint8], ir.Uint16: loadOf[uint16], ir.Uint32: loadOf[uint32], ir.Uint64: loadOf[uint64],
	ir.Float16: loadOf[Half], ir.BFloat16: loadOf[BFloat], ir.Float32: loadOf[float32], ir.Float64: loadOf[float64],
	ir.Fixed16x16: loadOf[Fixed],
}

func loadOf[T Element](p unsafe.Pointer) any { return *(*T)(p) }

// Half is an element of dtype Float16: the bits of an IEEE binary16. Go programs compute with its Float32.
type Half uint16

// HalfOf rounds f to the nearest Half, ties to even; from 65520 on the result is infinite.
func HalfOf(f float32) Half { return Half(scalar.Float16bits(f)) }

// Float32 returns the exact number.
func (h Half) Float32() float32 { return scalar.Float16frombits(uint16(h)) }

// String returns the number with the fewest digits that distinguish it from other Halfs.
func (h Half) String() string { return scalarText(h) }

// BFloat is an element of dtype BFloat16: the upper half of the bits of a float32. Go programs compute with its
// Float32.
type BFloat uint16

// BFloatOf rounds f to the nearest BFloat, ties to even; beyond the greatest the result is infinite.
func BFloatOf(f float32) BFloat { return BFloat(scalar.BFloat16bits(f)) }

// Float32 returns the exact number.
func (h BFloat) Float32() float32 { return scalar.BFloat16frombits(uint16(h)) }

// String returns the number with the fewest digits that distinguish it from other BFloats.
func (h BFloat) String() string { return scalarText(h) }

// Fixed is an element of dtype Fixed16x16: a signed Q16.16, the number times 2^16 in an int32. Go programs compute with
// its Float64.
type Fixed int32

// FixedOf rounds f to the nearest Fixed, ties to even. It saturates out of range and returns 0 for NaN.
func FixedOf(f float64) Fixed { return Fixed(scalar.Fixed16x16bits(f)) }

// Float64 returns the exact number.
func (q Fixed) Float64() float64 { return scalar.Fixed16x16frombits(uint32(q)) }

// String returns the number with the fewest digits that distinguish it from other Fixeds.
func (q Fixed) String() string { return scalarText(q) }

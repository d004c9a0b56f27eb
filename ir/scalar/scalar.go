// Package scalar is the arithmetic on one element that Go's standard library lacks: float32 multiply-add rounded once,
// conversions of storage types, and minimum and maximum as functions. The evaluator and the generated Go loops call the
// same functions, so they compute the same bits. It imports only the standard library, so that generated files are
// recompiled only if it or package abi changes.
package scalar

import (
	"cmp"
	"math"
)

// Min is the builtin min: NaN if one operand is NaN, and -0 is less than 0. Generated code calls it because its package
// may declare the name min.
func Min[T cmp.Ordered](x, y T) T { return min(x, y) }

// Max is the builtin max. See Min.
func Max[T cmp.Ordered](x, y T) T { return max(x, y) }

// Scalb32 returns x * 2^y for an integer y from -252 to 254. It multiplies by two powers of 2 in the normal range. The
// first product is exact unless x is far from 1, so a subnormal result is rounded once. Both products are converted, so
// that Go can't fuse the last one with a sum.
func Scalb32(x, y float32) float32 {
	k := int32(y) + 2*127
	half := k >> 1
	return float32(float32(x*math.Float32frombits(uint32(half)<<23)) * math.Float32frombits(uint32(k-half)<<23))
}

// Scalb64 is Scalb32 of float64, -2044 <= y <= 2046.
func Scalb64(x, y float64) float64 {
	k := int64(y) + 2*1023
	half := k >> 1
	return float64(float64(x*math.Float64frombits(uint64(half)<<52)) * math.Float64frombits(uint64(k-half)<<52))
}

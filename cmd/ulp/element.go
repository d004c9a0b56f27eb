package main

import (
	"math"

	"github.com/stridefuse/stridefuse/cmd/ulp/oracle"
	"github.com/stridefuse/stridefuse/ir"
)

// Elements as numbers: their type for the oracle, their bits, and their order, in which neighbours differ by one unit
// in the last place.

var formats = map[ir.DType]oracle.Format{ir.Float32: oracle.Single, ir.Float64: oracle.Double}

// float is an element type that functions are measured on.
type float interface{ float32 | float64 }

func dtypeOf[T float]() ir.DType {
	switch any(T(0)).(type) {
	case float32:
		return ir.Float32
	case float64:
		return ir.Float64
	}
	panic("BUG: no other type is a float")
}

func fromBits(dt ir.DType, b uint64) float64 { return ir.ToFloat(dt, b) }

func toBits(dt ir.DType, x float64) uint64 { return ir.FromFloat(dt, x) }

// ordinal returns an element's position in the order: 0 for zeros, 1 for the least subnormal.
func ordinal(dt ir.DType, x float64) int64 {
	n := int64(toBits(dt, math.Abs(x)))
	if x < 0 {
		return -n
	}
	return n
}

// fromOrdinal returns the element at a position, or an infinity beyond the last.
func fromOrdinal(dt ir.DType, n int64) float64 {
	inf := ordinal(dt, math.Inf(1))
	n = min(max(n, -inf), inf)
	if n < 0 {
		return -fromBits(dt, uint64(-n))
	}
	return fromBits(dt, uint64(n))
}

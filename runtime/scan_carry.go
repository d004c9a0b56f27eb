package runtime

import (
	"cmp"
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// A carrier computes the carries of the next chunks of n lines: those of these,
// nil at the first, combined with the last running values, which are step bytes
// apart. Carries are of ir.PartialType.
type carrier func(next, carry, run unsafe.Pointer, n, step int)

type carrierKey struct {
	by ir.Op
	d  ir.DType
}

var carriers = map[carrierKey]carrier{}

func init() {
	addCarriers[float32](ir.Float32)
	addCarriers[float64](ir.Float64)
	addCarriers[int32](ir.Int32)
	addCarriers[uint32](ir.Uint32)
	addCarriers[int64](ir.Int64)
	addCarriers[uint8](ir.Uint8)
	carriers[carrierKey{ir.OpAdd, ir.Float32}] = carryOn[float32](add[float64])
	carriers[carrierKey{ir.OpMul, ir.Float32}] = carryOn[float32](mul[float64])
}

// carrierOf returns the carrier of a scan.
func carrierOf(by ir.Op, d ir.DType) carrier {
	c := carriers[carrierKey{by, d}]
	if c == nil {
		panic(fmt.Sprintf("BUG: runtime: nothing carries on a scan of %s by %s", d, by))
	}
	return c
}

type number interface {
	float32 | float64 | int32 | uint32 | int64 | uint8
	cmp.Ordered
}

func add[T number](x, y T) T { return x + y }

func mul[T number](x, y T) T { return x * y }

func addCarriers[T number](d ir.DType) {
	carriers[carrierKey{ir.OpAdd, d}] = carryOn[T](add[T])
	carriers[carrierKey{ir.OpMul, d}] = carryOn[T](mul[T])
	carriers[carrierKey{ir.OpMin, d}] = carryOn[T](abi.LaneMin[T])
	carriers[carrierKey{ir.OpMax, d}] = carryOn[T](abi.LaneMax[T])
}

// carryOn returns the carrier of an op. T is the elements' type, W that of
// carries.
func carryOn[T, W number](by func(x, y W) W) carrier {
	return func(next, carry, run unsafe.Pointer, n, step int) {
		to := unsafe.Slice((*W)(next), n)
		if carry == nil {
			for i := range to {
				to[i] = W(*(*T)(unsafe.Add(run, i*step)))
			}
			return
		}
		from := unsafe.Slice((*W)(carry), n)
		for i := range to {
			to[i] = by(from[i], W(*(*T)(unsafe.Add(run, i*step))))
		}
	}
}

package eval

import (
	"math"
	"slices"
	"sync"

	"github.com/stridefuse/stridefuse/ir"
)

// Elements at which rewrites of arithmetic tend to be wrong: signed zeros, NaN, infinities, extremes, subnormals, powers of two and
// the numbers beside them at which a type stops being exact.

var specialFloats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, 2.5, -2.5, 3, 10, -10, 100, 1e-3, 1e-30, 1e30,
	math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32, -math.MaxFloat32,
	math.SmallestNonzeroFloat32, 0x1p-126, 0x1p-127, 65504, -65504, 65520, 0x1p-14, 0x1p-24, 0x1p-25, 0x1.8p-24, 2049, 1 + 0x1p-11, 1 << 23, 1<<23 + 1,
	1<<24 - 1, 1 << 24, 1<<24 + 1, 1 << 31, -1 << 31, 1 << 32, 1 << 63, -1 << 63,
	88.7, -103.9, 709.7, -745, math.MaxFloat64, math.SmallestNonzeroFloat64, 0x1p-1022, 1 << 52, 1<<53 - 1, 1 << 53, 1<<53 + 2,
}

var specialInts = []int64{0, 1, -1, 2, 3, -3, 7, 8, 31, 32, 33, 63, 64, 65, 100, -100, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1,
	1<<24 - 1, 1 << 24, 1<<24 + 1, math.MaxInt32, math.MinInt32, math.MaxUint32, 1<<53 - 1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64}

// Specials returns the bits of elements of a type at which rewrites tend to be wrong, each once: for floats zeros, NaN, infinities,
// subnormals and extremes, for integers 0, 1, -1 and extremes, for both 2^24 and 2^53 with their neighbours.
func Specials(d ir.DType) []uint64 { return specials()[d] }

// specials returns the elements for each type.
var specials = sync.OnceValue(func() map[ir.DType][]uint64 {
	of := map[ir.DType][]uint64{}
	for d := ir.Bool; d.Check() == nil; d++ {
		var all []uint64
		switch {
		case d == ir.Bool:
			all = []uint64{0, 1}
		case ir.Fractions.Has(d):
			for _, v := range specialFloats {
				all = append(all, ir.FromFloat(d, v))
			}
		default:
			for _, v := range specialInts {
				all = append(all, ir.Wrap(d, v))
			}
		}
		slices.Sort(all)
		of[d] = slices.Compact(all)
	}
	return of
})

// SpecialArray returns an array of Specials. Each turn has them in another order, so that equal indices of two arrays have other pairs
// of elements: long arrays of turns 0 and 1 have all pairs.
func SpecialArray(d ir.DType, turn int, shape ...int) Array {
	n := 1
	for _, e := range shape {
		n *= e
	}
	of := Specials(d)
	a := Array{DType: d, Shape: shape, Data: make([]uint64, n)}
	for i := range a.Data {
		a.Data[i] = of[(i+turn*(i/len(of)+5))%len(of)]
	}
	return a
}

package kerneltest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Elements are kept in a uint64, as in ir: integers sign- or zero-extended, floats as their bits.

// edgeCount is the number of edge cases of a type; shorter lists repeat.
const edgeCount = 52

var floatEdges = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.1, -0.9, 3, 1.0 / 3, math.Pi,
	math.Inf(1), math.Inf(-1), math.NaN(), 0x1p-149, -0x1p-149, 0x1.fffffcp-127, 0x1p-126, math.MaxFloat32, -math.MaxFloat32,
	0x1p-1074, -0x1p-1074, 0x1p-1022, math.MaxFloat64, -math.MaxFloat64,
	0x1p23 + 1, 0x1p24 + 1, 0x1p53 + 2, 0x1.fffffep30, 0x1p31, -0x1p31, 0x1p32, 0x1.fffffep31, 0x1p63, -0x1p63, 255.5, 88.8, -103.9, 709.9,
	65504, 65520, -65520, 0x1p-14, 0x1p-15, 0x1p-24, 0x1p-25, 0x1.8p-24, 2049, 1 + 0x1p-11,
}

var intEdges = []int64{
	0, 1, -1, 2, 3, -7, 7, 8, 9, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255, 256, 1<<15 - 1, 1 << 15, 1<<16 - 1, 1 << 24, 1<<24 + 1, 1<<53 + 1,
	math.MaxInt32, math.MinInt32, math.MaxInt32 - 1, math.MinInt32 + 1, math.MaxUint32, math.MaxInt64, math.MinInt64, math.MinInt64 + 1,
	-3, -128, 0x5555555555555555, -0x5555555555555556, 12345,
}

// edge returns edge case i of a type.
func edge(d ir.DType, i int) uint64 {
	switch {
	case d == ir.Bool:
		return uint64(i & 1)
	case ir.Fractions.Has(d):
		return element(d, floatEdges[i%len(floatEdges)])
	}
	return extend(d, uint64(intEdges[i%len(intEdges)]))
}

// source chooses element inner of line outer of an argument.
type source func(rng *rand.Rand, args []kernel.Arg, arg, outer, inner int) uint64

// crossed enumerates pairs of edge cases: the first argument with an element per column takes them by column, the
// others by row. Arguments after the first two are shuffled.
func crossed(_ *rand.Rand, args []kernel.Arg, arg, outer, inner int) uint64 {
	first := 0
	for args[first].Inner == kernel.One && first < len(args)-1 {
		first++
	}
	d := args[arg].DType
	switch {
	case arg == first:
		return edge(d, inner)
	case args[arg].Inner == kernel.One:
		return edge(d, outer*(arg+1))
	case arg == first+1:
		return edge(d, outer)
	}
	return edge(d, outer*3+inner*5+arg)
}

// mixed returns an edge case now and then, otherwise a random element of moderate size or of any bits.
func mixed(rng *rand.Rand, args []kernel.Arg, arg, _, _ int) uint64 {
	d := args[arg].DType
	switch n := rng.IntN(8); {
	case n < 2 || d == ir.Bool:
		return edge(d, rng.IntN(1000))
	case n < 4:
		return extend(d, rng.Uint64())
	case ir.Fractions.Has(d):
		return element(d, rng.NormFloat64()*math.Exp2(float64(rng.IntN(12)-4)))
	}
	return extend(d, uint64(rng.IntN(40)-20))
}

// tame returns elements whose reductions are informative, however many there are: floats near 1 whose products stay in
// range, and integers with few bits set, or few clear, in separate lines.
func tame(rng *rand.Rand, args []kernel.Arg, arg, outer, _ int) uint64 {
	d := args[arg].DType
	if ir.Reals.Has(d) {
		return element(d, math.Copysign(math.Exp2(2*rng.Float64()-1), rng.Float64()-0.5))
	}
	bit := uint64(0)
	if rng.IntN(100) == 0 {
		bit = 1 << rng.IntN(d.Bits())
	}
	switch {
	case d == ir.Bool:
		return min(bit, 1) ^ uint64(outer&1)
	case outer%3 == 0:
		return extend(d, rng.Uint64())
	case outer%3 == 1:
		return extend(d, ^bit)
	}
	return extend(d, bit)
}

// extend keeps the low bits of v that d has, and extends them again.
func extend(d ir.DType, v uint64) uint64 { return ir.Wrap(d, int64(v)) }

func element(d ir.DType, v float64) uint64 { return ir.FromFloat(d, v) }

func text(d ir.DType, v uint64) string {
	switch {
	case ir.Fractions.Has(d):
		return fmt.Sprintf("%g (%#x)", ir.ToFloat(d, v), v)
	case ir.Complements.Has(d):
		return fmt.Sprint(int64(v))
	}
	return fmt.Sprint(v)
}

func store(mem []byte, v uint64) {
	switch len(mem) {
	case 1:
		mem[0] = byte(v)
	case 2:
		binary.NativeEndian.PutUint16(mem, uint16(v))
	case 4:
		binary.NativeEndian.PutUint32(mem, uint32(v))
	case 8:
		binary.NativeEndian.PutUint64(mem, v)
	default:
		panic(fmt.Sprintf("kerneltest: an element of %d bytes", len(mem)))
	}
}

func load(d ir.DType, mem []byte) uint64 {
	var v uint64
	switch len(mem) {
	case 1:
		v = uint64(mem[0])
	case 2:
		v = uint64(binary.NativeEndian.Uint16(mem))
	case 4:
		v = uint64(binary.NativeEndian.Uint32(mem))
	case 8:
		v = binary.NativeEndian.Uint64(mem)
	default:
		panic(fmt.Sprintf("kerneltest: an element of %s has %d bytes", d, len(mem)))
	}
	return extend(d, v)
}

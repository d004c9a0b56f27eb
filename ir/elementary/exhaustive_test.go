package elementary_test

import (
	"flag"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/scalar"
)

var long = flag.Bool("long", false, "sweep all float32 and all functions instead of a part")

// byteOps is the arithmetic of integers without limits, before it wraps or saturates. A
// divisor is not 0.
var byteOps = map[ir.Op]func(x, y int) int{
	ir.OpAdd: func(x, y int) int { return x + y }, ir.OpSub: func(x, y int) int { return x - y },
	ir.OpMul: func(x, y int) int { return x * y }, ir.OpDiv: func(x, y int) int { return x / y },
	ir.OpRem: func(x, y int) int { return x % y }, ir.OpMin: func(x, y int) int { return min(x, y) },
	ir.OpMax: func(x, y int) int { return max(x, y) }, ir.OpAnd: func(x, y int) int { return x & y },
	ir.OpOr: func(x, y int) int { return x | y }, ir.OpXor: func(x, y int) int { return x ^ y },
	ir.OpShl: func(x, y int) int { return x << min(uint8(y), 8) }, ir.OpShr: func(x, y int) int { return x >> min(uint8(y), 8) },
	ir.OpFloorDiv: func(x, y int) int { return int(math.Floor(float64(x) / float64(y))) },
	ir.OpMod:      func(x, y int) int { return x - y*int(math.Floor(float64(x)/float64(y))) },
	ir.OpAddSat:   func(x, y int) int { return x + y }, ir.OpSubSat: func(x, y int) int { return x - y },
}

// TestBytes computes every pair of integers of 8 bits.
func TestBytes(t *testing.T) {
	for _, d := range []ir.DType{ir.Int8, ir.Uint8} {
		least, most := 0, 255
		if d == ir.Int8 {
			least, most = -128, 127
		}
		for op, f := range byteOps {
			k, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: d}, kernel.Operand{DType: d})
			require.NoError(t, err)
			evaluate, swapped := elementary.Expand(k).Evaluator(ir.Defined), k.Body[0].Args[0] != 0
			for x := least; x <= most; x++ {
				for y := least; y <= most; y++ {
					want := 0
					if y != 0 || op != ir.OpDiv && op != ir.OpRem && op != ir.OpFloorDiv && op != ir.OpMod {
						want = f(x, y)
					}
					if op == ir.OpAddSat || op == ir.OpSubSat {
						want = min(max(want, least), most)
					}
					in := []uint64{ir.Wrap(d, int64(x)), ir.Wrap(d, int64(y))}
					if swapped {
						in[0], in[1] = in[1], in[0]
					}
					if got := evaluate(in)[0]; got != ir.Wrap(d, int64(want)) {
						require.Failf(t, "differs", "%s of %d and %d, %s: %d, want %d", op, x, y, d, int64(got), want)
					}
				}
			}
		}
	}
}

// TestBits counts bits of every integer of 16 bits, extended to each type.
func TestBits(t *testing.T) {
	for _, d := range ir.Ints.List() {
		for op, f := range map[ir.Op]func(x uint64) int{ir.OpPopCount: bits.OnesCount64, ir.OpBitLen: bits.Len64} {
			k, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: d})
			require.NoError(t, err)
			evaluate := elementary.Expand(k).Evaluator(ir.Defined)
			for i := range int64(1 << 16) {
				x := ir.Wrap(d, i<<48>>48*0x100010001)
				want := f(x << (64 - 8*d.Size()) >> (64 - 8*d.Size()))
				require.Equal(t, uint64(want), evaluate([]uint64{x})[0], "%s of %#x, %s", op, x, d)
			}
		}
	}
}

// TestHalfFunctions compares each function of one float of 16 bits with float32's, rounded
// once by package big, for all inputs.
func TestHalfFunctions(t *testing.T) {
	step := uint64(61)
	if *long {
		step = 1
	}
	for _, d := range []ir.DType{ir.Float16, ir.BFloat16} {
		for _, op := range ir.Ops() {
			info := op.Info()
			if !op.IsElementwise() || info.Arity != 1 || !info.Domain.Has(d) || info.Result != ir.SameType {
				continue
			}
			k, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: d})
			require.NoError(t, err)
			wide, err := kernel.SingleOp(op, ir.Invalid, kernel.Operand{DType: ir.Float32})
			require.NoError(t, err)
			half, single := elementary.Expand(k).Evaluator(ir.Defined), elementary.Expand(wide).Evaluator(ir.Defined)
			for x := uint64(0); x < 1<<16; x += step {
				y := single([]uint64{ir.RefCast(d, ir.Float32, [3]uint64{x})})[0]
				want, got := rounded(d, ir.ToFloat(ir.Float32, y)), half([]uint64{x})[0]
				if want != got && !(ir.IsNaN(d, want) && ir.IsNaN(d, got)) {
					require.Failf(t, "differs", "%s of %#x, %s: %#x, want %#x", op, x, d, got, want)
				}
			}
		}
	}
}

// halfFormats says of the floats of 16 bits how many bits a number has, and the exponent of
// the least subnormal one.
var halfFormats = map[ir.DType]struct{ precision, least, most int }{ir.Float16: {11, -24, 15}, ir.BFloat16: {8, -133, 127}}

// rounded returns the element nearest to v, the even one of two, found by package big.
func rounded(d ir.DType, v float64) uint64 {
	f := halfFormats[d]
	sign := uint64(0)
	if math.Signbit(v) {
		sign = ir.SignBit(d)
	}
	switch {
	case v != v:
		return ir.FromFloat(d, v)
	case v == 0:
		return sign
	case math.IsInf(v, 0):
		return sign | uint64(f.most+f.most+1)<<(f.precision-1)
	}
	x := new(big.Float).SetMode(big.ToNearestEven).SetFloat64(math.Abs(v))
	_, exponent := math.Frexp(math.Abs(v))
	digits := min(f.precision, exponent-f.least)
	if digits < 1 { // below the least number, which half of it and less is not rounded to
		if math.Abs(v) <= math.Ldexp(1, f.least-1) {
			return sign
		}
		return sign | 1
	}
	near, _ := x.SetPrec(uint(digits)).Float64()
	fraction, exponent := math.Frexp(near)
	switch {
	case exponent-1 > f.most:
		return sign | uint64(f.most+f.most+1)<<(f.precision-1)
	case exponent-1 < f.least+f.precision-1:
		return sign | uint64(math.Ldexp(near, -f.least))
	}
	mantissa := uint64(math.Ldexp(fraction, f.precision)) - 1<<(f.precision-1)
	return sign | uint64(exponent-1+f.most)<<(f.precision-1) | mantissa
}

// TestHalfOfFloat32 rounds float32 numbers to 16 bits: with -long all of them. The reference
// is monotonic, so numbers that follow one another and become one element are compared with
// it at the first and the last.
func TestHalfOfFloat32(t *testing.T) {
	step := uint64(65521)
	if *long {
		step = 1
	}
	for d, round := range map[ir.DType]func(float32) uint16{ir.Float16: scalar.Float16bits, ir.BFloat16: scalar.BFloat16bits} {
		check := func(i uint64, got uint16) {
			v := math.Float32frombits(uint32(i))
			if want := rounded(d, float64(v)); want != uint64(got) && !(v != v && ir.IsNaN(d, uint64(got))) {
				require.Failf(t, "differs", "%v to %s: %#x, want %#x", v, d, got, want)
			}
		}
		last := round(0)
		for i := uint64(0); i < 1<<32; i += step {
			got := round(math.Float32frombits(uint32(i)))
			if got != last || i == 0 || i+step >= 1<<32 || i == 1<<31 {
				check(i-min(i, step), last)
				check(i, got)
			}
			last = got
		}
	}
}

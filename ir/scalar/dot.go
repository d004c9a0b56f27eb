package scalar

import (
	"math"
	"unsafe"
)

// Tiles of products for the generated Go loops: a few rows times DotCols columns. They are functions, so that the Go compiler has
// registers for the sums: within the loops over the tiles it keeps half of them in memory.

// DotCols is the number of columns of a tile.
const DotCols = 4

// The operands of a tile: element k of a row is at offset taps[k], in bytes, from the beginning of the row, and w[k] has what it is
// multiplied by. w and taps have the same length.

// Dot32 sets out to the sums of products of DotRows32 rows, which begin at x, added by FMA32 in the order of taps. tame says that
// AreTame32 is true.
func Dot32(out *[DotRows32][DotCols]float32, x *[DotRows32]unsafe.Pointer, taps []int, w [][DotCols]Sum32, tame bool) {
	if !dot32(out, x, taps, w, tame) {
		slowDot32(out, x, taps, w)
	}
}

// slowDot32 is Dot32 for any operands.
func slowDot32(out *[DotRows32][DotCols]float32, x *[DotRows32]unsafe.Pointer, taps []int, w [][DotCols]Sum32) {
	*out = [DotRows32][DotCols]float32{}
	for k := range w {
		for i, row := range x {
			x := *(*float32)(unsafe.Add(row, taps[k]))
			for j, y := range w[k] {
				out[i][j] = FMA32(x, float32(y), out[i][j])
			}
		}
	}
}

// Dot64 sets out to the sums of products of a row, added by math.FMA.
func Dot64(out *[DotCols]float64, x unsafe.Pointer, taps []int, w [][DotCols]float64) {
	taps = taps[:len(w)]
	var t0, t1, t2, t3 float64
	for k := range w {
		y, x := &w[k], *(*float64)(unsafe.Add(x, taps[k]))
		t0, t1, t2, t3 = math.FMA(x, y[0], t0), math.FMA(x, y[1], t1), math.FMA(x, y[2], t2), math.FMA(x, y[3], t3)
	}
	*out = [DotCols]float64{t0, t1, t2, t3}
}

// DotInts sets out to the sums of products of a row.
func DotInts[T int32 | int64](out *[DotCols]T, x unsafe.Pointer, taps []int, w [][DotCols]T) {
	taps = taps[:len(w)]
	var t0, t1, t2, t3 T
	for k := range w {
		y, x := &w[k], *(*T)(unsafe.Add(x, taps[k]))
		t0, t1, t2, t3 = t0+x*y[0], t1+x*y[1], t2+x*y[2], t3+x*y[3]
	}
	*out = [DotCols]T{t0, t1, t2, t3}
}

// Halves returns the bytes of an element, each a signed integer, as the halves of one of 32 bits.
func Halves(x int16) int32 { return int32(x>>8)<<16 | int32(uint16(int8(x))) }

// DotHalves is DotInts of the sums of products of the halves of elements.
func DotHalves(out *[DotCols]int32, x unsafe.Pointer, taps []int, w [][DotCols]int32) {
	taps = taps[:len(w)]
	var t0, t1, t2, t3 int32
	for k := range w {
		y, x := &w[k], *(*int32)(unsafe.Add(x, taps[k]))
		low, high := int32(int16(x)), x>>16
		t0 += low*int32(int16(y[0])) + high*(y[0]>>16)
		t1 += low*int32(int16(y[1])) + high*(y[1]>>16)
		t2 += low*int32(int16(y[2])) + high*(y[2]>>16)
		t3 += low*int32(int16(y[3])) + high*(y[3]>>16)
	}
	*out = [DotCols]int32{t0, t1, t2, t3}
}

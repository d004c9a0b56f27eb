package lines

import (
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Positions of the minima or maxima of columns. Some rows at a time are compared with the best elements so far, which are kept in
// the outputs. There they are turned: some of their bits are flipped, so that the best one is the greatest of a signed
// type, whatever the op and the type.
//
// A NaN precedes nothing in these comparisons, but they report whether a block of rows had one. Such rows are then searched for it. The
// position of a column's first NaN is stored as a negative number until the end, with infinity as the best element, which nothing
// precedes.

// turned is the set of signed types that turned elements have.
type turned interface {
	int8 | int16 | int32 | int64 | float32 | float64
}

// finder compares some rows of columns with the best elements so far, and updates these and their positions. first is the
// number of the first row. It returns nonzero if there is a NaN.
type finder func(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64

// finders are the finders by size of elements, and the number of rows each takes at once.
type finders struct {
	rows         func(size int) int
	ints, floats map[int]finder
}

// of returns the finder of elements of a type, or nil if there is none.
func (f *finders) of(d ir.DType) finder {
	if ir.Floats.Has(d) {
		return f.floats[d.Size()]
	}
	return f.ints[d.Size()]
}

var portableFinders = finders{
	rows:   placeRows,
	ints:   map[int]finder{1: findRows[int8, uint8], 2: findRows[int16, uint16], 4: findRows[int32, uint32], 8: findRows[int64, uint64]},
	floats: map[int]finder{4: findRows[float32, uint32], 8: findRows[float64, uint64]},
}

// bestPlaces returns the function of a kernel.
func bestPlaces(m *kernel.Micro, by finders) func(*abi.Frame) {
	turn, size := uint64(0), m.Type.Size()
	switch {
	case ir.Floats.Has(m.Type) && m.Op == ir.OpArgMin:
		turn = ir.SignBit(m.Type)
	case ir.Ints.Has(m.Type) && m.Op == ir.OpArgMin:
		turn = math.MaxUint64
	}
	if ir.Ints.Has(m.Type) && !ir.Signed.Has(m.Type) {
		turn ^= 1 << (8*size - 1)
	}
	find, rows := by.of(m.Type), by.rows(size)
	switch {
	case ir.Floats.Has(m.Type) && size == 4:
		return bestPlacesOf[float32, uint32](find, rows, turn)
	case ir.Floats.Has(m.Type):
		return bestPlacesOf[float64, uint64](find, rows, turn)
	}
	return map[int]func(finder, int, uint64) func(*abi.Frame){1: bestPlacesOf[int8, uint8], 2: bestPlacesOf[int16, uint16],
		4: bestPlacesOf[int32, uint32], 8: bestPlacesOf[int64, uint64]}[size](find, rows, turn)
}

// placeRows returns the number of rows that are compared at once, while the best elements of some columns are in registers. Each
// row is a stream of memory, and rows are numbered in signed bytes. Zen 3, 2048x2048 int16: eight rows take 1.6 times as long, four
// 1.5; float64 and int64: eight take 0.95 and 0.75.
func placeRows(size int) int {
	if size == 8 {
		return 8
	}
	return 16
}

// bestPlacesOf returns the function that finds elements of type T with bits of type U.
func bestPlacesOf[T turned, U bits](find finder, atOnce int, turn uint64) func(*abi.Frame) {
	size := int(unsafe.Sizeof(T(0)))
	for width := 8 * size; width < 64; width *= 2 { // repeat in all elements of a word
		turn = turn&(1<<width-1) | turn<<width
	}
	least := asTurned[T](U(1) << (8*size - 1))
	if isFraction := T(1)/2 != 0; isFraction {
		least = T(math.Inf(-1))
	}
	return func(f *abi.Frame) {
		for r := range f.Rows {
			x, step, n := f.Ptr[0], f.Step[0], f.Step[3]
			place, best := unsafe.Slice((*int32)(unsafe.Add(f.Ptr[1], r*f.Step[1])), f.Cols), unsafe.Slice((*T)(unsafe.Add(f.Ptr[2], r*f.Step[2])), f.Cols)
			clear(place)
			for c := range best {
				best[c] = least
			}
			nan := false
			for first := 0; first < n; first += atOnce {
				rows := min(atOnce, n-first)
				if find(x, unsafe.Pointer(unsafe.SliceData(best)), unsafe.Pointer(unsafe.SliceData(place)), step, rows, f.Cols, first, turn) != 0 {
					findNaN(find, x, step, rows, first, best, place, turn)
					nan = true
				}
				if first+rows < n { // else a pointer would be behind the last row
					x = unsafe.Add(x, rows*step)
				}
			}
			turnBack(best, U(turn))
			if nan {
				placeNaN(best, place)
			}
		}
	}
}

// asTurned returns the element with the given bits.
func asTurned[T turned, U bits](b U) T { return *(*T)(unsafe.Pointer(&b)) }

// findRows is the finder in Go.
func findRows[T turned, U bits](x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) (nan uint64) {
	bests, places, mask := unsafe.Slice((*T)(best), columns), unsafe.Slice((*int32)(place), columns), U(turn)
	for r := range rows {
		for c, b := range unsafe.Slice((*U)(unsafe.Add(x, r*step)), columns) {
			switch e := asTurned[T](b ^ mask); {
			case e > bests[c]:
				bests[c], places[c] = e, int32(first+r)
			case e == bests[c]:
				bests[c] = max(bests[c], e) // of zeros this is +0
			case e != e:
				nan = 1
			}
		}
	}
	return nan
}

// nanBytes is the length of the strips of a row that are searched for NaN. A finder compares each strip again, and Go code searches
// the strips that have a NaN. Emerald Rapids, AVX-512, 1024x512 float32: eight NaN take 1.2 times as long as none, one in a thousand
// 6 times; with 256 bytes 1.24 and 9 times. With 64 bytes the finders for AVX2 take a third longer.
const nanBytes = 128

// findNaN records each column's first NaN as its best element, unless the column already has one. The finder sees the rows a second
// time here. That changes no column without a NaN, because no element is greater than the best one so far, nor a column
// whose NaN was found before, because none is greater than infinity. Its results for the other columns are replaced.
func findNaN[T turned](find finder, x unsafe.Pointer, step, rows, first int, best []T, place []int32, turn uint64) {
	size := int(unsafe.Sizeof(T(0)))
	for c := 0; c < len(best); c += nanBytes / size {
		end := min(c+nanBytes/size, len(best))
		if !slices.ContainsFunc(place[c:end], func(p int32) bool { return p >= 0 }) {
			continue // each column has a NaN
		}
		strip := unsafe.Add(x, c*size)
		if find(strip, unsafe.Pointer(&best[c]), unsafe.Pointer(&place[c]), step, rows, end-c, first, turn) != 0 {
			searchNaN(strip, step, rows, first, best[c:end], place[c:end])
		}
	}
}

// searchNaN is findNaN one element after the other.
func searchNaN[T turned](x unsafe.Pointer, step, rows, first int, best []T, place []int32) {
	for r := range rows {
		for c, e := range unsafe.Slice((*T)(unsafe.Add(x, r*step)), len(best)) {
			if e != e && place[c] >= 0 {
				best[c], place[c] = T(math.Inf(1)), ^int32(first+r)
			}
		}
	}
}

// turnBack turns the best elements back.
func turnBack[T turned, U bits](best []T, turn U) {
	if turn == 0 {
		return
	}
	all := unsafe.Slice((*U)(unsafe.Pointer(unsafe.SliceData(best))), len(best))
	for c := range all {
		all[c] ^= turn
	}
}

// placeNaN stores NaN as the best elements of columns with one, and makes their positions positive.
func placeNaN[T turned](best []T, place []int32) {
	for c, p := range place {
		if p < 0 {
			best[c], place[c] = T(math.NaN()), ^p
		}
	}
}

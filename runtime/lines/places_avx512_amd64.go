//go:build amd64 && !purego && !noavx512

package lines

import "unsafe"

// findersAVX512 are the finders of places_avx512.h. They compare some rows with one vector of columns after the other, so rows are
// streams that the processor reads ahead. Emerald Rapids, 2048x2048 float32: 0.48 of the time of the finders for AVX2 with six or
// eight rows, 0.5 with four or twelve, 0.65 with two. Columns in the caches, of 4 or 8 bytes, 2 to 256 of them: 0.25 to 0.95.
var findersAVX512 = finders{
	rows:   func(int) int { return 8 },
	ints:   map[int]finder{4: findInt32AVX512, 8: findInt64AVX512},
	floats: map[int]finder{4: findFloat32AVX512, 8: findFloat64AVX512},
}

func findInt32AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findInt64AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat32AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat64AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64

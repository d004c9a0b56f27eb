//go:build amd64 && !purego && !noavx512

package lines

import "unsafe"

// findersAVX512 are the finders of places_avx512.h. They compare some rows over four vectors of columns, then go to the next four: the best
// elements are loaded and stored once for these rows. Each row is a stream of memory, in a page of its own if it has 4 KiB, and
// more rows at once contain a NaN more often. Emerald Rapids, time of 8 and of 128 rows over that of 16, medians of seven buffers each:
//
//	          256x256     1024x512    2048x2048   1024x257    1024x16
//	float32   1.02 1.02   0.97 1.07   1.03 1.19   1.04 1.06   1.23 0.86
//	float64   1.01 1.01   0.98 1.27   1.09 1.34   0.99 1.27   1.06 1.00
//
// Integers with more than 16 columns: 0.99 to 1.06, and 0.97 to 1.10. 32 rows take the time of 16.
var findersAVX512 = finders{
	rows:   func(int) int { return 16 },
	ints:   map[int]finder{4: findInt32AVX512, 8: findInt64AVX512},
	floats: map[int]finder{4: findFloat32AVX512, 8: findFloat64AVX512},
}

func findInt32AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findInt64AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat32AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat64AVX512(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64

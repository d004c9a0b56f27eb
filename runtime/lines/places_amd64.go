//go:build amd64 && !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Positions of the minima or maxima of columns for AVX2: places_avx2.h.

// registerPlaces registers the kernels among all that find positions.
func registerPlaces(all []*kernel.Micro) {
	by := finders{
		rows:   placeRows,
		ints:   map[int]finder{1: wide(findInt8, portableFinders.ints[1], 1), 2: wide(findInt16, portableFinders.ints[2], 2), 4: wide(findInt32, portableFinders.ints[4], 4), 8: wide(findInt64, portableFinders.ints[8], 8)},
		floats: map[int]finder{4: wide(findFloat32, portableFinders.floats[4], 4), 8: wide(findFloat64, portableFinders.floats[8], 8)},
	}
	var avx2, avx512 []abi.Kernel
	for _, m := range all {
		if m.Kind != kernel.Places {
			continue
		}
		avx2 = append(avx2, abi.Kernel{Sig: m.Signature(), Fn: bestPlaces(m, by)})
		if findersAVX512.of(m.Type) != nil {
			avx512 = append(avx512, abi.Kernel{Sig: m.Signature(), Fn: bestPlaces(m, findersAVX512)})
		}
	}
	abi.RegisterBuiltin(abi.AVX2, avx2)
	abi.RegisterBuiltin(abi.AVX512, avx512)
}

// wide returns a finder that calls the assembly for at least a vector of columns, and other for fewer.
func wide(assembly, other finder, size int) finder {
	return func(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64 {
		if columns*size < abi.AVX2.Vector() {
			return other(x, best, place, step, rows, columns, first, turn)
		}
		return assembly(x, best, place, step, rows, columns, first, turn)
	}
}

func findInt8(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findInt16(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findInt32(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findInt64(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat32(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64
func findFloat64(x, best, place unsafe.Pointer, step, rows, columns, first int, turn uint64) uint64

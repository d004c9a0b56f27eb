//go:build amd64 && !purego

package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The sorts for AVX2: a quicksort, and the conversions of elements to keys and back.

const (
	vectorBytes = 32
	fewVectors  = 8 // that a network in registers sorts
)

var vectorSorters = sorters{
	sorter[uint32]{sortWords: quicksort32, sortFew: sortFew[uint32], few: fewVectors * vectorBytes / 4, toKeys: toKeys32, toElements: toElements32, least: leastPlaces32, toWords: toWords32, partition: partition[uint32]},
	sorter[uint64]{sortWords: quicksort64, sortFew: sortFew[uint64], few: fewVectors * vectorBytes / 8, toKeys: toKeys64, toElements: toElements64, least: leastPlaces64, partition: partition[uint64]},
}

// registerSorts registers the kernels among all that sort.
func registerSorts(all []*kernel.Micro) {
	var list []abi.Kernel
	for _, m := range all {
		switch m.Kind {
		case kernel.Sort:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: sortOf(m, vectorSorters)})
		case kernel.Order:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: orderOf(m, vectorSorters)})
		case kernel.Merge:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: mergeOf(m, vectorSorters)})
		case kernel.Nth:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: nthOf(m, vectorSorters)})
		case kernel.WindowQuantile:
			list = append(list, abi.Kernel{Sig: m.Signature(), Fn: windowQuantileOf(m, vectorSorters)})
		}
	}
	abi.RegisterBuiltin(abi.AVX2, list)
}

// vectorsAtOnce is the greatest number of vectors that one call of assembly converts or searches.
const vectorsAtOnce = 1 << 13

func toKeys32(from, to unsafe.Pointer, n int, k keys[uint32]) (done int, seen special) {
	for left := n / 8; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		seen |= keys32(unsafe.Add(from, 4*done), unsafe.Add(to, 4*done), some, k.flipped(), k.positive, k.nans, k.zero)
		done += 8 * some
	}
	return done, seen
}

func toElements32(from, to unsafe.Pointer, n int, k keys[uint32]) (done int) {
	for left := n / 8; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		elements32(unsafe.Add(from, 4*done), unsafe.Add(to, 4*done), some, k.flipped(), k.positive, k.nans)
		done += 8 * some
	}
	return done
}

func leastPlaces32(from unsafe.Pointer, to []uint32, k keys[uint32], most uint32) (done, found int) {
	for left := len(to) / 8; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		found += least32(unsafe.Add(from, 4*done), &to[found], some, done, k.flipped(), k.positive, most)
		done += 8 * some
	}
	return done, found
}

func toWords32(from unsafe.Pointer, to []uint64, k keys[uint32]) (done int) {
	for left := len(to) / 8; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		words32(unsafe.Add(from, 4*done), &to[done], some, done, k.flipped(), k.positive, k.zero, k.infinity)
		done += 8 * some
	}
	return done
}

func toKeys64(from, to unsafe.Pointer, n int, k keys[uint64]) (done int, seen special) {
	for left := n / 4; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		seen |= keys64(unsafe.Add(from, 8*done), unsafe.Add(to, 8*done), some, k.flipped(), k.positive, k.nans, k.zero)
		done += 4 * some
	}
	return done, seen
}

func toElements64(from, to unsafe.Pointer, n int, k keys[uint64]) (done int) {
	for left := n / 4; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		elements64(unsafe.Add(from, 8*done), unsafe.Add(to, 8*done), some, k.flipped(), k.positive, k.nans)
		done += 4 * some
	}
	return done
}

func leastPlaces64(from unsafe.Pointer, to []uint32, k keys[uint64], most uint64) (done, found int) {
	for left := len(to) / 4; left > 0; left -= vectorsAtOnce {
		some := min(left, vectorsAtOnce)
		found += least64(unsafe.Add(from, 8*done), &to[found], some, done, k.flipped(), k.positive, most)
		done += 4 * some
	}
	return done, found
}

// sortFew stores up to fewVectors vectors of words in order. The memories may be the same.
func sortFew[K word](from, to *K, n int) {
	if unsafe.Sizeof(K(0)) == 4 {
		few32(unsafe.Pointer(from), unsafe.Pointer(to), n)
	} else {
		few64(unsafe.Pointer(from), unsafe.Pointer(to), n)
	}
}

// partition stores the words that are not greater than a pivot, followed by the others, and returns the number of the former.
func partition[K word](from, to []K, pivot K) int {
	if len(from) > partitionTo {
		return partitionLong(from, to, pivot)
	}
	if unsafe.Sizeof(K(0)) == 4 {
		return partition32(unsafe.Pointer(&from[0]), unsafe.Pointer(&to[0]), len(from), len(from), uint32(pivot))
	}
	return partition64(unsafe.Pointer(&from[0]), unsafe.Pointer(&to[0]), len(from), len(from), uint64(pivot))
}

// partitionTo is the greatest number of words that one call of assembly partitions, because such a call must be short. On Zen 3 it takes
// 25 microseconds for 4-byte words, and 50 for 8-byte words.
const partitionTo = 1 << 17

// partitionLong is partition for many words. The calls fill the memory from both ends, and only the first one has words that fill no
// vector.
func partitionLong[K word](from, to []K, pivot K) int {
	lesser, greater := 0, len(from) // the end of the former, and the beginning of the latter
	for n := (len(from)-1)%partitionTo + 1; len(from) > 0; n = partitionTo {
		size := int(unsafe.Sizeof(K(0)))
		source, room := unsafe.Pointer(&from[0]), unsafe.Add(unsafe.Pointer(&to[0]), lesser*size)
		if size == 4 {
			greater = lesser + partition32(source, room, n, greater-lesser, uint32(pivot))
		} else {
			greater = lesser + partition64(source, room, n, greater-lesser, uint64(pivot))
		}
		from = from[n:]
		lesser = greater - len(from)
	}
	return lesser
}

// partition32 and partition64 store n words into memory with room for more: those not greater than a pivot at its beginning, the others
// at its end. They return where the latter begin, and may change the memory between both.
//
//go:noescape
func partition32(from, to unsafe.Pointer, n, room int, pivot uint32) int

//go:noescape
func partition64(from, to unsafe.Pointer, n, room int, pivot uint64) int

//go:noescape
func few32(from, to unsafe.Pointer, n int)

//go:noescape
func few64(from, to unsafe.Pointer, n int)

// keys32 stores the exact keys of elements in whole vectors, and elements32 the elements with given exact keys. least32 stores
// the positions, counted from at, of elements whose keys may be at most most, and returns how many there are.
//
//go:noescape
func keys32(from, to unsafe.Pointer, vectors int, flipped, positive, nans, zero uint32) special

//go:noescape
func elements32(from, to unsafe.Pointer, vectors int, flipped, positive, nans uint32)

//go:noescape
func least32(from unsafe.Pointer, to *uint32, vectors, at int, flipped, positive, most uint32) int

// words32 stores words of the keys and the positions, counted from at.
//
//go:noescape
func words32(from unsafe.Pointer, to *uint64, vectors, at int, flipped, positive, zero, infinity uint32)

//go:noescape
func keys64(from, to unsafe.Pointer, vectors int, flipped, positive, nans, zero uint64) special

//go:noescape
func elements64(from, to unsafe.Pointer, vectors int, flipped, positive, nans uint64)

//go:noescape
func least64(from unsafe.Pointer, to *uint32, vectors, at int, flipped, positive, most uint64) int

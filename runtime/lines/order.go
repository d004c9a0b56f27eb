package lines

import (
	"math"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sorting. Each element gets a key, an unsigned number in the same order; keys with their
// places are sorted by one byte after the other from the lowest on, which keeps equal ones
// in their order. Short lines are sorted by insertion.

// fewElements is up to how many elements insertion is faster than counting bytes.
const fewElements = 48

// sorter is memory for one line: keys and places, and as much to move them to.
type sorter struct {
	keys, otherKeys     []uint64
	places, otherPlaces []int32
}

var sorters = sync.Pool{New: func() any { return new(sorter) }}

// nanKey is behind the keys of all numbers.
const nanKey = math.MaxUint64

func signedKey[T int8 | int16 | int32 | int64](x T) uint64 { return uint64(int64(x)) ^ 1<<63 }

func unsignedKey[T uint8 | uint16 | uint32 | uint64](x T) uint64 { return uint64(x) }

func floatKey32(x float32) uint64 {
	b := math.Float32bits(x + 0) // +0 of -0
	switch {
	case x != x:
		return nanKey
	case b>>31 != 0:
		return uint64(^b)
	}
	return uint64(b | 1<<31)
}

func floatKey64(x float64) uint64 {
	b := math.Float64bits(x + 0)
	switch {
	case x != x:
		return nanKey
	case b>>63 != 0:
		return ^b
	}
	return b | 1<<63
}

// order returns the function that stores the elements of rows in their order, or with
// places where they are. nans says that there may be some.
func order[T any](key func(T) uint64, places, down, nans bool) func(*abi.Frame) {
	return func(f *abi.Frame) {
		s := sorters.Get().(*sorter)
		defer sorters.Put(s)
		across, acrossOut := f.Step[2], f.Step[3]
		for r := range f.Rows {
			in, out := unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], r*f.Step[1])
			s.reserve(f.Cols)
			for c := range s.keys {
				k := key(*(*T)(unsafe.Add(in, c*across)))
				if down && !(nans && k == nanKey) {
					k = ^k
				}
				s.keys[c], s.places[c] = k, int32(c)
			}
			s.sort()
			for c, place := range s.places {
				to := unsafe.Add(out, c*acrossOut)
				if places {
					*(*int64)(to) = int64(place)
				} else {
					*(*T)(to) = *(*T)(unsafe.Add(in, int(place)*across))
				}
			}
		}
	}
}

// reserve makes room for n elements.
func (s *sorter) reserve(n int) {
	if cap(s.keys) < n {
		s.keys, s.otherKeys = make([]uint64, n), make([]uint64, n)
		s.places, s.otherPlaces = make([]int32, n), make([]int32, n)
	}
	s.keys, s.otherKeys, s.places, s.otherPlaces = s.keys[:n], s.otherKeys[:n], s.places[:n], s.otherPlaces[:n]
}

// sort orders the keys, with their places.
func (s *sorter) sort() {
	if len(s.keys) <= fewElements {
		s.insert()
		return
	}
	all, any := uint64(math.MaxUint64), uint64(0) // bits that all keys have, and that some have
	for _, k := range s.keys {
		all, any = all&k, any|k
	}
	for shift := 0; shift < 64; shift += 8 {
		if byte(all>>shift) != byte(any>>shift) { // else they have this byte in common
			s.pass(shift)
		}
	}
}

// insert sorts by insertion.
func (s *sorter) insert() {
	for i := 1; i < len(s.keys); i++ {
		k, p, j := s.keys[i], s.places[i], i
		for ; j > 0 && s.keys[j-1] > k; j-- {
			s.keys[j], s.places[j] = s.keys[j-1], s.places[j-1]
		}
		s.keys[j], s.places[j] = k, p
	}
}

// pass sorts by the byte at a shift.
func (s *sorter) pass(shift int) {
	var at [256]int
	for _, k := range s.keys {
		at[byte(k>>shift)]++
	}
	next := 0
	for b, n := range at {
		at[b], next = next, next+n
	}
	for i, k := range s.keys {
		to := at[byte(k>>shift)]
		at[byte(k>>shift)]++
		s.otherKeys[to], s.otherPlaces[to] = k, s.places[i]
	}
	s.keys, s.otherKeys, s.places, s.otherPlaces = s.otherKeys, s.keys, s.otherPlaces, s.places
}

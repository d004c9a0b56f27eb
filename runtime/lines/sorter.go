package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// word are the types of keys in memory, and of words of a key and a place.
type word interface{ uint32 | uint64 }

// sorter is an engine's way to sort words of a type and to make keys.
type sorter[K word] struct {
	// sortWords sorts words by bits low to high-1, or at least the first ones. It returns them in words or in spare, which has the
	// same length. Words with equal bits keep their order if low is not 0. If the run is stopped, it returns words in any order.
	sortWords func(words, spare []K, first, low, high int, stopped func() bool) []K
	stopped   func() bool // of the frame of a call, or nil: whether the run is stopped
	// sortFew sorts up to few words.
	sortFew func(from, to *K, n int)
	few     int
	// partition stores the words that are not greater than a pivot, followed by the others, and returns the number of the former.
	// There are more than few words.
	partition func(from, to []K, pivot K) int
	// toKeys and toElements convert some whole vectors of the first elements, and return the number of elements. least stores the
	// positions of those among them whose keys may be at most most, and returns how many there are. toWords stores words of the keys
	// and positions. Each is nil if the engine lacks it.
	toKeys     func(from, to unsafe.Pointer, n int, k keys[K]) (int, special)
	toElements func(from, to unsafe.Pointer, n int, k keys[K]) int
	toWords    func(from unsafe.Pointer, to []uint64, k keys[K]) int
	least      func(from unsafe.Pointer, to []uint32, k keys[K], most K) (done, found int)
}

// sort is sortWords in the present call.
func (s *sorter[K]) sort(words, spare []K, first, low, high int) []K {
	return s.sortWords(words, spare, first, low, high, s.stopped)
}

// asking returns the sorter for a call that asks whether the run is stopped.
func (s sorter[K]) asking(f *abi.Frame) sorter[K] {
	s.stopped = f.Stopped
	return s
}

// special is the set of elements of a line that must keep their order although their exact keys differ.
type special int

const (
	someZeros special = 1 << iota // -0
	someNaNs
)

// sorters are the sorters of an engine.
type sorters struct {
	narrow sorter[uint32]
	wide   sorter[uint64]
}

var portableSorters = sorters{
	sorter[uint32]{sortWords: radix[uint32], sortFew: fewInOrder[uint32], few: insertionTo, partition: partitionWords[uint32]},
	sorter[uint64]{sortWords: radix[uint64], sortFew: fewInOrder[uint64], few: insertionTo, partition: partitionWords[uint64]},
}

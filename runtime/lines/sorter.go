package lines

import "unsafe"

// word are the types of keys in memory, and of words of a key and a place.
type word interface{ uint32 | uint64 }

// sorter is how an engine sorts words of a type, and makes keys.
type sorter[K word] struct {
	// sort orders words by their bits from low to high-1, or at least the first ones. It returns
	// them in words or in spare, which is as long. Words of the same bits keep their order if low is not 0.
	sort func(words, spare []K, first, low, high int) []K
	// sortFew orders up to few words. It may be nil.
	sortFew func(from, to *K, n int)
	few     int
	// toKeys and toElements convert some whole vectors of the first elements, and return how many elements. least
	// stores the places of those among them whose keys may be most or less, and returns how many there are. They
	// are nil if the engine has none; so is toWords, which stores words of the keys and the places.
	toKeys     func(from, to unsafe.Pointer, n int, k keys[K]) (int, special)
	toElements func(from, to unsafe.Pointer, n int, k keys[K]) int
	toWords    func(from unsafe.Pointer, to []uint64, k keys[K]) int
	least      func(from unsafe.Pointer, to []uint32, k keys[K], most K) (done, found int)
}

// special says which elements a line has that keep its order, although their exact keys differ.
type special int

const (
	someZeros special = 1 << iota // -0
	someNaNs
)

// sorters are those of an engine.
type sorters struct {
	narrow sorter[uint32]
	wide   sorter[uint64]
}

var portableSorters = sorters{sorter[uint32]{sort: radix[uint32]}, sorter[uint64]{sort: radix[uint64]}}

//go:build amd64 && !purego

package lines

// The quicksort for AVX2 (Bramas 2017; Blacher, Giesen and Kühne 2021): words are partitioned by vectors, and a few are sorted
// by networks in registers.

// quicksort32 and quicksort64 are the sort functions of sorters. If low is not 0, all words are different.
func quicksort32(words, spare []uint32, first, low, high int, stopped func() bool) []uint32 {
	return quicksort(vectorQuick32(words, spare, first, high, stopped), low)
}

func quicksort64(words, spare []uint64, first, low, high int, stopped func() bool) []uint64 {
	return quicksort(vectorQuick64(words, spare, first, high, stopped), low)
}

func quicksort[K word](q quick[K], low int) []K {
	if q.high-low <= 8 && len(q.words) > insertionTo { // keys of a byte are sorted by one digit
		return radix(q.words, q.spare, q.first, low, q.high, q.stopped)
	}
	q.sort(q.all())
	return q.words
}

// vectorQuick32 and vectorQuick64 are not one function: values of generic functions would be allocated.
func vectorQuick32(words, spare []uint32, first, high int, stopped func() bool) quick[uint32] {
	return quick[uint32]{words: words, spare: spare[:len(words)], first: first, high: high, few: fewVectors * vectorBytes / 4,
		partition: partition[uint32], sortFew: sortFew[uint32], stopped: stopped}
}

func vectorQuick64(words, spare []uint64, first, high int, stopped func() bool) quick[uint64] {
	return quick[uint64]{words: words, spare: spare[:len(words)], first: first, high: high, few: fewVectors * vectorBytes / 8,
		partition: partition[uint64], sortFew: sortFew[uint64], stopped: stopped}
}

// lesserFirst32 maps each set of greater lanes to the permutation that puts the lesser lanes first. lesserFirst64 does so for
// 8-byte lanes, in halves.
var (
	lesserFirst32 [256][8]uint8
	lesserFirst64 [16][8]uint8
)

func init() {
	for greater := range lesserFirst32 {
		order := lesserFirst32[greater][:0]
		for _, isGreater := range []int{0, 1} {
			for lane := range 8 {
				if greater>>lane&1 == isGreater {
					order = append(order, uint8(lane))
				}
			}
		}
	}
	for greater := range lesserFirst64 {
		order := lesserFirst64[greater][:0]
		for _, isGreater := range []int{0, 1} {
			for lane := range 4 {
				if greater>>lane&1 == isGreater {
					order = append(order, uint8(2*lane), uint8(2*lane+1))
				}
			}
		}
	}
}

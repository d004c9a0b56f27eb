//go:build amd64 && !purego

package lines

import (
	mathbits "math/bits"
	"unsafe"
)

// A quicksort of words for AVX2 (Bramas 2017; Blacher, Giesen and Kühne 2021). Words are partitioned by vectors, from one of two
// memories to the other and back. A few words are sorted by networks in registers. If pivots divide badly again and again, words
// are sorted digit by digit. So are more than quickTo words, because a call of assembly must be short.

// quickTo is the greatest number of words that are sorted by quicksort. On Zen 3 a partition of that many takes 25 microseconds for
// 4-byte words, and 50 for 8-byte words.
const quickTo = 1 << 17

// quick is a sort of the words that fill both memories. Only the first words need be in order.
type quick[K word] struct {
	words, spare []K
	first        int
	high         int // behind the last bit that may be set
}

// quicksort is the sort function of a sorter. If low is not 0, all words are different.
func quicksort[K word](words, spare []K, first, low, high int) []K {
	if len(words) > quickTo || high-low <= 8 && len(words) > insertionTo { // keys of a byte are sorted by one digit
		return radix(words, spare, first, low, high)
	}
	q := quick[K]{words, spare[:len(words)], first, high}
	q.sort(part[K]{end: len(words), most: ^K(0), splits: 2 * mathbits.Len(uint(len(words)))})
	return words
}

// part is the words from at to end-1, none of which is greater than most. They are in spare if moved is set. The part may be
// partitioned splits more times.
type part[K word] struct {
	at, end int
	most    K
	moved   bool
	splits  int
}

// sort orders a part of words, in words.
func (q *quick[K]) sort(p part[K]) {
	few := fewVectors * vectorBytes / int(unsafe.Sizeof(K(0)))
	for p.end-p.at > few && p.at < q.first {
		from, to := q.words[p.at:p.end], q.spare[p.at:p.end]
		if p.moved {
			from, to = to, from
		}
		if p.splits == 0 {
			copy(q.words[p.at:p.end], radix(from, to, 0, 0, q.high))
			return
		}
		p.splits--
		p.moved = !p.moved
		pivot := pivotOf(from)
		if pivot < p.most {
			middle := p.at + partition(from, to, pivot)
			lesser := p
			lesser.end, lesser.most = middle, pivot
			q.sort(lesser)
			p.at = middle
			continue
		}
		if pivot == 0 { // all are
			clear(q.words[p.at:p.end])
			return
		}
		middle := p.at + partition(from, to, pivot-1) // the others are equal
		for i := range q.words[middle:p.end] {
			q.words[middle+i] = pivot
		}
		p.end, p.most = middle, pivot-1
	}
	if p.end == p.at || p.at >= q.first {
		return
	}
	from := q.words
	if p.moved {
		from = q.spare
	}
	sortFew(&from[p.at], &q.words[p.at], p.end-p.at)
}

// pivotOf returns the median of some words.
func pivotOf[K word](x []K) K {
	var some [32]K
	n := 8
	switch {
	case len(x) > 1<<13:
		n = 32
	case len(x) > 1<<10:
		n = 16
	}
	apart := uint64(len(x)) << 32 / uint64(n)
	at := apart / 2
	for i := range some[:n] {
		some[i] = x[at>>32]
		at += apart
	}
	sortFew(&some[0], &some[0], n)
	return some[n/2]
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

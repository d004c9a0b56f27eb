package lines

import (
	mathbits "math/bits"
	"unsafe"
)

// A quicksort of words. They are partitioned from one of two memories to the other and back. If pivots divide badly again and
// again, words are sorted digit by digit.

// quick is a sort of the words that fill both memories. Only the first words need be in order or, if selects is set, the words
// at some places.
type quick[K word] struct {
	words, spare []K
	first        int
	selects      bool
	places       places
	high         int // behind the last bit that may be set
	few          int // the most words that sortFew sorts
	partition    func(from, to []K, pivot K) int
	sortFew      func(from, to *K, n int)
	stopped      func() bool
}

// places are a few numbers in ascending order, in an array: a slice of it would be allocated.
type places struct {
	at    [nthAtOnce]int
	count int
}

// add adds a place.
func (p *places) add(place int) {
	i := p.count
	for ; i > 0 && p.at[i-1] > place; i-- {
		p.at[i] = p.at[i-1]
	}
	p.at[i] = place
	p.count++
}

// within reports whether a place is at or behind from and before end.
func (p *places) within(from, end int) bool {
	for _, place := range p.at[:p.count] {
		if place >= from {
			return place < end
		}
	}
	return false
}

// all returns the part that all words are.
func (q *quick[K]) all() part[K] {
	return part[K]{end: len(q.words), most: ^K(0), splits: 2 * mathbits.Len(uint(len(q.words)))}
}

// part is the words from at to end-1, none of which is greater than most. They are in spare if moved is set. The part may be
// partitioned splits more times.
type part[K word] struct {
	at, end int
	most    K
	moved   bool
	splits  int
}

// wants reports whether words of a part need be in order.
func (q *quick[K]) wants(p part[K]) bool {
	if !q.selects {
		return p.at < q.first
	}
	return q.places.within(p.at, p.end)
}

// sort orders a part of words, in words. If the run is stopped, it leaves them in any order.
func (q *quick[K]) sort(p part[K]) {
	for p.end-p.at > q.few && q.wants(p) {
		from, to := q.words[p.at:p.end], q.spare[p.at:p.end]
		if p.moved {
			from, to = to, from
		}
		if p.splits == 0 {
			copy(q.words[p.at:p.end], radix(from, to, 0, 0, q.high, q.stopped))
			return
		}
		if stops(q.stopped, len(from)) {
			return
		}
		p.splits--
		p.moved = !p.moved
		pivot := q.pivotOf(from, to)
		if pivot < p.most {
			middle := p.at + q.partition(from, to, pivot)
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
		middle := p.at + q.partition(from, to, pivot-1) // the others are equal
		for i := range q.words[middle:p.end] {
			q.words[middle+i] = pivot
		}
		p.end, p.most = middle, pivot-1
	}
	if p.end == p.at || !q.wants(p) {
		return
	}
	from := q.words
	if p.moved {
		from = q.spare
	}
	q.sortFew(&from[p.at], &q.words[p.at], p.end-p.at)
}

// pivotOf returns the median of some words, in memory for as many.
func (q *quick[K]) pivotOf(x, memory []K) K {
	n := 16
	switch {
	case len(x) <= 1<<10:
		apart := uint(len(x)) / 8
		return medianOf5(x[apart], x[2*apart], x[4*apart], x[6*apart], x[7*apart])
	case len(x) > 1<<13:
		n = 32
	}
	apart := uint64(len(x)) << 32 / uint64(n)
	at := apart / 2
	some := memory[:n]
	for i := range some {
		some[i] = x[at>>32]
		at += apart
	}
	q.sortFew(&some[0], &some[0], n)
	return some[n/2]
}

// medianOf5 returns the median of five words.
func medianOf5[K word](a, b, c, d, e K) K {
	least, most := max(min(a, b), min(c, d)), min(max(a, b), max(c, d)) // one of the five each is below and above, at least
	return max(min(least, most), min(max(least, most), e))
}

// partitionWords is the partition function of the portable sorter.
func partitionWords[K word](from, to []K, pivot K) int {
	to = to[:len(from)]
	below, behind := 0, len(to)
	for _, w := range from {
		to[below], to[behind-1] = w, w
		if w <= pivot {
			below++
		} else {
			behind--
		}
	}
	return below
}

// fewInOrder is sortFew in Go.
func fewInOrder[K word](from, to *K, n int) {
	words := unsafe.Slice(to, n)
	copy(words, unsafe.Slice(from, n))
	insertion(words, 0)
}

package lines

import (
	"cmp"
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Selection from lines that do not fit into the scratch memory. A sample of the keys gives bounds between which a wanted key
// nearly always is (Floyd and Rivest, Algorithm 489: Select, 1975). One reading of the line counts the keys below the
// bounds, and keeps the keys between them. If these do not fit either, every second one, fourth one and so on
// is kept, and they are the sample of the next reading.

const (
	// sampledOf is how many elements of the line there are for one of the sample and for a wanted element. The sample
	// has at least sampleLeast and at most sampleMost elements. A greater one has fewer elements between the bounds, and is
	// sorted longer.
	sampledOf, sampleLeast, sampleMost = 512, 1 << 10, 1 << 15

	// blockElems is the number of keys that are partitioned at a time: two such blocks are in the second-level cache.
	blockElems = 1 << 13

	// halvedFrom is the number of readings after which the possible keys are halved in place of a sample's bounds.
	halvedFrom = 16
)

// test counts the keys below from, and those between from and to, and keeps one in apart of the latter.
type test[K word] struct {
	from, to      K
	below, inside int
	kept          []K
	apart, skip   int
}

// wanted is an element to find: that of a place in the order of the exact keys. Its key is between least and most, and found
// once both are the same. The next test is of keys between from and to.
type wanted[K word] struct {
	place, col  int
	least, most K
	from, to    K
}

// selectLong selects the elements of row r of a call, some at once.
func (n *selector[K]) selectLong(f *abi.Frame, r int, out line[K]) {
	for from := 0; from < f.Cols; from += nthAtOnce {
		n.wants = min(f.Cols-from, nthAtOnce)
		all := n.wanted[:n.wants]
		for i := range all {
			all[i] = wanted[K]{place: nthPlace(f, r, from+i), col: from + i, most: ^K(0)}
		}
		slices.SortFunc(all, func(a, b wanted[K]) int { return cmp.Compare(a.place, b.place) })
		n.find()
		for _, w := range all {
			out.set(w.col, n.element(w.place, w.least))
		}
	}
}

// find finds the keys of the wanted elements, which are in the order of their places.
func (n *selector[K]) find() {
	sample := n.sample()
	for i := range n.wants {
		w := &n.wanted[i]
		w.bounds(sample, w.place, n.line.count)
	}
	n.seen = 0
	for readings := 1; n.prepare(); readings++ {
		n.read()
		for i := range n.making {
			n.settle(&n.tests[i], readings >= halvedFrom)
		}
	}
}

// sample returns the sorted keys of some elements of the line, one of each of as many parts, at random.
func (n *selector[K]) sample() []K {
	size := min(max(n.line.count/sampledOf*(1+n.wants), sampleLeast), sampleMost, len(n.work))
	out, random := n.work[:size], uint64(1)
	part := func(i int) int { return int(int64(n.line.count) * int64(i) / int64(size)) } // the product may exceed an int of 32 bits
	for i := range out {
		from, to := part(i), part(i+1)
		random = random*6364136223846793005 + 1442695040888963407
		out[i] = n.keys.exact(n.line.at(from + int(random>>32*uint64(to-from)>>32)))
	}
	return n.sorter.sort(out, n.spare[:size], size, 0, 8*int(unsafe.Sizeof(K(0))))
}

// bounds sets the next test of an element: the keys of a sorted sample around its place among count keys. They are three
// standard deviations away.
func (w *wanted[K]) bounds(sample []K, place, count int) {
	part, size := (float64(place)+0.5)/float64(count), float64(len(sample))
	at, apart := part*size, 3*math.Sqrt(size*part*(1-part))+2
	w.from, w.to = w.least, w.most
	if i := int(at - apart); i >= 0 {
		w.from = max(sample[i], w.least)
	}
	if i := int(at + apart); i < len(sample) {
		w.to = min(sample[i], w.most)
	}
	if w.from == w.least && w.to == w.most { // the test would say nothing new
		key := min(max(sample[int(at)], w.least), w.most)
		w.from, w.to = key, key
	}
}

// prepare lists the tests of the next reading from the greatest keys on, and joins those that overlap. It returns false if
// all elements are found.
func (n *selector[K]) prepare() bool {
	all := n.tests[:0]
	for _, w := range n.wanted[:n.wants] {
		if w.least < w.most {
			all = append(all, test[K]{from: w.from, to: w.to, apart: 1})
		}
	}
	slices.SortFunc(all, func(a, b test[K]) int { return cmp.Compare(b.to, a.to) })
	joined := all[:min(1, len(all))]
	for _, t := range all[len(joined):] {
		if last := &joined[len(joined)-1]; t.to >= last.from {
			last.from = min(last.from, t.from)
		} else {
			joined = append(joined, t)
		}
	}
	n.making = len(joined)
	for i := range joined { // the blocks have the spare memory
		each := len(n.work) / len(joined)
		joined[i].kept = n.work[i*each : i*each : (i+1)*each]
	}
	return n.making > 0
}

// read makes the tests, block by block.
func (n *selector[K]) read() {
	size := min(blockElems, len(n.spare)/2)
	for at := 0; at < n.line.count; at += size {
		x := line[K]{unsafe.Add(n.line.from, at*n.line.across), n.line.across, min(size, n.line.count-at)}
		keys, other := n.spare[:x.count], n.spare[size:2*size]
		n.seen |= makeKeys(n.keys, x, n.sorter, keys)
		for i := range n.making {
			t := &n.tests[i]
			if t.to < ^K(0) {
				upTo := n.divide(keys, other, t.to)
				keys, other = other[:upTo], keys[:cap(keys)]
			}
			less := 0
			if t.from > 0 {
				less = n.divide(keys, other, t.from-1)
				keys, other = other[:len(keys)], keys[:cap(keys)]
			}
			t.below += less
			t.keep(keys[less:])
			keys = keys[:less]
		}
	}
}

// divide partitions keys.
func (n *selector[K]) divide(from, to []K, pivot K) int {
	if len(from) <= insertionTo {
		return partitionWords(from, to, pivot)
	}
	return n.sorter.partition(from, to[:len(from)], pivot)
}

// keep counts keys between the bounds, and keeps some.
func (t *test[K]) keep(keys []K) {
	t.inside += len(keys)
	if t.from == t.to { // they are the same
		return
	}
	if t.apart == 1 && len(t.kept)+len(keys) <= cap(t.kept) {
		t.kept = append(t.kept, keys...)
		return
	}
	for _, key := range keys {
		if t.skip > 0 {
			t.skip--
			continue
		}
		if len(t.kept) == cap(t.kept) {
			half := len(t.kept) / 2
			for i := range half {
				t.kept[i] = t.kept[2*i]
			}
			t.kept, t.apart = t.kept[:half], 2*t.apart
		}
		t.kept = append(t.kept, key)
		t.skip = t.apart - 1
	}
}

// settle draws the conclusions of a test for all wanted elements. If halves is set, the next test is whether a key is in the
// lower half of the possible ones.
func (n *selector[K]) settle(t *test[K], halves bool) {
	exact, at := t.apart == 1, places{}
	for i := range n.wants {
		w := &n.wanted[i]
		if rank := w.place - t.below; t.tests(w) && rank >= 0 && rank < len(t.kept) {
			at.add(rank)
		}
	}
	if exact {
		n.pick(t.kept, at)
	} else {
		t.kept = n.sorter.sort(t.kept, n.spare[:len(t.kept)], len(t.kept), 0, 8*int(unsafe.Sizeof(K(0))))
	}
	for i := range n.wants {
		w := &n.wanted[i]
		if !t.tests(w) {
			continue
		}
		rank := w.place - t.below
		switch {
		case rank < 0:
			w.between(w.least, t.from-1)
		case rank >= t.inside:
			w.between(t.to+1, w.most)
		case t.from == t.to:
			w.between(t.from, t.from)
		case exact:
			w.between(t.kept[rank], t.kept[rank])
		default:
			w.between(t.from, t.to)
			w.bounds(t.kept, rank, t.inside)
		}
		if halves {
			w.from, w.to = w.least, w.least+(w.most-w.least)/2
		}
	}
}

// tests reports whether a test decides about an element that is not found yet.
func (t *test[K]) tests(w *wanted[K]) bool {
	return w.least < w.most && w.to >= t.from && w.to <= t.to
}

// between narrows the possible keys, all of which the next test takes. If another goroutine changes the line, none may be left.
func (w *wanted[K]) between(least, most K) {
	w.least, w.most = max(w.least, least), min(w.most, most)
	if w.least > w.most {
		w.most = w.least
	}
	w.from, w.to = w.least, w.most
}

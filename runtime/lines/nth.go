package lines

import (
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Selection. The keys of a line that fits into the scratch memory are partitioned as by a quicksort, but only parts with a
// wanted place are divided further (Hoare, Algorithm 65: Find, 1961). See nth_long.go for longer lines.

// nthOf returns the function of a micro-kernel that selects elements of lines.
func nthOf(m *kernel.Micro, s sorters) func(*abi.Frame) {
	switch m.Type.Size() {
	case 1:
		return nthBytes(keysOf[uint8](m.Type, false))
	case 4:
		return nthRows(keysOf[uint32](m.Type, false), s.narrow)
	case 8:
		return nthRows(keysOf[uint64](m.Type, false), s.wide)
	}
	panic("BUG: lines: no selection of " + m.Type.String())
}

// nthRow returns row r of a call of nth, and where its results are stored.
func nthRow[U bits](f *abi.Frame, r int) (x, out line[U]) {
	return line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), f.Step[6], f.Step[5]}, line[U]{unsafe.Add(f.Ptr[2], r*f.Step[2]), f.Step[8], f.Cols}
}

// nthPlace returns place c of row r of a call of nth.
func nthPlace(f *abi.Frame, r, c int) int {
	return ir.NthPlace(*(*int64)(unsafe.Add(f.Ptr[1], r*f.Step[1]+c*f.Step[7])), f.Step[5])
}

// nthBytes counts the elements of each value.
func nthBytes(k keys[uint8]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		for r := range f.Rows {
			x, out := nthRow[uint8](f, r)
			var upTo [256]int // by key: the number of elements that are not greater
			for i := range x.count {
				upTo[k.exact(x.at(i))]++
			}
			for key := range 255 {
				upTo[key+1] += upTo[key]
			}
			for c := range f.Cols {
				key, _ := slices.BinarySearch(upTo[:255], nthPlace(f, r, c)+1)
				out.set(c, k.element(uint8(key)))
			}
		}
	}
}

// nthAtOnce is the greatest number of elements that are searched for at once: as many as quantiles of one call usually need.
const nthAtOnce = 16

// nthRows returns the function for elements of four and eight bytes.
func nthRows[K word](k keys[K], s sorter[K]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		n := selector[K]{keys: k, sorter: s, work: sliceOf[K](unsafe.Slice((*uint64)(f.Ptr[3]), f.Step[9])), spare: sliceOf[K](unsafe.Slice((*uint64)(f.Ptr[4]), f.Step[9]))}
		length, together := f.Step[5], 1
		if f.Step[0] == length*f.Step[6] { // rows follow one another: the keys of several are made in one call
			together = max(1, len(n.work)/length)
		}
		for r := 0; r < f.Rows; r++ {
			var out line[K]
			n.line, out = nthRow[K](f, r)
			if length > len(n.work) {
				n.selectLong(f, r, out)
				continue
			}
			at := r % together
			if at == 0 {
				all := n.line
				all.count *= min(together, f.Rows-r)
				n.seen = makeKeys(k, all, s, n.work[:all.count])
			}
			n.selectShort(f, r, n.work[at*length:][:length], out)
		}
	}
}

// selector selects elements of a line.
type selector[K word] struct {
	keys        keys[K]
	sorter      sorter[K]
	work, spare []K
	line        line[K]
	seen        special // in the line, or in those of which the keys are made together

	// For a long line. The arrays are here so that a call allocates nothing.
	wanted        [nthAtOnce]wanted[K]
	tests         [nthAtOnce]test[K]
	wants, making int // the numbers of both
}

// selectShort selects the elements of row r of a call by the keys of the row.
func (n *selector[K]) selectShort(f *abi.Frame, r int, words []K, out line[K]) {
	switch {
	case len(words) <= n.sorter.few:
		n.sorter.sortFew(&words[0], &words[0], len(words))
	case f.Cols <= nthAtOnce:
		var wanted places
		for c := range f.Cols {
			wanted.add(nthPlace(f, r, c))
		}
		n.pick(words, wanted)
	default:
		words = n.sorter.sort(words, n.spare[:len(words)], len(words), 0, 8*int(unsafe.Sizeof(K(0))))
	}
	for c := range f.Cols {
		place := nthPlace(f, r, c)
		out.set(c, n.element(place, words[place]))
	}
}

// pick moves the words at the given places of sorted words there.
func (n *selector[K]) pick(words []K, at places) {
	q := quick[K]{words: words, spare: n.spare[:len(words)], selects: true, places: at, high: 8 * int(unsafe.Sizeof(K(0))),
		few: n.sorter.few, partition: n.sorter.partition, sortFew: n.sorter.sortFew}
	q.sort(q.all())
}

// element returns the element of a place with a key. Zeros of both signs and NaNs have several exact keys and count as
// equal: the place is theirs in the order of the line.
func (n *selector[K]) element(place int, key K) K {
	if n.seen != 0 {
		for i, c := range n.keys.classes() {
			if n.seen&(someZeros<<i) != 0 && c.has(key) {
				return n.inOrder(place, c)
			}
		}
	}
	return n.keys.element(key)
}

// inOrder returns the element of a place that is in a class.
func (n *selector[K]) inOrder(place int, c class[K]) (e K) {
	for i := range n.line.count {
		if n.keys.exact(n.line.at(i)) < c.least {
			place--
		}
	}
	for i := range n.line.count {
		if v := n.line.at(i); c.has(n.keys.exact(v)) {
			e = v
			if place--; place < 0 {
				break
			}
		}
	}
	return e
}

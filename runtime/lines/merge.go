package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Merging. Each block of a merged run is computed apart: a search along its first diagonal finds
// which elements of the two runs come before it (Odeh, Green, Mwassi, Shmueli and Birk 2012, "Merge
// Path").

// key are the types of keys.
type key interface{ uint32 | uint64 }

// run is elements in order: keys, and as many places.
type run[K key] struct {
	keys   []K
	places []uint32
}

// runOf returns n elements from row r of two arguments on, the keys and behind them the places.
func runOf[K key](f *abi.Frame, arg, r, n int) run[K] {
	return run[K]{unsafe.Slice((*K)(unsafe.Add(f.Ptr[arg], r*f.Step[arg])), n), unsafe.Slice((*uint32)(unsafe.Add(f.Ptr[arg+1], r*f.Step[arg+1])), n)}
}

func (a run[K]) from(i int) run[K] { return run[K]{a.keys[i:], a.places[i:]} }
func (a run[K]) upTo(i int) run[K] { return run[K]{a.keys[:i], a.places[:i]} }

// merge stores blocks of two runs that are merged.
func merge[K key](f *abi.Frame) {
	length, block, far := f.Step[6], f.Step[7], uint32(f.Step[8])
	if f.Cols == 0 || f.Rows == 0 {
		return
	}
	both, first := runOf[K](f, 0, 0, length), min(f.Step[5], length)
	a, b := both.upTo(first), both.from(first)
	for r := range f.Rows {
		from := kernel.MergedFrom(*(*int64)(unsafe.Add(f.Ptr[2], r*f.Step[2])), f.Cols, length, block)
		i := before(a.keys, b.keys, from)
		mergeInto(a.from(i), b.from(from-i), runOf[K](f, 3, r, f.Cols), far)
	}
}

// before returns how many elements of a are among the first n of a and b merged.
func before[K key](a, b []K, n int) int {
	least, most := max(0, n-len(b)), min(n, len(a))
	for least < most {
		i := int(uint(least+most) / 2)
		if b[n-1-i] < a[i] {
			most = i
		} else {
			least = i + 1
		}
	}
	return least
}

// mergeInto fills a run with the first elements of a and b merged, which have as many or more.
// Which run the next element is of is computed without a branch, as it cannot be predicted.
func mergeInto[K key](a, b, out run[K], far uint32) {
	i, j, c := 0, 0, 0
	aPlaces, bPlaces, places := a.places[:len(a.keys)], b.places[:len(b.keys)], out.places[:len(out.keys)]
	for i < len(a.keys) && j < len(b.keys) && c < len(out.keys) {
		key, second := a.keys[i], b.keys[j]
		place, ofSecond := aPlaces[i], bPlaces[j]+far
		take := 0
		if second < key {
			take = 1
		}
		if take != 0 {
			key = second
		}
		if take != 0 {
			place = ofSecond
		}
		out.keys[c], places[c] = key, place
		c, j, i = c+1, j+take, i+1-take
	}
	copy(out.keys[c:], a.keys[i:])
	c += copy(places[c:], aPlaces[i:])
	copy(out.keys[c:], b.keys[j:])
	for k := range places[c:] {
		places[c+k] = bPlaces[j+k] + far
	}
}

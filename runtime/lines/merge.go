package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Merging. Each block of a merged run is computed apart: a search along its first diagonal finds
// which elements of the two runs come before it (Odeh, Green, Mwassi, Shmueli and Birk 2012, "Merge
// Path").

// records are elements in order: keys, and as many places.
type records struct {
	keys   []uint64
	places []uint32
}

// recordsOf returns n elements from row r of two arguments on, the keys and behind them the places.
func recordsOf(f *abi.Frame, arg, r, n int) records {
	return records{wordsOf(f, arg, r, n), unsafe.Slice((*uint32)(unsafe.Add(f.Ptr[arg+1], r*f.Step[arg+1])), n)}
}

func (a records) from(i int) records { return records{a.keys[i:], a.places[i:]} }
func (a records) upTo(i int) records { return records{a.keys[:i], a.places[:i]} }

// wordsOf returns n words from row r of an argument on.
func wordsOf(f *abi.Frame, arg, r, n int) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(f.Ptr[arg], r*f.Step[arg])), n)
}

// mergeWords stores blocks of two runs of words that are merged.
func mergeWords(f *abi.Frame) {
	length, block, far := f.Step[4], f.Step[5], uint64(f.Step[6])
	if f.Cols == 0 || f.Rows == 0 {
		return
	}
	both, first := wordsOf(f, 0, 0, length), min(f.Step[3], length)
	a, b := both[:first], both[first:]
	for r := range f.Rows {
		from := kernel.MergedFrom(*(*int64)(unsafe.Add(f.Ptr[1], r*f.Step[1])), f.Cols, length, block)
		i := before(a, b, from, 32)
		mergeWordsInto(a[i:], b[from-i:], wordsOf(f, 2, r, f.Cols), far)
	}
}

// mergeRecords stores blocks of two runs of records that are merged.
func mergeRecords(f *abi.Frame) {
	length, block, far := f.Step[6], f.Step[7], uint32(f.Step[8])
	if f.Cols == 0 || f.Rows == 0 {
		return
	}
	both, first := recordsOf(f, 0, 0, length), min(f.Step[5], length)
	a, b := both.upTo(first), both.from(first)
	for r := range f.Rows {
		from := kernel.MergedFrom(*(*int64)(unsafe.Add(f.Ptr[2], r*f.Step[2])), f.Cols, length, block)
		i := before(a.keys, b.keys, from, 0)
		mergeRecordsInto(a.from(i), b.from(from-i), recordsOf(f, 3, r, f.Cols), far)
	}
}

// before returns how many elements of a are among the first n of a and b merged, whose keys begin
// at a bit.
func before(a, b []uint64, n, bit int) int {
	least, most := max(0, n-len(b)), min(n, len(a))
	for least < most {
		i := int(uint(least+most) / 2)
		if b[n-1-i]>>bit < a[i]>>bit {
			most = i
		} else {
			least = i + 1
		}
	}
	return least
}

// mergeWordsInto fills out with the first words of a and b merged, which have as many or more.
// Which run the next word is of is computed without a branch, as it cannot be predicted.
func mergeWordsInto(a, b, out []uint64, far uint64) {
	i, j, c := 0, 0, 0
	for i < len(a) && j < len(b) && c < len(out) {
		w, second := a[i], b[j]
		take := 0
		if second>>32 < w>>32 {
			take = 1
		}
		if second += far; take != 0 {
			w = second
		}
		out[c] = w
		c, j, i = c+1, j+take, i+1-take
	}
	c += copy(out[c:], a[i:])
	for k := range out[c:] {
		out[c+k] = b[j+k] + far
	}
}

// mergeRecordsInto is mergeWordsInto for records.
func mergeRecordsInto(a, b, out records, far uint32) {
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

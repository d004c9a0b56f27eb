package lines

import (
	mathbits "math/bits"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sorting. Elements are sorted by exact keys, from which their bits are recovered at the end. If positions are wanted, words of a
// key and a position are sorted, so the positions of equal elements are in order. A few first elements of a long line are
// selected instead. The portable engine sorts words digit by digit, AVX2 by quicksort.

// sortOf returns the function of a micro-kernel that sorts lines.
func sortOf(m *kernel.Micro, s sorters) func(*abi.Frame) {
	places, down := m.Op.Info().Places, m.Op.Info().Descending
	switch m.Type.Size() {
	case 1:
		k := keysOf[uint8](m.Type, down)
		few, many := sortRows(k, s.narrow, s.wide, places), sortBytes(k, places)
		return func(f *abi.Frame) {
			if f.Step[6] < countedFrom {
				few(f)
			} else {
				many(f)
			}
		}
	case 4:
		return sortRows(keysOf[uint32](m.Type, down), s.narrow, s.wide, places)
	case 8:
		return sortRows(keysOf[uint64](m.Type, down), s.wide, s.wide, places)
	}
	panic("BUG: lines: no order of " + m.Type.String())
}

// countedFrom is the least length of a line of bytes that is sorted by counting; counting takes 0.3 microseconds per
// row. Emerald Rapids, lines of 100: half the time of a sort.
const countedFrom = 32

// sortBytes is sortRows for 1-byte elements. It counts the keys, and stores each element behind those with smaller keys and
// behind the earlier ones with the same key.
func sortBytes(k keys[uint8], places bool) func(*abi.Frame) {
	var keys [256]uint8
	for v := range keys {
		keys[v] = k.of(uint8(v))
	}
	return func(f *abi.Frame) {
		for r := range f.Rows {
			x := line[uint8]{unsafe.Add(f.Ptr[0], r*f.Step[0]), f.Step[4], f.Step[6]}
			out := line[uint8]{unsafe.Add(f.Ptr[1], r*f.Step[1]), f.Step[5], f.Cols}
			var counts [257]int // by key: the number of smaller ones, plus those stored already
			for i := range x.count {
				counts[int(keys[x.at(i)])+1]++
			}
			for key := range 256 {
				counts[key+1] += counts[key]
			}
			for i := range x.count {
				v := x.at(i)
				at := &counts[keys[v]]
				switch {
				case *at >= out.count:
				case places:
					*(*int64)(unsafe.Add(out.from, *at*out.across)) = int64(i)
				default:
					out.set(*at, v)
				}
				*at++
			}
		}
	}
}

// sortRows returns the function that stores the first elements of rows in order or, with places set, their positions.
func sortRows[U bits, K word](k keys[U], narrow sorter[K], wide sorter[uint64], places bool) func(*abi.Frame) {
	return func(f *abi.Frame) {
		across, acrossOut, length := f.Step[4], f.Step[5], f.Step[6]
		if length == 0 || f.Rows == 0 || f.Cols == 0 {
			return
		}
		if !places && sortShort(f, k, narrow) {
			return
		}
		work, spare := unsafe.Slice((*uint64)(f.Ptr[2]), length), unsafe.Slice((*uint64)(f.Ptr[3]), length)
		narrow, wide := narrow.asking(f), wide.asking(f)
		for r := range f.Rows {
			x := line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}
			out := line[U]{unsafe.Add(f.Ptr[1], r*f.Step[1]), acrossOut, f.Cols}
			switch {
			case places:
				putPlaces(out.from, acrossOut, placesOf(k, x, f.Cols, narrow, wide, work, spare))
			case first(k, x, narrow, f.Cols, work, spare):
				for c, place := range spare[:f.Cols] {
					out.set(c, x.at(int(place)))
				}
			default:
				keys := sliceOf[K](work)
				if length == f.Cols && inVectors[U, K](out) {
					keys = unsafe.Slice((*K)(out.from), length) // less memory is read and written
				}
				putElements(k, keysInOrder(k, x, f.Cols, narrow, keys, sliceOf[K](spare)), narrow, out)
			}
		}
	}
}

// sortShort sorts contiguous short rows in the output, after converting all their elements at once. It reports whether it
// did: rows with zeros of both signs or with NaNs are sorted one by one.
func sortShort[U bits, K word](f *abi.Frame, k keys[U], s sorter[K]) bool {
	n, size := f.Step[6], int(unsafe.Sizeof(K(0)))
	all := line[U]{f.Ptr[0], f.Step[4], n * f.Rows}
	out := line[U]{f.Ptr[1], f.Step[5], n * f.Rows}
	if n > s.few || f.Cols < n || f.Step[0] != n*size || f.Step[1] != n*size || !inVectors[U, K](all) || !inVectors[U, K](out) {
		return false
	}
	stored := unsafe.Slice((*K)(out.from), out.count)
	if makeKeys(k, all, s, stored) != 0 {
		return false
	}
	for row := stored; len(row) > 0; row = row[n:] {
		s.sortFew(&row[0], &row[0], n)
	}
	putElements(k, stored, s, out)
	return true
}

// putPlaces stores the positions of words: their lower halves.
func putPlaces(out unsafe.Pointer, across int, words []uint64) {
	for c, w := range words {
		*(*int64)(unsafe.Add(out, c*across)) = int64(uint32(w))
	}
}

// keysInOrder returns the exact keys of the first n elements of a line in order, in a or in b. Elements that are equal
// but have different bits, such as zeros of both signs, keep the order of the line.
func keysInOrder[U bits, K word](k keys[U], x line[U], n int, s sorter[K], a, b []K) []K {
	seen := makeKeys(k, x, s, a)
	sorted := s.sort(a, b, n, 0, 8*int(unsafe.Sizeof(U(0))))[:n]
	for i, c := range k.classes() {
		if seen&(someZeros<<i) != 0 {
			keepOrder(k, x, sorted, c)
		}
	}
	return sorted
}

// keepOrder stores the keys of a class in the order of the line, in their places in sorted.
func keepOrder[U bits, K word](k keys[U], x line[U], sorted []K, c class[U]) {
	from, to := below(sorted, K(c.least), 0), upToKey(sorted, K(c.most), 0)
	if from >= to { // greater if a stopped run has left them in any order
		return
	}
	equal := sorted[from:to]
	if to < len(sorted) && equal[0] == equal[len(equal)-1] {
		return
	}
	for i := 0; i < x.count && len(equal) > 0; i++ {
		if key := k.exact(x.at(i)); c.has(key) {
			equal[0] = K(key)
			equal = equal[1:]
		}
	}
}

// sliceOf returns the memory of words as a slice of the same length of type K.
func sliceOf[K word](words []uint64) []K {
	return unsafe.Slice((*K)(unsafe.Pointer(unsafe.SliceData(words))), len(words))
}

// makeKeys stores the exact keys of a line, and returns the special elements it has seen.
func makeKeys[U bits, K word](k keys[U], x line[U], s sorter[K], to []K) (seen special) {
	done := 0
	if s.toKeys != nil && asLong[U, K]() {
		done, seen = s.toKeys(x.sideBySide(unsafe.Pointer(&to[0])), unsafe.Pointer(&to[0]), len(to), keysAs[K](k))
	}
	for i := done; i < len(to); i++ {
		v := x.at(i)
		if v == k.zero {
			seen |= someZeros
		}
		if 2*v > k.infinity {
			seen |= someNaNs
		}
		to[i] = K(k.exact(v))
	}
	if k.zero == 0 {
		return 0
	}
	return seen
}

// putElements stores the elements with the given exact keys.
func putElements[U bits, K word](k keys[U], from []K, s sorter[K], out line[U]) {
	done := 0
	switch {
	case s.toElements == nil || !asLong[U, K]():
	case out.across == int(unsafe.Sizeof(U(0))):
		done = s.toElements(unsafe.Pointer(&from[0]), out.from, len(from), keysAs[K](k))
	default:
		done = s.toElements(unsafe.Pointer(&from[0]), unsafe.Pointer(&from[0]), len(from), keysAs[K](k))
		for i, e := range from[:done] {
			out.set(i, U(e))
		}
	}
	for i, key := range from[done:] {
		out.set(done+i, k.element(U(key)))
	}
}

// placesOf returns words whose lower halves are the positions of the first n elements of a line in order. The words are in work or
// in spare.
func placesOf[U bits, K word](k keys[U], x line[U], n int, s sorter[K], wide sorter[uint64], work, spare []uint64) []uint64 {
	if first(k, x, s, n, work, spare) {
		return spare[:n]
	}
	if k.wide() {
		return placesOfWide(k, x, wide, work, spare)[:n]
	}
	return wordsInOrder(k, x, n, s, wide, work, spare)
}

// wordsInOrder returns words of the keys and positions of the first n elements of a line in order.
func wordsInOrder[U bits, K word](k keys[U], x line[U], n int, s sorter[K], wide sorter[uint64], work, spare []uint64) []uint64 {
	done := 0
	if s.toWords != nil && asLong[U, K]() {
		done = s.toWords(x.sideBySide(unsafe.Pointer(&spare[0])), work, keysAs[K](k))
	}
	for i := done; i < len(work); i++ {
		work[i] = uint64(k.of(x.at(i)))<<32 | uint64(i)
	}
	return wide.sort(work, spare, n, 32, 32+8*int(unsafe.Sizeof(U(0))))[:n]
}

// placesOfWide is placesOf for all 8-byte elements of a line. Words hold the first 32 bits in which keys differ. Words that are
// equal in these are sorted by the last 32 bits, unless keys differ in no other bits.
func placesOfWide[U bits](k keys[U], x line[U], wide sorter[uint64], work, spare []uint64) []uint64 {
	const half = 32
	near := line[U]{x.sideBySide(unsafe.Pointer(&spare[0])), int(unsafe.Sizeof(U(0))), x.count} // until words are sorted
	least, most := ^uint64(0), uint64(0)
	for i := range x.count {
		key := uint64(k.of(near.at(i)))
		least, most = min(least, key), max(most, key)
	}
	shift := max(0, mathbits.Len64(most-least)-half)
	for i := range work {
		work[i] = (uint64(k.of(near.at(i)))-least)>>shift<<half | uint64(i)
	}
	words := wide.sort(work, spare, len(work), half, 2*half)
	if shift == 0 {
		return words
	}
	if &words[0] != &work[0] {
		work, spare = spare, work
	}
	for from, to := 0, 0; from < len(work); from = to {
		for to = from + 1; to < len(work) && work[to]>>half == work[from]>>half; to++ {
		}
		if to-from == 1 {
			continue
		}
		same := work[from:to]
		for i, w := range same {
			place := uint64(uint32(w))
			same[i] = (uint64(k.of(x.at(int(place))))-least)<<half | place
		}
		if words := wide.sort(same, spare[from:to], len(same), half, 2*half); &words[0] != &same[0] {
			copy(same, words)
		}
	}
	return work
}

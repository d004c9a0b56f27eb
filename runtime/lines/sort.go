package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sorting. The key of an element and its place, or an element of four bytes or less, are one word.
// Words are sorted by keys digit by digit from the last one on, each digit keeping the order of the
// one before: a radix sort. A short line is sorted by insertion, and so are a few first elements of a
// long one.

// sortOf returns the function of a micro-kernel that orders lines.
func sortOf(m *kernel.Micro) func(*abi.Frame) {
	places, down := m.Op.Info().Places, m.Op.Info().Descending
	switch m.Type.Size() {
	case 1:
		return sortRows(keysOf[uint8](m.Type, down), places)
	case 2:
		return sortRows(keysOf[uint16](m.Type, down), places)
	case 4:
		return sortRows(keysOf[uint32](m.Type, down), places)
	case 8:
		return sortRows(keysOf[uint64](m.Type, down), places)
	}
	panic("BUG: lines: no order of " + m.Type.String())
}

// sortRows returns the function that stores the first elements of rows in their order, or
// with places where they are.
func sortRows[U bits](k keys[U], places bool) func(*abi.Frame) {
	return func(f *abi.Frame) {
		across, acrossOut, length := f.Step[4], f.Step[5], f.Step[6]
		if length == 0 || f.Cols == 0 {
			return
		}
		work, spare := unsafe.Slice((*uint64)(f.Ptr[2]), length), unsafe.Slice((*uint64)(f.Ptr[3]), length)
		for r := range f.Rows {
			x, out := line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}, unsafe.Add(f.Ptr[1], r*f.Step[1])
			words := ordered(k, x, f.Cols, work, spare, places)[:f.Cols]
			switch {
			case places:
				for c, w := range words {
					*(*int64)(unsafe.Add(out, c*acrossOut)) = int64(uint32(w))
				}
			case k.wide():
				for c, w := range words {
					*(*U)(unsafe.Add(out, c*acrossOut)) = x.at(int(uint32(w)))
				}
			default:
				for c, w := range words {
					*(*U)(unsafe.Add(out, c*acrossOut)) = U(w)
				}
			}
		}
	}
}

// orderOf returns the function of a micro-kernel that makes runs of lines.
func orderOf(m *kernel.Micro) func(*abi.Frame) {
	places, down := m.Op.Info().Places, m.Op.Info().Descending
	switch m.Type.Size() {
	case 1:
		return orderWords(keysOf[uint8](m.Type, down), places)
	case 2:
		return orderWords(keysOf[uint16](m.Type, down), places)
	case 4:
		return orderWords(keysOf[uint32](m.Type, down), places)
	case 8:
		return orderRecords(keysOf[uint64](m.Type, down))
	}
	panic("BUG: lines: no order of " + m.Type.String())
}

// orderWords returns the function that stores the words of the first elements of rows in their
// order.
func orderWords[U bits](k keys[U], places bool) func(*abi.Frame) {
	return func(f *abi.Frame) {
		across, length := f.Step[4], f.Step[5]
		if length == 0 || f.Cols == 0 {
			return
		}
		work, spare := unsafe.Slice((*uint64)(f.Ptr[2]), length), unsafe.Slice((*uint64)(f.Ptr[3]), length)
		for r := range f.Rows {
			x, out := line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}, unsafe.Add(f.Ptr[1], r*f.Step[1])
			copy(unsafe.Slice((*uint64)(out), f.Cols), ordered(k, x, f.Cols, work, spare, places))
		}
	}
}

// orderRecords returns the function that stores the keys and the places of the first elements of
// rows in their order.
func orderRecords(k keys[uint64]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		across, length := f.Step[5], f.Step[6]
		if length == 0 || f.Cols == 0 {
			return
		}
		work, spare := unsafe.Slice((*uint64)(f.Ptr[3]), length), unsafe.Slice((*uint64)(f.Ptr[4]), length)
		for r := range f.Rows {
			x, out := line[uint64]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}, recordsOf(f, 1, r, f.Cols)
			for c, w := range ordered(k, x, f.Cols, work, spare, true)[:f.Cols] {
				place := uint32(w)
				out.keys[c], out.places[c] = k.of(x.at(int(place))), place
			}
		}
	}
}

// ordered returns a word for each of the first n elements of a line in order, in work or in spare.
// The lower half is the place of the element, or with !places the element if it is not wide; the
// upper half is the key of one that is not wide.
func ordered[U bits](k keys[U], x line[U], n int, work, spare []uint64, places bool) []uint64 {
	places = places || k.wide()
	if n <= selectSquare*(x.count/n) && first(k, x, work[:n], spare[:n]) {
		for c, key := range work[:n] {
			low := spare[c]
			if !places {
				low = uint64(x.at(int(low)))
			}
			spare[c] = key<<32 | low
		}
		return spare[:n]
	}
	for i := range work {
		e := x.at(i)
		low := uint64(i)
		if !places {
			low = uint64(e)
		}
		work[i] = uint64(uint32(k.of(e)))<<32 | low
	}
	words := radix(work, spare)
	if !k.wide() {
		return words
	}
	for i, w := range words { // by the upper halves of keys, those of the lower halves being in order
		words[i] = uint64(k.of(x.at(int(uint32(w)))))>>32<<32 | uint64(uint32(w))
	}
	if &words[0] == &spare[0] {
		spare = work
	}
	return radix(words, spare)
}

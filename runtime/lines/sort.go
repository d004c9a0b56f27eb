package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Sorting. The key of an element and its place are one word. Words are sorted by keys digit
// by digit from the last one on, each digit keeping the order of the one before: a radix
// sort. A short line is sorted by insertion, and a few first elements of a long one are
// selected by a heap.

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
			words := ordered(k, x, f.Cols, work, spare)
			for c, w := range words[:f.Cols] {
				to := unsafe.Add(out, c*acrossOut)
				if place := uint32(w); places {
					*(*int64)(to) = int64(place)
				} else {
					*(*U)(to) = x.at(int(place))
				}
			}
		}
	}
}

// orderOf returns the function of a micro-kernel that makes runs of lines.
func orderOf(m *kernel.Micro) func(*abi.Frame) {
	down := m.Op.Info().Descending
	switch m.Type.Size() {
	case 1:
		return orderRows[uint8, uint32](keysOf[uint8](m.Type, down))
	case 2:
		return orderRows[uint16, uint32](keysOf[uint16](m.Type, down))
	case 4:
		return orderRows[uint32, uint32](keysOf[uint32](m.Type, down))
	case 8:
		return orderRows[uint64, uint64](keysOf[uint64](m.Type, down))
	}
	panic("BUG: lines: no order of " + m.Type.String())
}

// orderRows returns the function that stores the keys and the places of the first elements of
// rows in their order.
func orderRows[U bits, K key](k keys[U]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		across, length := f.Step[5], f.Step[6]
		if length == 0 || f.Cols == 0 {
			return
		}
		work, spare := unsafe.Slice((*uint64)(f.Ptr[3]), length), unsafe.Slice((*uint64)(f.Ptr[4]), length)
		for r := range f.Rows {
			x, out := line[U]{unsafe.Add(f.Ptr[0], r*f.Step[0]), across, length}, runOf[K](f, 1, r, f.Cols)
			for c, w := range ordered(k, x, f.Cols, work, spare)[:f.Cols] {
				place := uint32(w)
				out.keys[c], out.places[c] = K(k.of(x.at(int(place)))), place
			}
		}
	}
}

// ordered returns words whose lower halves are the places of the elements of a line, of
// which the first n are in order. They are in work or in spare.
func ordered[U bits](k keys[U], x line[U], n int, work, spare []uint64) []uint64 {
	if n <= x.count/selectFrom {
		first(k, x, work[:n], spare[:n])
		return spare
	}
	for i := range work {
		work[i] = uint64(uint32(k.of(x.at(i))))<<32 | uint64(i)
	}
	words := radix(work, spare)
	if unsafe.Sizeof(k.zero) < 8 {
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

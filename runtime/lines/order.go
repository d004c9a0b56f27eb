package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Runs of long lines: see ir/kernel/sort.go.

// orderOf returns the function of a micro-kernel that makes sorted runs of lines.
func orderOf(m *kernel.Micro, s sorters) func(*abi.Frame) {
	places, down := m.Op.Info().Places, m.Op.Info().Descending
	switch size := m.Type.Size(); {
	case size == 8 && places:
		return orderRecords(keysOf[uint64](m.Type, down), s.wide)
	case size == 8:
		return orderKeys(keysOf[uint64](m.Type, down), s.wide)
	case size == 4 && places:
		return orderWords(keysOf[uint32](m.Type, down), s)
	case size == 4:
		return orderKeys(keysOf[uint32](m.Type, down), s.narrow)
	case size == 1 && places:
		return orderWords(keysOf[uint8](m.Type, down), s)
	case size == 1:
		return orderKeys(keysOf[uint8](m.Type, down), s.narrow)
	}
	panic("BUG: lines: no order of " + m.Type.String())
}

// chunks is a call that sorts the rows of a frame. The fields of the frame follow its args arguments.
type chunks[U bits] struct {
	f           *abi.Frame
	args        int
	work, spare []uint64
}

// chunksOf returns the call of a frame, or false if there is nothing to store.
func chunksOf[U bits](f *abi.Frame, args int) (c chunks[U], some bool) {
	if length := f.Step[args+1]; length > 0 && f.Cols > 0 {
		return chunks[U]{f, args, unsafe.Slice((*uint64)(f.Ptr[args-2]), length), unsafe.Slice((*uint64)(f.Ptr[args-1]), length)}, true
	}
	return c, false
}

// line returns row r.
func (c chunks[U]) line(r int) line[U] {
	return line[U]{unsafe.Add(c.f.Ptr[0], r*c.f.Step[0]), c.f.Step[c.args], len(c.work)}
}

// orderKeys returns the function that stores the sorted exact keys of the first elements of rows.
func orderKeys[U bits, K word](k keys[U], s sorter[K]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		call, some := chunksOf[U](f, 4)
		s := s.asking(f)
		for r := 0; some && r < f.Rows; r++ {
			out := rowOf[K](f, 1, r, f.Cols)
			x := call.line(r)
			if first(k, x, s, f.Cols, call.work, call.spare) {
				for c, place := range call.spare[:f.Cols] {
					out[c] = K(k.exact(x.at(int(place))))
				}
				continue
			}
			copy(out, keysInOrder(k, x, f.Cols, s, sliceOf[K](call.work), sliceOf[K](call.spare)))
		}
	}
}

// orderWords returns the function that stores words of keys and positions.
func orderWords[U bits](k keys[U], s sorters) func(*abi.Frame) {
	return func(f *abi.Frame) {
		call, some := chunksOf[U](f, 4)
		s := sorters{s.narrow.asking(f), s.wide.asking(f)}
		for r := 0; some && r < f.Rows; r++ {
			out := rowOf[uint64](f, 1, r, f.Cols)
			x := call.line(r)
			if first(k, x, s.narrow, f.Cols, call.work, call.spare) {
				for c, place := range call.spare[:f.Cols] {
					out[c] = call.work[c]<<32 | place
				}
				continue
			}
			copy(out, wordsInOrder(k, x, f.Cols, s.narrow, s.wide, call.work, call.spare))
		}
	}
}

// orderRecords returns the function that stores keys and positions of 8-byte elements.
func orderRecords(k keys[uint64], s sorter[uint64]) func(*abi.Frame) {
	return func(f *abi.Frame) {
		call, some := chunksOf[uint64](f, 5)
		s := s.asking(f)
		for r := 0; some && r < f.Rows; r++ {
			outKeys, outPlaces := rowOf[uint64](f, 1, r, f.Cols), rowOf[uint32](f, 2, r, f.Cols)
			x := call.line(r)
			for c, w := range placesOf(k, x, f.Cols, s, s, call.work, call.spare) {
				place := uint32(w)
				outKeys[c], outPlaces[c] = k.of(x.at(int(place))), place
			}
		}
	}
}

// rowOf returns n elements of row r of an argument.
func rowOf[T any](f *abi.Frame, arg, r, n int) []T {
	return unsafe.Slice((*T)(unsafe.Add(f.Ptr[arg], r*f.Step[arg])), n)
}

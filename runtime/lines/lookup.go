package lines

import (
	"encoding/binary"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// table is the entries for the bits of a byte. Every byte is the place of one, so that no
// index is checked.
type table[T bits] = [kernel.Bytes]T

// lookup replaces bytes by the entries of a table.
func lookup[T bits](f *abi.Frame) {
	across, acrossOut, size := f.Step[3], f.Step[4], int(unsafe.Sizeof(T(0)))
	tableOf := func(r int) *table[T] { return (*table[T])(unsafe.Add(f.Ptr[0], r*f.Step[0])) }
	r := 0
	if f.Step[1] == 1 && f.Step[2] == size && across >= 3 && f.Cols > 0 { // rows are next to each other
		for ; r+3 <= f.Rows; r += 3 {
			lookupThree(tableOf(r), tableOf(r+1), tableOf(r+2), unsafe.Add(f.Ptr[2], r*size), unsafe.Add(f.Ptr[1], r), f.Cols, acrossOut, across)
		}
	}
	for ; r < f.Rows; r++ {
		from, to := unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])
		c := 0
		if across == 1 && acrossOut == size {
			c = f.Cols &^ 7
			lookupEights(tableOf(r), unsafe.Slice((*T)(to), c), unsafe.Slice((*byte)(from), c))
		}
		for t := tableOf(r); c < f.Cols; c++ {
			*(*T)(unsafe.Add(to, c*acrossOut)) = t[*(*uint8)(unsafe.Add(from, c*across))]
		}
	}
}

// lookupEights looks up bytes that are next to each other, eight of which it loads at once:
// their number is a multiple of eight.
func lookupEights[T bits](table *table[T], to []T, from []byte) {
	for len(to) >= 8 && len(from) >= 8 {
		x := binary.LittleEndian.Uint64(from)
		t := (*[8]T)(to)
		t[0], t[1], t[2], t[3] = table[uint8(x)], table[uint8(x>>8)], table[uint8(x>>16)], table[uint8(x>>24)]
		t[4], t[5], t[6], t[7] = table[uint8(x>>32)], table[uint8(x>>40)], table[uint8(x>>48)], table[uint8(x>>56)]
		to, from = to[8:], from[8:]
	}
}

// lookupThree looks up n elements of each of three rows that are next to each other, such
// as the channels of pixels.
func lookupThree[T bits](a, b, c *table[T], to, from unsafe.Pointer, n, acrossOut, across int) {
	for i := range n {
		x, o := (*[3]byte)(unsafe.Add(from, i*across)), (*[3]T)(unsafe.Add(to, i*acrossOut))
		o[0], o[1], o[2] = a[x[0]], b[x[1]], c[x[2]]
	}
}

package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// A packFunc copies a tile of rows x cols elements to dst, densely in row-major
// order. Steps are in bytes, of any sign. A kernel that it calls has frame f.
type packFunc func(f *abi.Frame, dst, src unsafe.Pointer, rows, cols, rowStep, colStep int)

// packFor chooses the way to read a tile of an operand: along its rows, or along
// its columns where their elements lie closer together, as in a transposed
// matrix, or the rows are short.
func packFor(o *operand, f finder) (packFunc, error) {
	switch {
	case o.transposed() || o.narrow:
		fn, err := findTranspose(o, f)
		return transposeRows(fn, o.size), err
	case o.size == 1:
		return packRows[uint8], nil
	case o.size == 2:
		return packRows[uint16], nil
	case o.size == 4:
		return packRows[uint32], nil
	case o.size == 8:
		return packRows[uint64], nil
	}
	panic(fmt.Sprintf("BUG: runtime: no element has %d bytes", o.size))
}

// transposed reports whether a packed operand is better read column by column.
func (o *operand) transposed() bool {
	return o.rowStep != 0 && max(o.rowStep, -o.rowStep) < max(o.colStep, -o.colStep)
}

// packRows reads row after row.
func packRows[T uint8 | uint16 | uint32 | uint64](_ *abi.Frame, dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
	for r := range rows {
		row := unsafe.Slice((*T)(unsafe.Add(dst, r*cols*int(unsafe.Sizeof(T(0))))), cols)
		from := unsafe.Add(src, r*rowStep)
		for len(row) >= 4 {
			quad := (*[4]T)(row)
			quad[0] = *(*T)(from)
			quad[1] = *(*T)(unsafe.Add(from, colStep))
			quad[2] = *(*T)(unsafe.Add(from, 2*colStep))
			quad[3] = *(*T)(unsafe.Add(from, 3*colStep))
			if row = row[4:]; len(row) > 0 { // no address past the last element
				from = unsafe.Add(from, 4*colStep)
			}
		}
		for c := range row {
			row[c] = *(*T)(unsafe.Add(from, c*colStep))
		}
	}
}

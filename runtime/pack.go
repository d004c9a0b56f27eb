package runtime

import "unsafe"

// A pack function copies a tile of rows x cols elements to dst, densely in
// row-major order. Steps are in bytes, of any sign.
type packFunc func(dst, src unsafe.Pointer, rows, cols, rowStep, colStep int)

// packFor chooses the way to read a tile of an operand. The rows of the source
// are gone through when its elements lie closer along the columns than along the rows; else
// its columns are, as for a transposed matrix.
func packFor(o *operand) packFunc {
	across := o.transposed()
	switch {
	case o.size == 1 && across:
		return packColumns[uint8]
	case o.size == 1:
		return packRows[uint8]
	case o.size == 4 && across:
		return packColumns[uint32]
	case o.size == 4:
		return packRows[uint32]
	case across:
		return packColumns[uint64]
	default:
		return packRows[uint64]
	}
}

// transposed reports whether a packed operand is better read column by column.
func (o *operand) transposed() bool {
	return o.rowStep != 0 && max(o.rowStep, -o.rowStep) < max(o.colStep, -o.colStep)
}

// packRows reads row after row.
func packRows[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
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

// packColumns reads eight rows of a column at a time, where they share a cache
// line or two, and writes them to eight rows that grow side by side.
func packColumns[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
	size := int(unsafe.Sizeof(T(0)))
	line := cols * size
	r := 0
	for ; r+8 <= rows; r += 8 {
		to, from := unsafe.Add(dst, r*line), unsafe.Add(src, r*rowStep)
		for c := range cols {
			d, s := unsafe.Add(to, c*size), unsafe.Add(from, c*colStep)
			a0, a1 := *(*T)(s), *(*T)(unsafe.Add(s, rowStep))
			a2, a3 := *(*T)(unsafe.Add(s, 2*rowStep)), *(*T)(unsafe.Add(s, 3*rowStep))
			a4, a5 := *(*T)(unsafe.Add(s, 4*rowStep)), *(*T)(unsafe.Add(s, 5*rowStep))
			a6, a7 := *(*T)(unsafe.Add(s, 6*rowStep)), *(*T)(unsafe.Add(s, 7*rowStep))
			*(*T)(d), *(*T)(unsafe.Add(d, line)) = a0, a1
			*(*T)(unsafe.Add(d, 2*line)), *(*T)(unsafe.Add(d, 3*line)) = a2, a3
			*(*T)(unsafe.Add(d, 4*line)), *(*T)(unsafe.Add(d, 5*line)) = a4, a5
			*(*T)(unsafe.Add(d, 6*line)), *(*T)(unsafe.Add(d, 7*line)) = a6, a7
		}
	}
	if r < rows {
		packRows[T](unsafe.Add(dst, r*line), unsafe.Add(src, r*rowStep), rows-r, cols, rowStep, colStep)
	}
}

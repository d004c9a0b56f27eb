package runtime

import "unsafe"

// A pack function copies a tile of rows x cols elements to dst, densely in
// row-major order. Steps are in bytes, of any sign.
type packFunc func(dst, src unsafe.Pointer, rows, cols, rowStep, colStep int)

// packFor chooses the way to read a tile of an operand: along its rows, or along
// its columns where their elements lie closer together, as in a transposed
// matrix, or the rows are short.
func packFor(o *operand) packFunc {
	across := o.transposed() || o.narrow
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

// packColumns reads eight columns side by side, each along its cache lines, and
// writes pieces of eight. So no more lines are in use than a cache has ways,
// even if the columns are a power of two apart.
func packColumns[T uint8 | uint32 | uint64](dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
	size := int(unsafe.Sizeof(T(0)))
	line := cols * size
	c := 0
	for ; c+8 <= cols; c += 8 {
		from, to := unsafe.Add(src, c*colStep), unsafe.Add(dst, c*size)
		for r := range rows {
			s := unsafe.Add(from, r*rowStep)
			d := (*[8]T)(unsafe.Add(to, r*line))
			d[0] = *(*T)(s)
			d[1] = *(*T)(unsafe.Add(s, colStep))
			d[2] = *(*T)(unsafe.Add(s, 2*colStep))
			d[3] = *(*T)(unsafe.Add(s, 3*colStep))
			d[4] = *(*T)(unsafe.Add(s, 4*colStep))
			d[5] = *(*T)(unsafe.Add(s, 5*colStep))
			d[6] = *(*T)(unsafe.Add(s, 6*colStep))
			d[7] = *(*T)(unsafe.Add(s, 7*colStep))
		}
	}
	for ; c < cols; c++ {
		from, to := c*colStep, c*size
		for range rows {
			*(*T)(unsafe.Add(dst, to)) = *(*T)(unsafe.Add(src, from))
			from += rowStep
			to += line
		}
	}
}

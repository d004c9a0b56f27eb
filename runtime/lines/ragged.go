package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Ragged rows, and products with sparse matrices. Each addition to a sum waits for the previous one, so four rows, whose
// additions are independent, are summed at a time.

// raggedOf returns the function that combines ragged rows.
func raggedOf(m *kernel.Micro) func(*abi.Frame) {
	return typed(m.Type, ragged[uint8](m), ragged[uint32](m), ragged[uint64](m), ragged[float32](m), ragged[float64](m))
}

// ragged returns the function that combines the elements of rows by an op, or their products.
func ragged[T number](m *kernel.Micro) func(*abi.Frame) {
	by := m.Op.Info().By
	neutral, combine := element[T](ir.EmptyReduction(by, m.Type)), combiner[T](by, m.Type)
	switch {
	case m.Op.Info().Weighted:
		return func(f *abi.Frame) {
			checkOffsets(f, f.Step[8], f.Step[9])
			if f.Cols == 1 {
				sumProducts[T](f)
				return
			}
			for r := range f.Rows {
				sumRowProducts[T](f, r)
			}
		}
	case by == ir.OpAdd:
		return func(f *abi.Frame) {
			checkOffsets(f, f.Step[6], f.Step[5])
			if f.Cols == 1 {
				sumElements[T](f)
				return
			}
			for r := range f.Rows {
				combineRow(f, r, 0, func(a, b T) T { return a + b })
			}
		}
	}
	return func(f *abi.Frame) {
		checkOffsets(f, f.Step[6], f.Step[5])
		for r := range f.Rows {
			combineRow(f, r, neutral, combine)
		}
	}
}

// element returns the element with the given bits.
func element[T number](bits uint64) (e T) {
	p := unsafe.Pointer(&e)
	switch unsafe.Sizeof(e) {
	case 1:
		*(*uint8)(p) = uint8(bits)
	case 4:
		*(*uint32)(p) = uint32(bits)
	default:
		*(*uint64)(p) = bits
	}
	return e
}

// checkOffsets panics unless the given number of offsets are valid for a line of the given extent.
func checkOffsets(f *abi.Frame, offsets, extent int) {
	first, last := *(*int64)(f.Ptr[1]), *(*int64)(unsafe.Add(f.Ptr[1], (offsets-1)*f.Step[1]))
	ir.CheckOffsets(first, last, offsets-1, extent)
}

// raggedRow returns the begin and end of row r, or panics.
func raggedRow(f *abi.Frame, r, extent int) (begin, end int) {
	from, to := *(*int64)(unsafe.Add(f.Ptr[2], r*f.Step[2])), *(*int64)(unsafe.Add(f.Ptr[3], r*f.Step[3]))
	if from < 0 || from > to || to > int64(extent) {
		ir.CheckRow(from, to, extent)
	}
	return int(from), int(to)
}

// sumElements adds up rows of single elements.
func sumElements[T number](f *abi.Frame) {
	in, step, extent := f.Ptr[0], f.Step[0], f.Step[5]
	r, out, next := 0, f.Ptr[4], f.Step[4]
	for ; r+4 <= f.Rows; r += 4 {
		a, b := raggedRow(f, r, extent)
		c, d := raggedRow(f, r+1, extent)
		g, h := raggedRow(f, r+2, extent)
		k, l := raggedRow(f, r+3, extent)
		var s0, s1, s2, s3 T
		n := min(b-a, d-c, h-g, l-k)
		p0, p1, p2, p3 := unsafe.Add(in, a*step), unsafe.Add(in, c*step), unsafe.Add(in, g*step), unsafe.Add(in, k*step)
		for i := range n {
			s0 += *at[T](p0, i*step)
			s1 += *at[T](p1, i*step)
			s2 += *at[T](p2, i*step)
			s3 += *at[T](p3, i*step)
		}
		*at[T](out, r*next), *at[T](out, (r+1)*next) = sumOn(s0, in, step, a+n, b), sumOn(s1, in, step, c+n, d)
		*at[T](out, (r+2)*next), *at[T](out, (r+3)*next) = sumOn(s2, in, step, g+n, h), sumOn(s3, in, step, k+n, l)
	}
	for ; r < f.Rows; r++ {
		begin, end := raggedRow(f, r, extent)
		*at[T](out, r*next) = sumOn(T(0), in, step, begin, end)
	}
}

// sumOn adds elements to a sum.
func sumOn[T number](sum T, in unsafe.Pointer, step, i, end int) T {
	for ; i < end; i++ {
		sum += *at[T](in, i*step)
	}
	return sum
}

// products has the addresses of the factors of products, and their distances.
type products struct {
	table, indices, weights          unsafe.Pointer
	tableStep, indexStep, weightStep int
	extent                           int
}

// sumProducts adds up rows of single products.
func sumProducts[T number](f *abi.Frame) {
	p := products{f.Ptr[0], f.Ptr[4], f.Ptr[5], f.Step[0], f.Step[4], f.Step[5], f.Step[7]}
	var e T
	size := int(unsafe.Sizeof(e))
	one := sumApart[T]
	if p.tableStep == size && p.indexStep == 8 && p.weightStep == size {
		one = sumContiguous[T]
	}
	count := f.Step[9]
	for r := range f.Rows {
		begin, end := raggedRow(f, r, count)
		*at[T](f.Ptr[6], r*f.Step[6]) = one(&p, begin, end)
	}
}

// sumApart sums products of strided factors.
func sumApart[T number](p *products, i, end int) (sum T) {
	for ; i < end; i++ {
		from := lineIndex[int64](p.indices, p.indexStep, i, p.extent)
		sum += T(*at[T](p.table, from*p.tableStep) * *at[T](p.weights, i*p.weightStep)) // the conversion keeps Go from rounding once
	}
	return sum
}

// longRow is the least number of products of a row that are computed four at a time.
const longRow = 24

// sumContiguous sums products of contiguous factors. In long rows four products are computed at a time, and added in order.
func sumContiguous[T number](p *products, i, end int) (sum T) {
	table, indices, weights, extent := p.table, p.indices, p.weights, uint64(p.extent)
	size := int(unsafe.Sizeof(sum))
	for few := end-i < longRow; !few && i+4 <= end; i += 4 {
		k := (*[4]int64)(unsafe.Add(indices, 8*i))
		w := (*[4]T)(unsafe.Add(weights, size*i))
		a, b, c, d := k[0], k[1], k[2], k[3]
		if uint64(a) >= extent || uint64(b) >= extent || uint64(c) >= extent || uint64(d) >= extent {
			break
		}
		s0 := T(*at[T](table, size*int(a)) * w[0])
		s1 := T(*at[T](table, size*int(b)) * w[1])
		s2 := T(*at[T](table, size*int(c)) * w[2])
		s3 := T(*at[T](table, size*int(d)) * w[3])
		sum = sum + s0 + s1 + s2 + s3
	}
	for ; i < end; i++ {
		from := lineIndex[int64](indices, 8, i, p.extent)
		sum += T(*at[T](table, size*from) * *at[T](weights, size*i))
	}
	return sum
}

// combineRow combines the elements of row r, column by column.
func combineRow[T number](f *abi.Frame, r int, neutral T, combine func(a, b T) T) {
	begin, end := raggedRow(f, r, f.Step[5])
	out := unsafe.Slice((*T)(unsafe.Add(f.Ptr[4], r*f.Step[4])), f.Cols)
	for c := range out {
		out[c] = neutral
	}
	for i := begin; i < end; i++ {
		for c, e := range unsafe.Slice((*T)(unsafe.Add(f.Ptr[0], i*f.Step[0])), f.Cols) {
			out[c] = combine(out[c], e)
		}
	}
}

// sumRowProducts adds up the products of row r, column by column.
func sumRowProducts[T number](f *abi.Frame, r int) {
	begin, end := raggedRow(f, r, f.Step[9])
	out := unsafe.Slice((*T)(unsafe.Add(f.Ptr[6], r*f.Step[6])), f.Cols)
	clear(out)
	for i := begin; i < end; i++ {
		row := unsafe.Add(f.Ptr[0], lineIndex[int64](f.Ptr[4], f.Step[4], i, f.Step[7])*f.Step[0])
		w := *(*T)(unsafe.Add(f.Ptr[5], i*f.Step[5]))
		for c, e := range unsafe.Slice((*T)(row), f.Cols) {
			out[c] += T(e * w)
		}
	}
}

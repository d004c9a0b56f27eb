package fft

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
	"github.com/stridefuse/stridefuse/x/fft/internal/roots"
)

// This file transforms columns: c lines of n numbers side by side, number k of line q at row k and column q. It is the
// Stockham algorithm (Van Loan, Computational frameworks for the fast Fourier transform, 1992, section 1.7) with mixed
// radices, which needs no reordering and whose vectors hold numbers of different columns.

// form is how numbers lie in memory.
type form uint8

const (
	split   form = iota // real parts and imaginary parts in arrays of their own
	pairs               // interleaved
	swapped             // interleaved, with the parts exchanged: the transform of exchanged parts is the inverse
)

// memory describes rows of numbers. im is for split numbers.
type memory struct {
	re, im unsafe.Pointer
	row    int // bytes from one row to the next
	form   form
}

// at returns the memory from a column on.
func (m memory) at(column, size int) memory {
	if m.form == split {
		m.re, m.im = unsafe.Add(m.re, column*size), unsafe.Add(m.im, column*size)
	} else {
		m.re = unsafe.Add(m.re, 2*column*size)
	}
	return m
}

// stages is a transform of n numbers as butterflies of several radices.
type stages[T kernel.Element] struct {
	n      int
	stages []stage[T]
	copied stage[T] // the stage of radix 1
}

// stage is a butterfly with its kernels, by form, and its twiddle factors: r-1 for each row.
type stage[T kernel.Element] struct {
	radix   int
	kernels [kernel.ToSwapped + 1]func(*kernel.Frame)
	table   []T
}

// newStages returns the transform of n numbers, whose prime factors are 2, 3, 5 and 7.
func newStages[T kernel.Element](n int, find func(radix int, form kernel.Form) func(*kernel.Frame)) *stages[T] {
	s := &stages[T]{n: n, copied: newStage[T](1, find)}
	for rest := n; len(s.stages) == 0 || rest > 1; {
		st := newStage[T](radices(rest)[0], find)
		rows := rest / st.radix
		if rows > 1 {
			unity := roots.Of(rest)
			for p := range rows {
				for k := 1; k < st.radix; k++ {
					re, im := unity.At(p * k % rest)
					st.table = append(st.table, T(re), T(im))
				}
			}
		}
		s.stages = append(s.stages, st)
		rest = rows
	}
	return s
}

func newStage[T kernel.Element](radix int, find func(radix int, form kernel.Form) func(*kernel.Frame)) stage[T] {
	st := stage[T]{radix: radix}
	for f := range st.kernels {
		st.kernels[f] = find(radix, kernel.Form(f))
	}
	return st
}

// run transforms c columns, a multiple of the lanes, from src to dst. The results of stages are in the buffers of w, which
// the memories do not overlap. Interleaved results are multiplied by scale.
func (s *stages[T]) run(dst, src memory, c int, scale *T, w *work[T]) {
	list := s.stages
	a, b := w.a.take(2*s.n*c), w.b.take(2*s.n*c)
	if len(list) == 1 && dst.form != split && src.form != split {
		mid := buffer(a, s.n, c)
		list[0].run(mid, src, s.n, c, c, nil, &w.frame)
		s.copied.run(dst, mid, 1, s.n*c, c, scale, &w.frame)
		return
	}
	for i, n := 0, s.n; i < len(list); i++ {
		st := &list[i]
		to := dst
		if i < len(list)-1 {
			to = buffer(a, s.n, c)
		}
		st.run(to, src, n, s.n/n*c, c, scale, &w.frame)
		a, b = b, a
		n /= st.radix
		src = to
	}
}

// buffer returns n rows of c numbers in a, the imaginary parts behind the real ones.
func buffer[T kernel.Element](a []T, n, c int) memory {
	return memory{unsafe.Pointer(&a[0]), unsafe.Pointer(&a[n*c]), c * int(unsafe.Sizeof(a[0])), split}
}

// run transforms the numbers of a stage. n is the length of the transforms that are left, s the number of columns with
// the results of the stages before. A last stage writes rows of c numbers.
func (st *stage[T]) run(dst, src memory, n, s, c int, scale *T, f *kernel.Frame) {
	var t T
	size := int(unsafe.Sizeof(t))
	m := n / st.radix
	*f = kernel.Frame{In: src.re, InIm: src.im, Out: dst.re, OutIm: dst.im, Second: unsafe.Pointer(scale)}
	key := [...]kernel.Form{kernel.Plain, kernel.FromPairs, kernel.FromSwapped}[src.form]
	switch {
	case m > 1:
		key = [...]kernel.Form{kernel.Twiddled, kernel.FromPairsTwiddled, kernel.FromSwappedTwiddled}[src.form]
		f.Table = unsafe.Pointer(&st.table[0])
		f.Rows, f.Cols = m, s
		f.InRow = s / c * src.row
		f.OutLeg, f.OutRow = s*size, st.radix*s*size
	case dst.form == split && dst.row == c*size: // rows lie one after the other
		f.Rows, f.Cols = 1, s
		f.InRow = s / c * src.row
		f.OutLeg = s * size
	default:
		f.Rows, f.Cols = s/c, c
		f.InRow = src.row
		f.OutLeg, f.OutRow = s/c*dst.row, dst.row
		if dst.form != split {
			key = [...]kernel.Form{0, kernel.ToPairs, kernel.ToSwapped}[dst.form]
		}
	}
	f.InLeg = m * s / c * src.row
	first := *f
	most := max(1, mostCalled/(f.Cols*st.radix))
	for done := 0; done < first.Rows; done += f.Rows {
		f.Rows = min(first.Rows-done, most)
		f.In, f.InIm = advanced(first.In, done*f.InRow), advanced(first.InIm, done*f.InRow)
		f.Out, f.OutIm = advanced(first.Out, done*f.OutRow), advanced(first.OutIm, done*f.OutRow)
		f.Table = advanced(first.Table, done*2*(st.radix-1)*size)
		st.kernels[key](f)
	}
}

// advanced returns an address some bytes on, or nil.
func advanced(p unsafe.Pointer, bytes int) unsafe.Pointer {
	if p == nil {
		return nil
	}
	return unsafe.Add(p, bytes)
}

package layout

// Space is memory for temporary layouts. The layouts that its methods return are valid until Reset. The zero value is ready.
type Space struct {
	ints    []int
	layouts []Layout
}

// Reset frees the memory of all layouts for reuse.
func (s *Space) Reset() { s.ints, s.layouts = s.ints[:0], s.layouts[:0] }

// Forget is Reset, and also drops everything that the layouts refer to.
func (s *Space) Forget() {
	clear(s.layouts[:cap(s.layouts)])
	s.Reset()
}

// take returns the next n elements of a slice: those behind the elements in use, or of a new slice if there are too few. Elements
// taken before stay valid.
func take[T any](from *[]T, n int) []T {
	reserve(from, n)
	used := len(*from)
	*from = (*from)[:used+n]
	return (*from)[used : used+n : used+n]
}

// reserve ensures that the next n elements can be taken without an allocation.
func reserve[T any](from *[]T, n int) {
	if *from == nil || cap(*from)-len(*from) < n {
		*from = make([]T, 0, max(n, 2*cap(*from)))
	}
}

// Reserve ensures memory for row-major layouts with the given number of axes together.
func (s *Space) Reserve(axes int) { reserve(&s.ints, 2*axes) }

// Sub returns axes from to to-1 of each layout. The results share memory with the layouts.
func (s *Space) Sub(ls []Layout, from, to int) []Layout {
	out := take(&s.layouts, len(ls))
	for i, l := range ls {
		out[i] = Layout{Shape: l.Shape[from:to], Strides: l.Strides[from:to]}
	}
	return out
}

// blank returns a layout of the given rank whose numbers are not set.
func (s *Space) blank(rank, offset int) Layout {
	own := take(&s.ints, 2*rank)
	return Layout{Shape: own[:rank:rank], Strides: own[rank:], Offset: offset}
}

// RowMajor is the function RowMajor with the result in the memory of s.
func (s *Space) RowMajor(shape ...int) Layout {
	l := s.blank(len(shape), 0)
	copy(l.Shape, shape)
	l.setRowMajor()
	return l
}

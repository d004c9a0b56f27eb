package fft

import (
	"context"
	"unsafe"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
	"github.com/stridefuse/stridefuse/x/fft/internal/roots"
)

// This file transforms real lines. For even lengths, the elements with even and odd indices become the parts of half as
// many complex numbers, and one complex transform gives both:
//
//	X[k] = (Z[k] + conj(Z[m-k]))/2 - i/2·w[k]·(Z[k] - conj(Z[m-k])),  w[k] = exp(-πi·k/m)

// mirror is the relation between the transforms of 2m real numbers and of m pairs of them.
type mirror[T kernel.Element] struct {
	m            int
	factors      []T // -i·w[k] for k from 1 to m/2: as vectors of real and imaginary parts, as far as there are whole ones
	vectors      int // the number of k in vectors
	divide, join func(*kernel.Frame)
}

func newMirror[T kernel.Element](m int, find func(radix int, form kernel.Form) func(*kernel.Frame)) *mirror[T] {
	lanes := kernel.Lanes[T]()
	x := &mirror[T]{m: m, divide: find(0, kernel.Divide), join: find(0, kernel.Join)}
	x.factors = make([]T, 0, m/2*2) // before m/2 there are whole vectors, and single numbers
	unity := roots.Of(2 * m)
	if m > 2 {
		x.vectors = (m - 1) / 2 / lanes * lanes
	}
	for k := 1; k <= x.vectors; k += lanes {
		var im []T
		for j := k; j < k+lanes; j++ {
			re, i := unity.At(j)
			x.factors, im = append(x.factors, T(i)), append(im, T(-re))
		}
		x.factors = append(x.factors, im...)
	}
	for k := x.vectors + 1; 2*k <= m; k++ {
		re, im := unity.At(k)
		x.factors = append(x.factors, T(im), T(-re))
	}
	return x
}

// run computes the m+1 numbers dst from the m numbers src, or with join backwards, times 2, the m numbers dst from the
// m+1 numbers src. dst and src may be the same.
func (x *mirror[T]) run(ctx context.Context, dst, src []T, join bool, w *work[T], workers int) error {
	m := x.m
	if join {
		a, b := src[0], src[2*m]
		dst[0], dst[1] = a+b, a-b
	} else {
		a, b := src[0], src[1]
		dst[0], dst[1] = a+b, 0
		dst[2*m], dst[2*m+1] = a-b, 0
	}
	for k := x.vectors + 1; 2*k <= m; k++ {
		i, j := 2*k, 2*(m-k)
		sumRe, sumIm := src[i]+src[j], src[i+1]-src[j+1]
		re, im, ur, ui := src[i]-src[j], src[i+1]+src[j+1], x.factors[i-2], x.factors[i-1]
		if join {
			re, im = times(re, im, ur, -ui)
			dst[i], dst[i+1], dst[j], dst[j+1] = sumRe+re, sumIm+im, sumRe-re, im-sumIm
		} else {
			re, im = times(re, im, ur, ui)
			dst[i], dst[i+1], dst[j], dst[j+1] = (sumRe+re)/2, (sumIm+im)/2, (sumRe-re)/2, (im-sumIm)/2
		}
	}
	if 2*x.vectors <= mostCalled {
		x.pairs(dst, src, 0, x.vectors, join, &w.frame)
		return nil
	}
	return spans(ctx, workers, 2*x.vectors, w, func(begin, end int, w *work[T]) { // two numbers for each k
		x.pairs(dst, src, begin/2, end/2, join, &w.frame)
	})
}

// pairs does the work of run for numbers k and m-k, with k from begin+1 to end, which are whole vectors.
func (x *mirror[T]) pairs(dst, src []T, begin, end int, join bool, f *kernel.Frame) {
	if begin == end {
		return
	}
	first, last := 2*(begin+1), 2*(x.m-begin-kernel.Lanes[T]())
	*f = kernel.Frame{
		Rows: 1, Cols: end - begin, Table: unsafe.Pointer(&x.factors[2*begin]),
		In: unsafe.Pointer(&src[first]), InIm: unsafe.Pointer(&src[last]),
		Out: unsafe.Pointer(&dst[first]), OutIm: unsafe.Pointer(&dst[last]),
	}
	if join {
		x.join(f)
	} else {
		x.divide(f)
	}
}

// rows is run for all lines along an axis, whose numbers are inner apart, with the arrays dstStep and srcStep apart.
func (x *mirror[T]) rows(ctx context.Context, dst, src []T, l lines[T], dstStep, srcStep int, join bool, w *work[T], workers int) error {
	n, m := x.m, x.m+1 // numbers that are read and written
	if join {
		n, m = m, n
	}
	blocks := (l.inner-1)/side + 1
	return each(ctx, workers, l.outer*blocks, w, func(i int, w *work[T]) error {
		borrowed, err := w.apart.borrow(2 * (x.m + 1))
		if err != nil {
			return err
		}
		defer borrowed.release()
		line, column := borrowed.data, i%blocks*side
		for q := column; q < min(column+side, l.inner); q++ {
			from, to := src[i/blocks*srcStep+2*q:], dst[i/blocks*dstStep+2*q:]
			for k := range n {
				line[2*k], line[2*k+1] = from[2*k*l.inner], from[2*k*l.inner+1]
			}
			if err := x.run(ctx, line, line, join, w, 1); err != nil {
				return err
			}
			for k := range m {
				to[2*k*l.inner], to[2*k*l.inner+1] = line[2*k], line[2*k+1]
			}
		}
		return nil
	})
}

// realLines are real lines along an axis, and their transforms: outer*inner lines of n elements and n/2+1 numbers, inner
// apart.
type realLines[T kernel.Element] struct {
	reals, numbers  []T
	outer, n, inner int
	scale           T
}

// forward transforms reals to numbers.
func (l realLines[T]) forward(ctx context.Context) error {
	if l.n%2 == 1 {
		return l.odd(ctx, false)
	}
	m, row := l.n/2, 2*l.inner
	p, err := planOf[T](m)
	if err != nil {
		return err
	}
	c := lines[T]{dst: l.numbers, src: l.reals, outer: l.outer, n: m, inner: l.inner, scale: l.scale,
		dstStep: row * (m + 1), srcStep: row * m, real: p.mirror()}
	if l.inner > 1 {
		c.src, c.srcStep = c.dst, c.dstStep
		err := l.spans(ctx, m, func(r, q, count int) {
			even, odd := l.reals[r*row+q:][:count], l.reals[r*row+l.inner+q:][:count]
			to := l.numbers[r/m*c.dstStep+r%m*row+2*q:][:2*count]
			for i, v := range even {
				to[2*i], to[2*i+1] = v, odd[i]
			}
		})
		if err != nil {
			return err
		}
	}
	return p.transform(ctx, c)
}

// spans calls f for parts of the rows of arrays of some rows of inner elements, on all processors if they are large.
func (l realLines[T]) spans(ctx context.Context, rows int, f func(row, column, count int)) error {
	w := getWork[T]()
	defer w.put()
	n := l.outer * rows * l.inner
	return spans(ctx, workersFor(n), n, w, func(begin, end int, _ *work[T]) { segments(begin, end, l.inner, f) })
}

// backward transforms numbers to reals. It does not read the imaginary parts that transforms of real numbers do not
// have.
func (l realLines[T]) backward(ctx context.Context) error {
	if l.n%2 == 1 {
		return l.odd(ctx, true)
	}
	m, row := l.n/2, 2*l.inner
	p, err := planOf[T](m)
	if err != nil {
		return err
	}
	c := lines[T]{dst: l.reals, src: l.numbers, outer: l.outer, n: m, inner: l.inner, scale: l.scale,
		dstStep: row * m, srcStep: row * (m + 1), inverse: true, real: p.mirror()}
	if l.inner == 1 {
		return p.transform(ctx, c)
	}
	all, err := newArray[T](len(l.reals))
	if err != nil {
		return err
	}
	defer all.release()
	c.dst = all.data
	if err := p.transform(ctx, c); err != nil {
		return err
	}
	return l.spans(ctx, m, func(r, q, count int) {
		even, odd := l.reals[r*row+q:][:count], l.reals[r*row+l.inner+q:][:count]
		from := c.dst[r*row+2*q:][:2*count]
		for i := range even {
			even[i], odd[i] = from[2*i], from[2*i+1]
		}
	})
}

// odd transforms lines of odd lengths, as complex ones.
func (l realLines[T]) odd(ctx context.Context, backward bool) error {
	m, row := l.n/2+1, 2*l.inner
	step := l.n * row
	borrowed, err := newArray[T](l.outer * step)
	if err != nil {
		return err
	}
	defer borrowed.release()
	all := borrowed.data
	if backward {
		err = l.spans(ctx, m, func(r, q, count int) {
			k, from := r%m, l.numbers[r*row+2*q:][:2*count]
			line := all[r/m*step+2*q:]
			a := line[k*row:][:2*count]
			for i := 0; i < len(from); i += 2 {
				a[i], a[i+1] = from[i], from[i+1]
			}
			if k == 0 {
				for i := 1; i < len(a); i += 2 {
					a[i] = 0
				}
				return
			}
			b := line[(l.n-k)*row:][:2*count]
			for i := 0; i < len(a); i += 2 {
				b[i], b[i+1] = a[i], -a[i+1]
			}
		})
	} else {
		err = l.spans(ctx, l.n, func(r, q, count int) {
			to := all[r*row+2*q:][:2*count]
			for i, v := range l.reals[r*l.inner+q:][:count] {
				to[2*i], to[2*i+1] = v, 0
			}
		})
	}
	if err != nil {
		return err
	}
	p, err := planOf[T](l.n)
	if err != nil {
		return err
	}
	c := lines[T]{dst: all, src: all, outer: l.outer, n: l.n, inner: l.inner, scale: l.scale, dstStep: step, srcStep: step, inverse: backward}
	if err := p.transform(ctx, c); err != nil {
		return err
	}
	if backward {
		return l.spans(ctx, l.n, func(r, q, count int) {
			from := all[r*row+2*q:][:2*count]
			to := l.reals[r*l.inner+q:][:count]
			for i := range to {
				to[i] = from[2*i]
			}
		})
	}
	return l.spans(ctx, m, func(r, q, count int) {
		to := l.numbers[r*row+2*q:][:2*count]
		copy(to, all[r/m*step+r%m*row+2*q:])
		if r%m == 0 {
			for i := 1; i < len(to); i += 2 {
				to[i] = 0
			}
		}
	})
}

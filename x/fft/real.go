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
func (x *mirror[T]) run(dst, src []T, join bool, f *kernel.Frame) {
	m := x.m
	if join {
		a, b := src[0], src[2*m]
		dst[0], dst[1] = a+b, a-b
	} else {
		a, b := src[0], src[1]
		dst[0], dst[1] = a+b, 0
		dst[2*m], dst[2*m+1] = a-b, 0
	}
	if x.vectors > 0 {
		first := 2 * (m - kernel.Lanes[T]())
		*f = kernel.Frame{
			Rows: 1, Cols: x.vectors, Table: unsafe.Pointer(&x.factors[0]),
			In: unsafe.Pointer(&src[2]), InIm: unsafe.Pointer(&src[first]),
			Out: unsafe.Pointer(&dst[2]), OutIm: unsafe.Pointer(&dst[first]),
		}
		if join {
			x.join(f)
		} else {
			x.divide(f)
		}
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
}

// rows is run for all lines along an axis, whose numbers are inner apart, with the arrays dstStep and srcStep apart.
func (x *mirror[T]) rows(dst, src []T, l lines[T], dstStep, srcStep int, join bool) {
	line := make([]T, 2*(x.m+1))
	n, m := x.m, x.m+1 // numbers that are read and written
	if join {
		n, m = m, n
	}
	for i := range l.outer * l.inner {
		from, to := src[i/l.inner*srcStep+2*(i%l.inner):], dst[i/l.inner*dstStep+2*(i%l.inner):]
		for k := range n {
			line[2*k], line[2*k+1] = from[2*k*l.inner], from[2*k*l.inner+1]
		}
		x.run(line, line, join, new(kernel.Frame))
		for k := range m {
			to[2*k*l.inner], to[2*k*l.inner+1] = line[2*k], line[2*k+1]
		}
	}
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
		for o := range l.outer {
			for k := range m {
				even, odd := l.reals[(o*m+k)*row:][:l.inner], l.reals[(o*m+k)*row+l.inner:][:l.inner]
				to := l.numbers[o*c.dstStep+k*row:][:row]
				for q, v := range even {
					to[2*q], to[2*q+1] = v, odd[q]
				}
			}
		}
	}
	return p.transform(ctx, c)
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
	c.dst = make([]T, len(l.reals))
	if err := p.transform(ctx, c); err != nil {
		return err
	}
	for at := 0; at < len(c.dst); at += row {
		even, odd := l.reals[at:][:l.inner], l.reals[at+l.inner:][:l.inner]
		from := c.dst[at:][:row]
		for q := range even {
			even[q], odd[q] = from[2*q], from[2*q+1]
		}
	}
	return nil
}

// odd transforms lines of odd lengths, as complex ones.
func (l realLines[T]) odd(ctx context.Context, backward bool) error {
	m, row := l.n/2+1, 2*l.inner
	all := make([]T, l.outer*l.n*row)
	step := l.n * row
	c := lines[T]{dst: all, src: all, outer: l.outer, n: l.n, inner: l.inner, scale: l.scale, dstStep: step, srcStep: step, inverse: backward}
	for o := range l.outer {
		if !backward {
			for i, v := range l.reals[o*l.n*l.inner:][:l.n*l.inner] {
				all[o*step+2*i] = v
			}
			continue
		}
		from, to := l.numbers[o*m*row:][:m*row], all[o*step:][:step]
		for q := 0; q < row; q += 2 {
			to[q] = from[q]
		}
		for k := 1; k < m; k++ {
			a, b := to[k*row:][:row], to[(l.n-k)*row:][:row]
			for q := 0; q < row; q += 2 {
				a[q], a[q+1] = from[k*row+q], from[k*row+q+1]
				b[q], b[q+1] = a[q], -a[q+1]
			}
		}
	}
	p, err := planOf[T](l.n)
	if err == nil {
		err = p.transform(ctx, c)
	}
	if err != nil {
		return err
	}
	for o := range l.outer {
		if backward {
			to := l.reals[o*l.n*l.inner:][:l.n*l.inner]
			for i := range to {
				to[i] = all[o*step+2*i]
			}
			continue
		}
		to := l.numbers[o*m*row:][:m*row]
		copy(to, all[o*step:])
		for q := 1; q < row; q += 2 {
			to[q] = 0
		}
	}
	return nil
}

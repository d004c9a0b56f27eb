package fft

import (
	"context"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// Norm says what transforms divide by; n is the number of elements in all transformed axes together.
type Norm uint8

const (
	Backward Norm = iota // the inverse divides by n: NumPy's default
	Ortho                // both divide by the square root of n
	Forward              // the forward transform divides by n
)

// scale returns the factor of a transform of n numbers.
func (norm Norm) scale(n int, inverse bool) float64 {
	switch {
	case norm == Ortho:
		return 1 / math.Sqrt(float64(n))
	case inverse == (norm == Backward):
		return 1 / float64(n)
	}
	return 1
}

// swapped returns the norm whose inverse divides as the forward transform of this one does.
func (norm Norm) swapped() Norm { return [...]Norm{Forward, Ortho, Backward}[norm] }

// Options are the options of a transform. The zero Options transform all elements with NumPy's default norm: along the
// last axis, or along all axes for functions whose names end with N.
type Options struct {
	// Axes are the axes to transform. Negative ones count from the end.
	Axes []int

	// N has the number of elements of each of Axes, in their order: lines are cut after so many, or continued by zeros.
	// An element 0, or no N, means the extent of the axis. For IRFFT and HFFT the last of N is the extent of the result
	// along the last of Axes, by default 2*(m-1) for m numbers, or 1 for one.
	N []int

	Norm Norm
}

// kind is a kind of transform.
type kind struct {
	op      string // the name of the function, for errors
	all     bool   // of all axes, by default
	inverse bool
	complex bool // of complex numbers to complex numbers
	hermite bool // of one axis; the real side is the transform's
}

// FFT returns the transform of complex numbers z [..., n, 2]. Element k along an axis of n is the sum of
// z[j]·exp(-2πi·jk/n) over j.
func FFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "fft", complex: true}, z, o)
}

// IFFT returns the inverse of FFT.
func IFFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "ifft", complex: true, inverse: true}, z, o)
}

// FFTN is FFT along all axes, unless Options name some.
func FFTN(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "fftn", complex: true, all: true}, z, o)
}

// IFFTN is IFFT along all axes, unless Options name some.
func IFFTN(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "ifftn", complex: true, all: true, inverse: true}, z, o)
}

// RFFT returns the transform of real numbers x. Along the last of the axes it returns only elements 0 to n/2, since the
// others are their conjugates: x [..., n] gives [..., n/2+1, 2].
func RFFT(ctx context.Context, x *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "rfft"}, x, o)
}

// RFFTN is RFFT along all axes, unless Options name some.
func RFFTN(ctx context.Context, x *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "rfftn", all: true}, x, o)
}

// IRFFT returns the inverse of RFFT: real numbers from complex z [..., m, 2]. Imaginary parts that the transform of real
// numbers can't have are ignored, as in NumPy.
func IRFFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "irfft", inverse: true}, z, o)
}

// IRFFTN is IRFFT along all axes, unless Options name some.
func IRFFTN(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "irfftn", all: true, inverse: true}, z, o)
}

// HFFT returns the transform, along one axis, of complex numbers z [..., m, 2] that are the first half of a line whose
// other half are their conjugates. So the result is real: the inverse of IHFFT.
func HFFT(ctx context.Context, z *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "hfft", inverse: true, hermite: true}, z, o)
}

// IHFFT returns the first half, elements 0 to n/2, of the inverse transform of real numbers x along one axis.
func IHFFT(ctx context.Context, x *graph.Tensor, o Options) (*graph.Tensor, error) {
	return transform(ctx, kind{op: "ihfft", hermite: true}, x, o)
}

func transform(ctx context.Context, k kind, t *graph.Tensor, o Options) (*graph.Tensor, error) {
	if ctx == nil {
		return nil, fail(k.op, noContext)
	}
	var shape []int
	var err error
	if k.complex || k.inverse {
		shape, err = complexShape(k.op, t)
	} else if err = check(k.op, t); err == nil {
		shape = t.Shape()
	}
	if err != nil {
		return nil, err
	}
	if err := o.resolve(k, shape); err != nil {
		return nil, err
	}
	if t.DType() == graph.Float32 {
		return transformOf[float32](ctx, k, t, shape, o)
	}
	return transformOf[float64](ctx, k, t, shape, o)
}

// transformOf transforms a tensor whose numbers have a shape, with resolved options. It transforms the last of the axes
// first, or last if that gives real numbers.
func transformOf[T kernel.Element](ctx context.Context, k kind, t *graph.Tensor, shape []int, o Options) (*graph.Tensor, error) {
	extents, count := slices.Clone(shape), 1
	for i, axis := range o.Axes {
		extents[axis] = o.N[i]
		count *= o.N[i]
	}
	last := o.Axes[len(o.Axes)-1]
	n := extents[last]
	scale := T(o.Norm.scale(count, k.inverse))
	half := slices.Clone(extents)
	half[last] = n/2 + 1
	switch {
	case k.complex:
		from, err := resized[T](ctx, t, append(extents, 2))
		if err != nil {
			return nil, err
		}
		to, err := newArray[T](append(extents, 2)...)
		if err != nil {
			return nil, err
		}
		return to.unless(along(ctx, to.data, from.data, extents, o.Axes, k.inverse, scale))
	case !k.inverse:
		from, err := resized[T](ctx, t, extents)
		if err != nil {
			return nil, err
		}
		to, err := newArray[T](append(half, 2)...)
		if err != nil || len(to.data) == 0 {
			return to.unless(err)
		}
		outer, inner := around(extents, last)
		rest := o.Axes[:len(o.Axes)-1]
		first := T(1)
		if len(rest) == 0 {
			first = scale
		}
		if err := (realLines[T]{from.data, to.data, outer, n, inner, first}).forward(ctx); err != nil {
			return nil, err
		}
		if k.hermite {
			if err := conjugate(ctx, to.data, to.data); err != nil {
				return nil, err
			}
		}
		return to.unless(along(ctx, to.data, to.data, half, rest, false, scale))
	}
	from, err := resized[T](ctx, t, append(half, 2))
	if err != nil {
		return nil, err
	}
	if rest := o.Axes[:len(o.Axes)-1]; len(rest) > 0 || k.hermite {
		own, err := newArray[T](append(half, 2)...)
		if err != nil {
			return nil, err
		}
		if k.hermite {
			err = conjugate(ctx, own.data, from.data)
		} else {
			err = along(ctx, own.data, from.data, half, rest, true, 1)
		}
		if err != nil {
			return nil, err
		}
		from = own
	}
	to, err := newArray[T](extents...)
	if err != nil || len(to.data) == 0 {
		return to.unless(err)
	}
	outer, inner := around(extents, last)
	return to.unless(realLines[T]{to.data, from.data, outer, n, inner, scale}.backward(ctx))
}

// along transforms arrays along some axes, from the last one to the first one.
func along[T kernel.Element](ctx context.Context, dst, src []T, shape, axes []int, inverse bool, scale T) error {
	if len(dst) == 0 {
		return ctx.Err()
	}
	for i := len(axes) - 1; i >= 0; i-- {
		l := lines[T]{dst: dst, src: src, n: shape[axes[i]], inverse: inverse, scale: 1}
		if i == 0 {
			l.scale = scale
		}
		l.outer, l.inner = around(shape, axes[i])
		l.dstStep, l.srcStep = 2*l.n*l.inner, 2*l.n*l.inner
		p, err := planOf[T](l.n)
		if err == nil {
			err = p.transform(ctx, l)
		}
		if err != nil {
			return err
		}
		src = dst
	}
	return nil
}

// conjugate writes the conjugates of src to dst, which may be the same.
func conjugate[T kernel.Element](ctx context.Context, dst, src []T) error {
	w := getWork[T]()
	defer w.put()
	return spans(ctx, workersFor(len(src)), len(src)/2, w, func(begin, end int, _ *work[T]) {
		for i := 2 * begin; i < 2*end; i += 2 {
			dst[i], dst[i+1] = src[i], -src[i+1]
		}
	})
}

// resolve checks the options for numbers of a shape. It counts Axes from 0, and fills N.
func (o *Options) resolve(k kind, shape []int) error {
	if o.Norm > Forward {
		return fail(k.op, "norm %d: it is Backward, Ortho or Forward", o.Norm)
	}
	if k.hermite {
		o.Norm = o.Norm.swapped()
	}
	axes := slices.Clone(o.Axes)
	if len(axes) == 0 {
		axes = []int{-1}
		for i := 1; k.all && i < len(shape); i++ {
			axes = append(axes, i)
		}
		if k.all && len(shape) > 0 {
			axes[0] = 0
		}
	}
	if k.hermite && len(axes) != 1 {
		return fail(k.op, "%d axes: it transforms one", len(axes))
	}
	for i, axis := range axes {
		if axis < 0 {
			axes[i] += len(shape)
		}
		switch {
		case axes[i] < 0 || axes[i] >= len(shape):
			return fail(k.op, "axis %d: the numbers have shape %v", axis, shape)
		case slices.Contains(axes[:i], axes[i]):
			return fail(k.op, "axis %d is given twice", axes[i])
		}
	}
	if len(o.N) != 0 && len(o.N) != len(axes) {
		return fail(k.op, "N has %d elements for %d axes", len(o.N), len(axes))
	}
	lengths := make([]int, len(axes))
	for i, axis := range axes {
		n := shape[axis]
		if k.inverse && !k.complex && i == len(axes)-1 {
			n = max(min(n, 1), 2*(n-1))
		}
		if len(o.N) != 0 && o.N[i] != 0 {
			n = o.N[i]
		}
		switch {
		case n < 0:
			return fail(k.op, "N is %d for axis %d: it must not be negative", n, axis)
		case n == 0:
			return fail(k.op, "axis %d of shape %v has no elements", axis, shape)
		}
		lengths[i] = n
	}
	o.Axes, o.N = axes, lengths
	return nil
}

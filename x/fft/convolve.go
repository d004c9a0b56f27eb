package fft

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// This file has convolutions.

// Method is a way of computing a convolution.
type Method uint8

const (
	// Auto takes the method that costs least by an estimate.
	Auto Method = iota

	// Direct computes each product. It is exact for small integers, and each sum has the error of its own products. At the
	// ends it multiplies taps by the zeros around the line: a tap that is not finite makes NaN there, unlike in NumPy.
	Direct

	// Transform multiplies transforms. The error of every element is relative to the largest ones of its block: about the
	// product of the norms of the operands times the precision. A NaN or an infinity spoils its whole block.
	Transform

	// Blocks is Transform for blocks of x, which overlap by the taps (Stockham, High-speed convolution and correlation,
	// 1966).
	Blocks
)

// ConvolveOptions are the options of Convolve. The zero value returns the full convolution by the cheapest method.
type ConvolveOptions struct {
	Overlap graph.Overlap // the part that is returned
	Method  Method
}

// Convolve returns the convolution of each line along the last axis of real x [..., n] with taps [m]: element i of the
// full one is the sum of x[i-k]*taps[k]. The operands have one type, Float32 or Float64, and at least one element each.
func Convolve(ctx context.Context, x, taps *graph.Tensor, o ConvolveOptions) (*graph.Tensor, error) {
	const op = "convolve"
	if ctx == nil {
		return nil, fail(op, noContext)
	}
	for _, t := range []*graph.Tensor{x, taps} {
		if err := check(op, t); err != nil {
			return nil, err
		}
	}
	switch shape := x.Shape(); {
	case x.DType() != taps.DType():
		return nil, fail(op, "x is %v and the taps are %v: they must have one type", x.DType(), taps.DType())
	case taps.Rank() != 1 || taps.Extent(0) == 0:
		return nil, fail(op, "the taps have shape %v: give a vector of at least one element", taps.Shape())
	case len(shape) == 0 || shape[len(shape)-1] == 0:
		return nil, fail(op, "x has shape %v: its last axis must have elements", shape)
	case o.Overlap > graph.OverlapValid:
		return nil, fail(op, "overlap %d: it is OverlapFull, OverlapSame or OverlapValid", o.Overlap)
	case o.Method > Blocks:
		return nil, fail(op, "method %d: it is Auto, Direct, Transform or Blocks", o.Method)
	}
	if x.DType() == graph.Float32 {
		return convolve[float32](ctx, x, taps, o)
	}
	return convolve[float64](ctx, x, taps, o)
}

func convolve[T kernel.Element](ctx context.Context, x, taps *graph.Tensor, o ConvolveOptions) (*graph.Tensor, error) {
	shape := x.Shape()
	last := len(shape) - 1
	n, m := shape[last], taps.Extent(0)
	lines := size(shape[:last])
	if m > math.MaxInt/8-n {
		return nil, fail("convolve", "%d and %d elements are too many", n, m)
	}
	from, err := arrayOf[T](x.Contiguous())
	if err != nil {
		return nil, err
	}
	by, err := arrayOf[T](taps.Contiguous())
	if err != nil {
		return nil, err
	}
	begin, count := part(n, m, o.Overlap)
	shape[last] = count
	to, err := newArray[T](shape...)
	if err != nil || lines == 0 {
		return to.unless(err)
	}
	l := length(n, m, o.Method)
	if o.Method == Direct || o.Method == Auto && productCost*float64(count)*float64(m) < cost(l, n, m) {
		return to.unless(direct(ctx, to.data, from.data, by.data, lines, n, begin, count))
	}
	c, err := newConvolution(ctx, by.data, n, l)
	if err != nil {
		return nil, err
	}
	defer c.spectrum.release()
	return to.unless(c.run(ctx, to.data, from.data, lines, begin, count))
}

// part returns the first element and the number of elements of the full convolution that are wanted.
func part(n, m int, overlap graph.Overlap) (begin, count int) {
	short, long := min(n, m), max(n, m)
	switch overlap {
	case graph.OverlapSame:
		return (short - 1) / 2, long
	case graph.OverlapValid:
		return short - 1, long - short + 1
	}
	return 0, n + m - 1
}

// Costs in nanoseconds, measured on an EPYC (Zen 4): of a direct product; of a transform of a real line, for each element
// and each doubling of the length.
const (
	productCost   = 0.06
	transformCost = 0.08
)

// cost estimates the time of the transforms of one line by blocks of l elements.
func cost(l, n, m int) float64 {
	blocks := 1
	if l < n+m-1 {
		blocks = (n+m-2)/(l-m+1) + 1
	}
	return float64(blocks) * (500 + float64(2*transformCost*float64(l)*float64(bits.Len(uint(l)))))
}

// length returns the number of elements of the transforms: at least n+m-1, or fewer for blocks.
func length(n, m int, method Method) int {
	best := 16 * NextFastLen((n+m-2)/16+1)
	if method == Transform {
		return best
	}
	first := method == Blocks
	for l := 16 * NextFastLen(m/8+1); l < n+m-1; l *= 2 {
		if first || cost(l, n, m) < cost(best, n, m) {
			best, first = l, false
		}
	}
	return best
}

// mostPassed is the most taps that a call of the kernel of direct convolutions takes, times the groups of columns for which
// it takes them: some tens of microseconds, for which the garbage collector waits.
const mostPassed = 1 << 14

// direct writes elements begin to begin+count of each line's full convolution. It copies pieces of a line with the zeros
// around it, and adds the products of each element in the order of the line.
func direct[T kernel.Element](ctx context.Context, dst, src, taps []T, lines, n, begin, count int) error {
	m := len(taps)
	backward, err := newArray[T](m)
	if err != nil {
		return err
	}
	defer backward.release()
	w := getWork[T]()
	defer w.put()
	workers := workersFor(lines * n * min(m, 16))
	err = spans(ctx, workers, m, w, func(begin, end int, _ *work[T]) {
		for k, v := range taps[begin:end] {
			backward.data[m-1-begin-k] = v
		}
	})
	if err != nil {
		return err
	}
	lanes := kernel.Lanes[T]()
	width := padded(min(count, max(64, 1<<15/m)), lanes)
	passes := width/(8*lanes) + width/lanes%8 // over the taps of a call
	most := max(1, mostPassed/passes)
	sums := kernel.Of[T](0, kernel.Taps)
	pieces := (count-1)/width + 1
	return each(ctx, workers, lines*pieces, w, func(i int, w *work[T]) error {
		line, at := i/pieces, i%pieces*width
		room := w.block.take(2*width + min(m, most))
		out, z := room[:width], room[width:]
		clear(out)
		for k := 0; k < m; k += most {
			if err := ctx.Err(); err != nil {
				return err
			}
			rows := min(most, m-k)
			window(z[:width+rows], src[line*n:][:n], begin+at-m+1+k)
			w.frame = kernel.Frame{Rows: rows, Cols: width, In: unsafe.Pointer(&z[0]), Out: unsafe.Pointer(&out[0]), Table: unsafe.Pointer(&backward.data[k])}
			sums(&w.frame)
		}
		copy(dst[line*count:][at:count], out)
		return nil
	})
}

// window copies elements of a line from index first on, which may be negative, to z, and zeros for those that the line
// does not have.
func window[T kernel.Element](z, line []T, first int) {
	at := 0
	if first < 0 {
		at = min(len(z), -first)
		clear(z[:at])
	}
	if at < len(z) && first+at < len(line) {
		at += copy(z[at:], line[first+at:])
	}
	clear(z[at:])
}

// convolution convolves lines of n elements with taps, by transforms of l elements.
type convolution[T kernel.Element] struct {
	plan     *plan[T] // of l/2 numbers
	n, m, l  int
	spectrum array[T] // of the taps, divided by l
}

func newConvolution[T kernel.Element](ctx context.Context, taps []T, n, l int) (*convolution[T], error) {
	p, err := planOf[T](l / 2)
	if err != nil {
		return nil, err
	}
	c := &convolution[T]{plan: p, n: n, m: len(taps), l: l}
	if c.spectrum, err = newArray[T](l + 2); err != nil {
		return nil, err
	}
	w := getWork[T]()
	defer w.put()
	workers, z := workersFor(l), c.spectrum.data
	err = spans(ctx, workers, len(z), w, func(begin, end int, _ *work[T]) { window(z[begin:end], taps, begin) })
	if err != nil {
		return nil, err
	}
	return c, c.forward(ctx, z, T(1/float64(l)), w, workers)
}

// forward transforms l real elements of z to l/2+1 numbers.
func (c *convolution[T]) forward(ctx context.Context, z []T, scale T, w *work[T], workers int) error {
	if err := c.plan.line(ctx, z[:c.l], z[:c.l], false, scale, w, workers); err != nil {
		return err
	}
	return c.plan.mirror().run(ctx, z, z, false, w, workers)
}

// run writes elements begin to begin+count of each line's full convolution.
func (c *convolution[T]) run(ctx context.Context, dst, src []T, lines, begin, count int) error {
	whole := c.l >= c.n+c.m-1 // a block has the whole line
	lead := c.m - 1           // elements before those of a block
	if whole {
		lead = 0
	}
	step, blocks := c.l-lead, 1
	skip := begin // the first element of a block that is wanted
	if !whole {
		blocks, skip = (count-1)/step+1, lead
	}
	w := getWork[T]()
	defer w.put()
	workers, within := workersFor(lines*blocks*c.l), 1 // of blocks, and of each one
	if lines*blocks < workers {
		workers, within = 1, workers
	}
	return each(ctx, workers, lines*blocks, w, func(i int, w *work[T]) error {
		line, first := i/blocks, 0
		if !whole {
			first = begin + i%blocks*step - lead
		}
		borrowed, err := w.block.borrow(c.l + 2)
		if err != nil {
			return err
		}
		defer borrowed.release()
		z, x := borrowed.data, src[line*c.n:][:c.n]
		err = spans(ctx, within, len(z), w, func(begin, end int, _ *work[T]) { window(z[begin:end], x, first+begin) })
		if err != nil {
			return err
		}
		if err := c.forward(ctx, z, 1, w, within); err != nil {
			return err
		}
		err = spans(ctx, within, len(z)/2, w, func(begin, end int, _ *work[T]) {
			multiply(z[2*begin:2*end], c.spectrum.data[2*begin:2*end])
		})
		if err != nil {
			return err
		}
		if err := c.plan.mirror().run(ctx, z, z, true, w, within); err != nil {
			return err
		}
		if err := c.plan.line(ctx, z[:c.l], z[:c.l], true, 1, w, within); err != nil {
			return err
		}
		to := dst[line*count:][:count]
		to = to[min(count, i%blocks*step):]
		return move(ctx, to, z[skip:c.l][:min(len(to), c.l-skip)], w, within)
	})
}

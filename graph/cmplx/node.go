package cmplx

import (
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// A Node is an array of complex numbers: two nodes of one shape and type. Compile reports the errors of both.
type Node struct{ re, im graph.Node }

// Make returns the complex numbers with the given parts, Float32 or Float64, which broadcast to one shape.
func Make(re, im graph.Node) Node { return made("make", re, im) }

// made implements Make for the function of the given name, for errors.
func made(call string, re, im graph.Node) Node {
	if sum := re.Add(im); sum.Err() != nil {
		return Node{sum, sum}
	} else if shape := sum.Shape(); !re.Shape().Equal(shape) || !im.Shape().Equal(shape) {
		re, im = re.BroadcastTo(shape), im.BroadcastTo(shape)
	}
	return checked(call, re, im)
}

// checked returns complex numbers of two parts. Parts of different shapes, or of a type that has no complex numbers,
// are an error.
func checked(call string, re, im graph.Node) Node {
	for _, part := range []graph.Node{re, im} {
		if dt := part.DType(); part.Err() == nil && dt != graph.Float32 && dt != graph.Float64 {
			err := graph.Const(tensor.Failf("cmplx.%s: complex numbers have parts of float32 or float64, not %s: Cast them", call, dt))
			return Node{err, err}
		}
	}
	return Node{re, im}
}

// Polar returns the complex numbers with the given magnitudes and angles, which broadcast to one shape.
func Polar(magnitude, angle graph.Node) Node {
	return made("polar", magnitude.Mul(angle.Cos()), magnitude.Mul(angle.Sin()))
}

// Input returns an input of complex numbers of a shape, with parts of type dt. Its tensors have one axis more, as Of
// makes them.
func Input(name string, dt graph.DType, extents ...any) Node {
	return from("input", graph.Input(name, dt, append(append([]any{}, extents...), 2)...))
}

// From returns the complex numbers whose parts are interleaved along the last axis of x. The axis must have extent 2,
// and the type must be Float32 or Float64.
func From(x graph.Node) Node { return from("from", x) }

// from implements From for the function of the given name, for errors.
func from(call string, x graph.Node) Node {
	if z := checked(call, x, x); z.re.Err() != nil {
		return z
	}
	parts := x.Split(-1, 1, 1)
	return Node{parts[0].Squeeze(-1), parts[1].Squeeze(-1)}
}

// Interleaved returns the numbers in the layout of tensors, for an output: the parts are a new last axis of extent 2.
func (z Node) Interleaved() graph.Node { return graph.Stack(-1, z.re, z.im) }

// Real returns the real parts.
func (z Node) Real() graph.Node { return z.re }

// Imag returns the imaginary parts.
func (z Node) Imag() graph.Node { return z.im }

// Shape returns the extents of the axes of the numbers.
func (z Node) Shape() graph.Shape { return z.re.Shape() }

// View applies a function to both parts. The function must do the same for real as for complex numbers, such as a
// transposition, a slice or a sum:
//
//	z.View(func(x graph.Node) graph.Node { return x.Slice("::2").T() })
func (z Node) View(f func(x graph.Node) graph.Node) Node { return checked("view", f(z.re), f(z.im)) }

// Sum returns the sums along axes; parts are added as graph.Node.Sum adds.
func (z Node) Sum(axes ...any) Node { return Node{z.re.Sum(axes...), z.im.Sum(axes...)} }

// Mean returns the means along axes.
func (z Node) Mean(axes ...any) Node { return Node{z.re.Mean(axes...), z.im.Mean(axes...)} }

// CumSum returns the running sums along an axis.
func (z Node) CumSum(axis any, options ...graph.ReduceOption) Node {
	return Node{z.re.CumSum(axis, options...), z.im.CumSum(axis, options...)}
}

// MatMul returns the products of the matrices in the last two axes, by four real products: see graph.Node.MatMul.
func (z Node) MatMul(w Node) Node {
	return bilinear(z, w, func(x, y graph.Node) graph.Node { return x.MatMul(y) })
}

// Einsum returns the contraction of two operands that a formula describes, see graph.Einsum.
func Einsum(formula string, z, w Node) Node {
	return bilinear(z, w, func(x, y graph.Node) graph.Node { return graph.Einsum(formula, x, y) })
}

// bilinear computes a complex product from real products of the parts.
func bilinear(z, w Node, product func(x, y graph.Node) graph.Node) Node {
	return Node{
		product(z.re, w.re).Sub(product(z.im, w.im)),
		product(z.re, w.im).Add(product(z.im, w.re)),
	}
}

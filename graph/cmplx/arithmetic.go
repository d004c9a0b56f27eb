package cmplx

import "github.com/stridefuse/stridefuse/graph"

// An operand of arithmetic is complex (a Node or a Go complex number) or real (a graph.Node, a Tensor or a Go number).
// A tensor of complex numbers is From(graph.Const(t)). Shapes broadcast. A real operand acts on both parts separately.

// operand returns the parts of an operand. If it is real, real is true and im unused.
func (z Node) operand(w any) (re, im graph.Node, isReal bool) {
	switch w := w.(type) {
	case Node:
		return w.re, w.im, false
	case graph.Node:
		return w, w, true
	case *graph.Tensor:
		re = graph.Const(w)
		return re, re, true
	case complex128:
		return z.re.Scalar(real(w)), z.re.Scalar(imag(w)), false
	case complex64:
		return z.re.Scalar(real(w)), z.re.Scalar(imag(w)), false
	}
	r := z.re.Scalar(w)
	return r, r, true
}

// Add returns z + w.
func (z Node) Add(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Make(z.re.Add(re), z.im)
	}
	return Node{z.re.Add(re), z.im.Add(im)}
}

// Sub returns z - w.
func (z Node) Sub(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Make(z.re.Sub(re), z.im)
	}
	return Node{z.re.Sub(re), z.im.Sub(im)}
}

// Mul returns z * w: four products, a difference and a sum, each rounded. If a product of two parts overflows, a part
// of the result is infinite or NaN.
func (z Node) Mul(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Node{z.re.Mul(re), z.im.Mul(re)}
	}
	return bilinear(z, Node{re, im}, func(x, y graph.Node) graph.Node { return x.Mul(y) })
}

// Div returns z / w. Each part is within 5 units in the last place, whatever the magnitudes of the operands. Dividing
// by 0 divides each part by 0.
func (z Node) Div(w any) Node {
	re, im, isReal := z.operand(w)
	if isReal {
		return Node{z.re.Div(re), z.im.Div(re)}
	}
	if z.re.DType() == graph.Float64 {
		return scaledQuotient(z, Node{re, im})
	}
	return inFloat64(z, Node{re, im}, quotient)
}

// Neg returns -z.
func (z Node) Neg() Node { return Node{z.re.Neg(), z.im.Neg()} }

// Conj returns the conjugates.
func (z Node) Conj() Node { return Node{z.re, z.im.Neg()} }

// Eq returns where z and w are equal.
func (z Node) Eq(w any) graph.Node {
	re, im, isReal := z.operand(w)
	if isReal {
		im = z.im.Scalar(0)
	}
	return z.re.Eq(re).And(z.im.Eq(im))
}

// Abs returns the magnitudes by graph.Node.Hypot: they overflow only if the exact ones do.
func (z Node) Abs() graph.Node { return z.re.Hypot(z.im) }

// Arg returns the angles, from -pi to pi.
func (z Node) Arg() graph.Node { return z.im.Atan2(z.re) }

// inFloat64 computes in float64: it converts narrower numbers, and converts the result back.
func inFloat64(z, w Node, f func(z, w Node) Node) Node {
	dt := z.re.DType()
	to := func(dt graph.DType) func(graph.Node) graph.Node {
		return func(x graph.Node) graph.Node { return x.Cast(dt) }
	}
	if dt == graph.Float64 {
		return f(z, w)
	}
	return f(z.View(to(graph.Float64)), w.View(to(graph.Float64))).View(to(dt))
}

package onnx

import (
	"math"

	"github.com/stridefuse/stridefuse/graph"
)

// Fourier transforms of lines, as products with matrices of roots of unity. A composite length takes several smaller
// products: J. Cooley and J. Tukey, "An algorithm for the machine calculation of complex Fourier series", 1965. All
// arithmetic is in float64.

// spectrum is lines of complex numbers; im is nil for real numbers.
type spectrum struct {
	re graph.Node
	im *graph.Node
}

// spectrum reads numbers [..., n, parts] as lines [..., n].
func (c *call) spectrum(x graph.Node) spectrum {
	if !c.good(x) {
		return spectrum{re: x}
	}
	parts := x.Shape()[x.Rank()-1]
	if !parts.Is(1) && !parts.Is(2) {
		c.fail("an operand of shape %s: the last axis must have the 1 or 2 parts of numbers", x.Shape())
		return spectrum{re: x}
	}
	x = x.Cast(graph.Float64)
	z := spectrum{re: x.Index(-1, 0)}
	if parts.Is(2) {
		im := x.Index(-1, 1)
		z.im = &im
	}
	return z
}

// parts returns the complex numbers with the parts as last axis.
func (z spectrum) parts() graph.Node {
	if z.im == nil {
		return z.re.Unsqueeze(-1)
	}
	return graph.Stack(-1, z.re, *z.im)
}

// each applies f to both parts.
func (z spectrum) each(f func(x graph.Node) graph.Node) spectrum {
	out := spectrum{re: f(z.re)}
	if z.im != nil {
		im := f(*z.im)
		out.im = &im
	}
	return out
}

// resized cuts lines to n elements, or adds zeros.
func (z spectrum) resized(n int) spectrum {
	return z.each(func(x graph.Node) graph.Node {
		have, _ := x.Shape()[x.Rank()-1].Int()
		return padEnd(x, n-have)
	})
}

// mirrored extends the first n/2+1 elements of lines to n elements; the others are their conjugates, as in the
// transform of real numbers.
func (z spectrum) mirrored(n int) spectrum {
	rest := func(x graph.Node) graph.Node { return x.SliceAxis(-1, 1, (n+1)/2, 1).Flip(-1) }
	out := spectrum{re: graph.Concat(-1, z.re, rest(z.re))}
	if z.im != nil {
		im := graph.Concat(-1, *z.im, rest(*z.im).Neg())
		out.im = &im
	}
	return out
}

// times returns the complex product by a real product, such as that of matrices.
func (z spectrum) times(f func(x, y graph.Node) graph.Node, re, im graph.Node) spectrum {
	if z.im == nil {
		i := f(z.re, im)
		return spectrum{f(z.re, re), &i}
	}
	i := f(z.re, im).Add(f(*z.im, re))
	return spectrum{f(z.re, re).Sub(f(*z.im, im)), &i}
}

// mostFactor limits the matrices of a transform.
const mostFactor = 2048

// transformed returns the transforms of lines of n elements. The inverse transform is divided by n.
func (c *call) transformed(z spectrum, n int, inverse bool) spectrum {
	y := c.fourier(z, n, inverse)
	if !inverse || c.err != nil {
		return y
	}
	return y.each(func(x graph.Node) graph.Node { return x.Div(float64(n)) })
}

func (c *call) fourier(z spectrum, n int, inverse bool) spectrum {
	p := factor(n)
	if p > mostFactor {
		c.fail("a transform of %d elements, which has the prime factor %d: up to %d are supported", n, p, mostFactor)
		return z
	}
	if c.spendElements(2 * (n + p*p)); c.err != nil {
		return z
	}
	matrix := func(x, y graph.Node) graph.Node { return x.MatMul(y) }
	if p == n {
		re, im := roots(n, n, n, inverse)
		return z.times(matrix, re, im)
	}
	m := n / p
	// Element p*b+a becomes [..., a, b]: lines of m elements, transformed to [..., a, d].
	z = z.each(func(x graph.Node) graph.Node {
		return x.Reshape(x.Shape()[:x.Rank()-1], m, p).SwapAxes(-1, -2)
	})
	z = c.fourier(z, m, inverse)
	re, im := roots(p, m, n, inverse)
	z = z.times(func(x, y graph.Node) graph.Node { return x.Mul(y) }, re, im)
	// Then lines of p elements, [..., d, a] to [..., d, c]: element m*c+d.
	z = z.each(func(x graph.Node) graph.Node { return x.SwapAxes(-1, -2) })
	re, im = roots(p, p, p, inverse)
	return z.times(matrix, re, im).each(func(x graph.Node) graph.Node {
		x = x.SwapAxes(-1, -2)
		return x.Reshape(x.Shape()[:x.Rank()-2], n)
	})
}

// factor returns the greatest divisor of n up to 64, or its least prime factor if all other divisors are greater.
func factor(n int) int {
	for p := min(n, 64); p > 1; p-- {
		if n%p == 0 {
			return p
		}
	}
	for p := 67; p*p <= n; p++ {
		if n%p == 0 {
			return p
		}
	}
	return n
}

// roots returns the matrix [rows, cols] of exp(-2πi·j·k/n), conjugated for the inverse.
func roots(rows, cols, n int, inverse bool) (re, im graph.Node) {
	x, y := make([]float64, rows*cols), make([]float64, rows*cols)
	for j := range rows {
		for k := range cols {
			sin, cos := math.Sincos(2 * math.Pi * float64(j*k%n) / float64(n))
			if !inverse {
				sin = -sin
			}
			x[j*cols+k], y[j*cols+k] = cos, sin
		}
	}
	return graph.Const(graph.Of(x, rows, cols)), graph.Const(graph.Of(y, rows, cols))
}

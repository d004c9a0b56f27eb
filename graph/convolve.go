package graph

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Overlap says which elements of a convolution Convolve returns: those of NumPy's modes "full", "same" and "valid".
type Overlap uint8

// OverlapFull keeps each place where the two vectors overlap: n+m-1 elements. OverlapSame keeps as many as the longer
// vector has (x, if its length is a symbol), from the middle; OverlapValid keeps the places where the shorter one lies within the longer one.
const (
	OverlapFull Overlap = iota
	OverlapSame
	OverlapValid
)

// Convolve returns the convolution of two vectors, x of n and taps of m elements: element i of the full one is the sum of
// x[i-k]*taps[k]. The taps are a Node or Tensor of x's type, of a known length of at least 1. If both lengths are known
// and x is the shorter one, the two change places, as in NumPy. Up to 16 products are added one after another, by FMA for
// floats; more of them as in Dot. At the ends the vectors are surrounded by zeros, which are multiplied too: an element that is
// not finite, of the taps or of the shorter vector, makes NaN there, unlike in NumPy.
//
// The time is that of n*m products. For dozens of taps or more, fft.Convolve of module x/fft is faster: it takes
// Fourier transforms where they cost less.
func (x Node) Convolve(taps any, overlap Overlap) Node {
	return x.withOperands(func(x Node, operands []Node) Node {
		y, err := x.convolve(operands[0], overlap)
		if err != nil {
			return fail("%w", err)
		}
		return y
	}, taps)
}

// fewTaps is the greatest number of taps whose products are one chain of operations.
const fewTaps = 16

func (x Node) convolve(taps Node, overlap Overlap) (Node, error) {
	if x.Rank() != 1 || taps.Rank() != 1 {
		return x, fmt.Errorf("arrays of shape %s and %s: give two vectors", x.Shape(), taps.Shape())
	}
	_, m, err := taps.get().knownAxis(0)
	if err != nil {
		return x, fmt.Errorf("taps: %w", err)
	}
	n, known := x.Shape()[0].Int()
	switch {
	case m == 0 || known && n == 0:
		return x, fmt.Errorf("vectors of %s and %d elements: each must have some", x.Shape()[0], m)
	case known && n < m:
		x, taps, m = taps, x, n
	}
	before, after := m-1, m-1
	switch overlap {
	case OverlapSame:
		before, after = m/2, (m-1)/2
	case OverlapValid:
		before, after = 0, 0
	}
	x = x.Pad([]int{before}, []int{after}, PadConstant)
	if m > fewTaps {
		return x.Window(0, m, 1, 1).MatMul(taps.Flip(0)), nil
	}
	count := x.Shape()[0].Sub(ir.Fixed(m - 1))
	var sum Node
	for k := range m {
		part, tap := x.SliceAxis(0, k, count.Add(ir.Fixed(k)), 1), taps.Index(0, m-1-k)
		switch {
		case k == 0:
			sum = part.Mul(tap)
		case ir.Floats.Has(x.DType()):
			sum = part.FMA(tap, sum)
		default:
			sum = sum.Add(part.Mul(tap))
		}
	}
	return sum, nil
}

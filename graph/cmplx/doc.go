// Package cmplx has complex numbers on graphs: a Node is the real and the imaginary parts
// of an array, as two nodes of package graph of one shape, Float32 or Float64.
//
//	z := cmplx.Input("z", graph.Float32, graph.Dim("n"))
//	w := z.Mul(z).Add(1i).Sqrt()
//	p, err := graph.Compile(w.Interleaved())
//	out, err := p.Run(ctx, cmplx.Of([]complex64{1, 2i}))
//	data, err := cmplx.Data[complex64](out)
//
// In tensors the parts alternate, as Go's complex64 and complex128 are in memory: an array
// of complex numbers is one of floats with one more axis, the last, of extent 2. So Of and
// Data copy nothing, and Real and Imag of an input are views of it with a stride of 2.
//
// Elementwise operations compute with the parts alone and are fused like all others. Where
// the exact result is finite, no division, magnitude, root or function but Pow overflows on
// the way. Signs of zeros on branch cuts are those of package math/cmplx; with infinite or NaN
// parts the results follow from the arithmetic, and differ in places from C's Annex G.
//
// In the default tier, the distance of a result of Float64 from the exact one is at most 6 units
// in the last place of the exact magnitude; of Float32, whose functions are computed in float64,
// at most 1, and of Mul at most 2. Each part of Div, Abs, Arg, Exp, Sqrt, Sin, Cos, Tan and Tanh
// is within that of its own exact value. The error of Pow of Float64 grows with the exponent;
// sums and products along axes and of matrices have those of their parts. These bounds are from
// a search, but for that of Div: docs/accuracy.md.
package cmplx

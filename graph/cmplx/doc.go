// Package cmplx has complex numbers on graphs. A Node consists of the real and the imaginary parts of an array: two
// nodes of package graph of one shape, Float32 or Float64.
//
//	z := cmplx.Input("z", graph.Float32, graph.Dim("n"))
//	w := z.Mul(z).Add(1i).Sqrt()
//	p, err := graph.Compile(w.Interleaved())
//	out, err := p.Run(ctx, cmplx.Of([]complex64{1, 2i}))
//	data, err := cmplx.Data[complex64](out)
//
// In tensors the parts are interleaved, as Go's complex64 and complex128 are in memory: an array of complex numbers is
// an array of floats with an additional last axis of extent 2. So Of and Data copy nothing, and Real and Imag of an
// input are views with a stride of 2.
//
// Elementwise operations work on the parts and fuse like all others. If the exact result is finite, no division,
// magnitude, root or function except Pow overflows on the way. Signs of zeros on branch cuts are those of package
// math/cmplx. Results of infinite or NaN parts follow from the arithmetic, and differ in places from C's Annex G.
//
// Errors in the default tier, in units in the last place of the exact magnitude: Float64 results are within 6; Float32
// results, computed in float64, within 1, and those of Mul within 2. For Div, Abs, Arg, Exp, Sqrt, Sin, Cos, Tan and
// Tanh the bound also holds for each part and its own exact value. The error of Pow of Float64 grows with the exponent.
// Sums and products along axes and of matrices have the errors of their parts. These bounds come from a search, except
// that of Div: docs/accuracy.md.
package cmplx

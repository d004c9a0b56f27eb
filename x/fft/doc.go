// Package fft has discrete Fourier transforms of tensors: complex and real, forward and inverse, of any length, along
// one axis or several.
//
//	z, err := fft.RFFT(ctx, x, fft.Options{})                    // x [n] real, z [n/2+1] complex
//	z, err := fft.FFT(ctx, image, fft.Options{Axes: []int{0, 1}}) // of two axes
//
// Names, axes and norms are those of numpy.fft. Complex arrays are tensors in the form of package cmplx: floats with an
// additional last axis for the real and the imaginary part. An axis in Options counts the axes of the numbers, without
// that one.
//
// These are functions of tensors, for use before or after a program. They are a separate module because they use
// gonum's dsp/fourier, a translation of FFTPACK, for some lengths that are not powers of two. Its time is proportional
// to n times the sum of n's prime factors. For lengths where that is much, this package uses Bluestein's algorithm (A
// linear filtering approach to the computation of discrete Fourier transform, 1970), a convolution whose length is a
// power of two. Powers of two use Stockham's algorithm, which transforms several lines side by side, and a long line as
// the columns and rows of a matrix; for 1,024 numbers it takes a fifth of gonum's time (8 µs on an EPYC, Zen 4). Tables
// are kept for later calls.
//
// Operands may have any strides and are not written to. Results are new row-major tensors of the operand's dtype,
// float32 or float64. All computations are in float64; float32 results are rounded once at the end. Lines are computed
// on all processors, with the same bits for any number of them.
//
// Every error is a *graph.Error with the line of the call, except the error of an ended context, which is returned as
// it is.
package fft

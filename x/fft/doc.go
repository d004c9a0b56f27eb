// Package fft has discrete Fourier transforms of tensors: complex and real, forward and inverse,
// of any length, along one axis or several.
//
//	z, err := fft.RFFT(ctx, x, fft.Options{})                    // x [n] real, z [n/2+1] complex
//	z, err := fft.FFT(ctx, image, fft.Options{Axes: []int{0, 1}}) // of two axes
//
// Names, axes and norms are those of numpy.fft. Complex arrays are tensors as package cmplx has
// them: floats with one more axis, the last, of the real and the imaginary part. An axis in
// Options counts the axes of the numbers, without that one.
//
// These are functions of tensors, for use before or after a program. They are a module of its own
// because they use gonum's dsp/fourier, a translation of FFTPACK, for lengths that are no power of
// two: no program links it that needs no transform. Its time is that of n times the sum of n's prime
// factors. This package adds Bluestein's algorithm (A linear filtering approach to the computation
// of discrete Fourier transform, 1970) for lengths where that is much, which makes of a transform a
// convolution of a length that is a power of two; and Stockham's algorithm for powers of two, which
// transforms several lines side by side, and a long line as the columns and rows of a matrix. It
// takes a fifth of gonum's time: 8 µs of 41 for 1,024 numbers on an EPYC (Zen 4). Tables are kept
// for later calls.
//
// Operands may have any strides and are not written to. Results are new tensors, row-major, of the
// dtype of the operand, float32 or float64. All computations are in float64; results of float32
// are rounded once at the end. Lines are computed on all processors, with the same bits on any
// number of them.
//
// Every error is a *graph.Error with the line of the call, but that of a context that has ended,
// which is returned as it is.
package fft

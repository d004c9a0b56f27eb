// Package fft has discrete Fourier transforms of tensors: complex and real, forward and inverse, of any length, along
// one axis or several. It also has convolutions.
//
//	z, err := fft.RFFT(ctx, x, fft.Options{})                     // x [n] real, z [n/2+1] complex
//	z, err := fft.FFT(ctx, image, fft.Options{Axes: []int{0, 1}}) // along two axes
//	y, err := fft.Convolve(ctx, x, taps, fft.ConvolveOptions{})   // by the cheapest method
//
// Names, axes, lengths and norms are those of numpy.fft and of the array API standard. Complex arrays are tensors in the
// form of package cmplx: floats with an additional last axis for the real and the imaginary part. An axis in Options
// counts the axes of the numbers, without that one.
//
// These are functions of tensors, for use before or after a program. Operands may have any strides and are not written
// to. Results are new row-major tensors of the operand's type, float32 or float64, in which all is computed; Release
// gives their memory back for later ones. Large arrays are computed on all processors.
//
// # Algorithm
//
// A line of n numbers is a matrix of about as many rows as columns (Bailey, FFTs in external or hierarchical memory,
// 1990): tiles of columns, which stay in the cache, are transformed by Stockham's algorithm with radices 8, 7, 5, 4, 3
// and 2, multiplied by twiddle factors and transposed; then the columns of that. So memory is read and written twice for
// any n. Vectors hold numbers of different columns. Lines with a prime factor above 7 are convolutions (Bluestein, 1970).
// Lengths from NextFastLen take the least time per number. The tables of lengths that were used lately are kept,
// up to 2^23 elements for each type; each call computes larger ones again.
//
// # Accuracy
//
// The loops are AVX2 assembly and Go, with the same bits; results do not depend on the number of processors. With u =
// 2^-53 (float32: 2^-24) and e the root mean square of the exact result, the error of each element that was compared, of
// 35 lengths from 2 to 131,072, is at most log₂(n)·u·e, and at most twice that with a prime factor above 7. The exact
// elements have 60 digits. An element that is small against e may have no correct digit.
//
// A line with a NaN or an infinity has no finite element; other lines are not affected. Sums that pass the largest float
// overflow, also where the quotient of an inverse transform would not.
//
// Every error is a *graph.Error with the line of the call, except those of memory that can't be had and of an ended
// context, which is returned as it is.
package fft

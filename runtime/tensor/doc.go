// Package tensor has the arrays that programs take and return.
//
// A [Tensor] is an element type, a layout and a buffer. [Of] makes one over a Go slice
// without copying it; other constructors allocate. Views (Reshape, Permute, Slice, Flip
// and others) share the buffer. [At] and [Set] read and write one element, [All] iterates, and
// String prints rows and columns as NumPy does.
//
// Constructors and views return no error, so that calls chain: a mistake is kept in the
// Tensor, and whatever uses it reports it. Package graph exports these names again;
// programs need not import this package.
package tensor

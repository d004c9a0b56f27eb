// Package tensor has the arrays that programs take and return.
//
// A [Tensor] is an element type, a layout and a buffer. [Of] makes one over a Go slice without a copy; other
// constructors allocate. Views (Reshape, Permute, Slice, Flip and others) share the buffer. [At] and [Set] read and
// write one element, [All] iterates, and String prints rows and columns as NumPy does.
//
// Constructors and views return no error, so that calls chain: the Tensor keeps a mistake, and every use of it reports
// the mistake. Package graph exports the same names; programs need not import this package.
package tensor

// Package layout describes where the elements of an n-d array are in a linear buffer.
//
// A [Layout] is a shape, a stride for each axis and an offset, all in elements. Strides
// may be negative or zero. Views are functions from layouts to layouts: permute, slice,
// flip, expand, diagonal and, where the strides allow it, reshape. None of them copies an
// element or changes its argument.
//
// The package also has what a compiler needs to know of layouts: how axes are divided so that several
// layouts can be walked by the same loops ([Refine]), whether two views can touch the same
// element ([Apart]), whether a view has an element twice ([Injective]), and arithmetic
// that reports an overflow instead of wrapping. Tests compare each function with an
// enumeration of all indices.
//
// It imports only the standard library.
package layout

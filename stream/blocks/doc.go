// Package blocks divides a graph over arrays of many rows into graphs over blocks of rows,
// so that the arrays need not fit into memory. It computes nothing: package stream runs
// what it makes.
//
// # How a value depends on the rows
//
// A graph has one named size, n, of which each array has n rows, or a multiple of it. A
// value whose shape has n along an axis is computed block by block: block i of it follows
// from block i of its operands. A value without n in its shape is *whole*. A whole value
// that follows from rows is a *total*: a sum along n, a product that contracts n, the
// greatest of n. Nothing of it is known before all rows have been read. So a graph is
// computed in passes over the arrays: a value is known after as many passes as there are
// totals behind one another on the way to it. x.Sub(x.Mean(0)) takes two.
//
// # What becomes of a graph
//
// For each pass there are two functions without symbolic sizes:
//
//   - Block maps one block of rows, and the whole values that it needs, to blocks of
//     results, to parts and to states;
//   - Finish maps the parts and states of all blocks to the totals of the pass, and to
//     whole values that follow from them. Finish of pass -1 computes what depends on no
//     rows.
//
// A *part* is what a block contributes to a total, such as the sums of its chunks of 1024
// elements. The parts of all blocks, one behind the other, are an operand of Finish. A
// *state* goes from block to block: the carry of a scan, the running maximum, the product
// so far. A state that can be merged with others by the op that makes it, which is exact,
// lets ranges of blocks be computed apart; an ordered one does not.
//
// # Bits
//
// Results have the bits that the graph has in memory, for any number of blocks. Sums and
// scans of floats are defined by chunks of 1024 elements, and products by chunks of 256
// (package ir, reduce.go, scan.go, dot.go). Blocks begin at such chunks: see Limits. Other
// totals are exact in any order: minimum, maximum, bits, and sums of integers.
package blocks

// Package blocks divides a graph over arrays of many rows into graphs over blocks of rows, so that the arrays need not
// fit into memory. It computes nothing itself; package stream runs the result.
//
// # How a value depends on the rows
//
// A graph has one named size, n, and each array has n rows, or a multiple of n. A value with n in its shape is computed
// block by block: block i depends on block i of its operands. A value without n in its shape is *whole*. A whole value
// computed from rows is a *total*: a sum along n, a product that contracts n, the greatest of n. It is known only after
// all rows have been read. So a graph is computed in passes over the arrays, and a value is known after as many passes
// as there are totals in sequence on the way to it. x.Sub(x.Mean(0)) takes two.
//
// # What becomes of a graph
//
// For each pass there are two functions without symbolic sizes:
//
//   - Block maps one block of rows, and the whole values that it needs, to blocks of
//     results, to parts and to states;
//   - Finish maps the parts and states of all blocks to the totals of the pass, and to
//     whole values that follow from them. Finish of pass -1 computes values that depend
//     on no rows.
//
// A *part* is the contribution of a block to a total, such as the sums of its chunks of 1024 elements. The concatenated
// parts of all blocks are an operand of Finish. A *state* goes from block to block: the carry of a scan, the running
// maximum, the product so far. Ranges of blocks can be computed independently if their states can be merged exactly, by
// the op that makes them; the states of an ordered op can't.
//
// # Bits
//
// Results have the same bits as in memory, for any number of blocks. Sums and scans of floats are defined by chunks of
// 1024 elements, and products by chunks of 256 (package ir, reduce.go, scan.go, dot.go); blocks begin at such chunks
// (see Limits). Other totals are exact in any order: minimum, maximum, bits, and sums of integers.
package blocks

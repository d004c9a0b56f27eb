// Package kernel describes the inner loops that machine code exists for.
//
// A [Kernel] is an elementwise body: for each element of a block of rows and columns it
// reads the operands, computes a sequence of instructions, and stores the outputs. An
// operand is contiguous along the columns (u) or one element for each row (s). A kernel
// has no extents, strides or pointers; the caller gives them in a frame.
//
//	kernel (u0:f32, u1:f32, s2:f32) { t0 = mul u0 u1; t1 = add t0 s2; t2 = tanh t1; store t2 }
//
// A [Micro] is a micro-kernel: a loop that is no elementwise body, such as a matrix
// product, a prefix scan, the packing of a strided block, or a reduction of what a body
// computes. Each is a row of one table, with its arguments, the names of the other numbers
// that it reads from the frame, and its meaning. Both kinds implement [Code], which is what
// schedules call.
//
// The canonical text of a kernel is its signature: operands are numbered by their first
// use and the arguments of commutative operations have a fixed order, so kernels with the
// same meaning have the same text. Compiled kernels are registered and looked up by it.
package kernel

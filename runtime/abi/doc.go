// Package abi is the interface between compiled kernels and the code that calls them.
//
// A compiled kernel is a func(*[Frame]). The frame has the numbers of rows and columns, and for each argument its
// address and the bytes from one row to the next. Generated code calls [Register] from an init function, with the
// constant [ABI2]. If the frame changes, the constant gets another name, so that old generated code no longer compiles.
// The library's own kernels are registered when they are first looked up, so programs that compile no graph do not link
// them. [Lookup] finds a kernel by its engine and signature.
//
// There are four engines: AVX-512 and AVX2 assembly, on amd64 processors with these instructions, NEON assembly, on arm64,
// and portable Go loops on every machine. The package also has the helpers that the portable loops call.
package abi

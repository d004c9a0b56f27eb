// Package blas makes gonum use the matrix kernels of Stridefuse. A program imports it for its effect:
//
//	import _ "github.com/stridefuse/stridefuse/x/gonum/blas"
//
// Then blas64, blas32, cblas128 and cblas64 have an implementation that is gonum's, with faster routines before some of it: Gemm, Syrk, Syr2k,
// Symm, Trmm, Trsm, Gemv, Ger, Symv, Trsv, Nrm2 and Asum; and Gemm, Syrk, Herk, Symm, Hemm, Trmm and Trsm of complex elements. So mat and
// lapack are faster too: products, LU, Cholesky, QR and solves. Nothing in the program changes.
//
// A routine decides by the sizes of its operands whether it or gonum's takes less time, from a table of measured limits. It uses several
// goroutines, up to GOMAXPROCS, for large operands; the bits of a result depend neither on their number nor on the processor's vectors. They
// are not those of gonum's routines, which add up in another order: both are within the usual bounds of the error. All calls are safe for
// concurrent use, and allocate nothing once workers have scratch memory for the sizes.
//
// The kernels are the assembly of package runtime/builtin, for amd64 with AVX2 or AVX-512. Elsewhere the package changes nothing.
//
// Wrong arguments panic in gonum's own routines, with gonum's messages.
package blas

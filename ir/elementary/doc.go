// Package elementary writes every composed operation as a sequence of lane operations:
// exp as a polynomial, clip as a maximum and a minimum. It is the only definition of
// these functions. The assembly, the portable Go loops, the constant folder and the
// evaluator all compute the expansion, so they give the same bits.
//
// [Expand] takes a kernel and returns it with every composed operation replaced. Most
// float32 functions are evaluated in float64 between two conversions; float64 functions
// use double-double arithmetic where one float64 is not exact enough. Many functions have
// a second expansion of the fast tier, which is shorter and less accurate. The measured
// bound of each is in the documentation of package graph; cmd/ulp measures it.
//
// The files are named after the functions. Those of a range reduction or of double-double
// arithmetic are shared. Coefficients have a comment with their source.
package elementary

package graph

// The functions below are made of other ops, and fuse as those do.

// Lerp returns a + t*(b-a), with one rounding for the sum: a at t = 0, and b at
// t = 1 up to the rounding of b-a. b and t may be Go numbers. Of Float16, BFloat16 and Fixed16x16 it is
// computed in Float32 or Float64 and rounded once.
func Lerp(a Node, b, t any) Node {
	return a.withOperands(func(a Node, p []Node) Node { return p[0].Sub(a).FMA(p[1], a) }, b, t)
}

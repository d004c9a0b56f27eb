package graph

// Functions composed of other ops, with which they fuse.

// Lerp returns a + t*(b-a), where the product and the sum are rounded once: a at t = 0, and b at t = 1 up to the
// rounding of b-a. b and t may be Go numbers. Float16, BFloat16 and Fixed16x16 are computed in Float32 or Float64 and
// rounded once.
func Lerp(a Node, b, t any) Node {
	return a.withOperands(func(a Node, p []Node) Node { return p[0].Sub(a).FMA(p[1], a) }, b, t)
}

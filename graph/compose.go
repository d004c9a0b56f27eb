package graph

// The functions below are made of other ops, and fuse as those do.

// Lerp returns a + t*(b-a), with one rounding for the sum: a at t = 0, and b at
// t = 1 up to the rounding of b-a. b and t may be Go numbers.
func Lerp(a Node, b, t any) Node {
	return Node{operand(b, a.DType())}.Sub(a).FMA(t, a)
}

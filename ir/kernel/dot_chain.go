package kernel

import "github.com/stridefuse/stridefuse/ir"

// DotChainPairs is how many pairs a DotChain has at most: more would take more operands than
// loops of assembly have pointers for.
const DotChainPairs = 4

// DotChain returns the canonical kernel that adds the products of a number of pairs, which by
// multiplies, to a sum, in the order of ir.DotLine within a chunk. The inputs of the body are the two elements of each
// pair, then the sum. In the first chain of floats the sum is a splat, which holds +0; the first
// chain of integers has no sum as an input. If row is set, the left elements are splats: those of one row
// of a matrix. Input i of the kernel is input order[i] of the body.
func DotChain(by ir.Op, d ir.DType, pairs int, first, row bool) (k *Kernel, order []int) {
	floats := ir.Floats.Has(d)
	ins := make([]Operand, 2*pairs, 2*pairs+1)
	for i := range ins {
		ins[i] = Operand{DType: d, Splat: row && i%2 == 0}
	}
	if !first || floats {
		ins = append(ins, Operand{DType: d, Splat: first})
	}
	b := NewBuilder(ins...)
	sum := Ref(2 * pairs)
	for i := range pairs {
		x, y := Ref(2*i), Ref(2*i+1)
		switch {
		case floats:
			sum = b.Op(ir.OpFMA, x, y, sum)
		case first && i == 0:
			sum = b.Op(by, x, y)
		default:
			sum = b.Op(ir.OpAdd, b.Op(by, x, y), sum)
		}
	}
	b.Store(sum)
	return b.Kernel().Canonical()
}

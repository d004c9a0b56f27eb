package kernel

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// DotChainPairs is the greatest number of pairs of a DotChain. More would take more operands than loops of assembly have
// pointers for.
const DotChainPairs = 4

// DotChain returns the canonical kernel that adds the products of pairs to a sum, in the order of ir.DotLine within a chunk. by is
// the op that multiplies. The inputs of the body are the two elements of each pair, then the sum. In the first chain of
// floats the sum is a splat, which holds +0; the first chain of integers has no sum as an input. Input i of the kernel is
// input order[i] of the body.
func DotChain(by ir.Op, d ir.DType, pairs int, first bool) (k *Kernel, order []int) {
	ins := slices.Repeat([]Operand{{DType: d}}, 2*pairs)
	integers := !ir.Floats.Has(d)
	if !first || !integers {
		ins = append(ins, Operand{DType: d, Splat: first})
	}
	b, sum, done := NewBuilder(ins...), Ref(2*pairs), 0
	if first && integers {
		sum, done = b.Op(by, Ref(0), Ref(1)), 1
	}
	for i := done; i < pairs; i++ {
		sum = b.addProduct(by, d, Ref(2*i), Ref(2*i+1), sum)
	}
	b.Store(sum)
	return b.Kernel().Canonical()
}

// DotRowsChain is DotChain for several rows of one left matrix, whose elements are splats. The inputs of the body are the right elements
// of all pairs, then for each row its left elements and its sum. The outputs are the rows' sums.
func DotRowsChain(by ir.Op, d ir.DType, pairs, rows int) (k *Kernel, order []int) {
	unit := slices.Repeat([]Operand{{DType: d}}, pairs)
	row := append(slices.Repeat([]Operand{{DType: d, Splat: true}}, pairs), Operand{DType: d})
	b := NewBuilder(slices.Concat(unit, slices.Repeat(row, rows))...)
	for r := range rows {
		left := pairs + r*len(row)
		sum := Ref(left + pairs)
		for i := range pairs {
			sum = b.addProduct(by, d, Ref(left+i), Ref(i), sum)
		}
		b.Store(sum)
	}
	return b.Kernel().Canonical()
}

// addProduct adds the product of a pair to a sum. For floats it rounds once.
func (b *Builder) addProduct(by ir.Op, d ir.DType, x, y, sum Ref) Ref {
	if ir.Floats.Has(d) {
		return b.Op(ir.OpFMA, x, y, sum)
	}
	return b.Op(ir.OpAdd, b.Op(by, x, y), sum)
}

package kernel

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// DotColumns returns the number of columns of the product in 64 bytes of a row, a cache line. A call of Dot computes at most twice
// as many, a call on windows as many. Packed panels of its second argument have as many, or twice as many: see
// tuning.MatmulBlocks.
func DotColumns(d ir.DType) int { return 64 / d.Size() }

// DotRows is the number of rows of a tile of the product that stays in 16 vector registers, with DotColumns columns. Other tiles have
// half or twice as many. A call on a multiple of DotRows leaves no smaller rest.
const DotRows = 6

// DotTransposedRows is the number of contiguous rows of float32 that AVX-512 transposes in registers, in blocks of as many pairs. It
// multiplies them by at most half of DotColumns columns. The number of pairs is a multiple of it.
const DotTransposedRows = 16

// DotPackedStep returns the distance, in elements, of packed rows of the first argument: a chunk and a cache line. That is an odd number
// of cache lines, so rows are in different sets of the first-level cache. Tiles of 512 bits have a loop for such rows.
func DotPackedStep(d ir.DType) int { return ir.DotChunk + DotColumns(d) }

// ProductBody returns the body of a contraction: the product op multiplies an element of x by one of y.
func ProductBody(op ir.Op, x, y Operand) *Kernel {
	b, right := NewBuilder(x, y), Ref(1)
	if op.Info().Right != ir.Invalid {
		right = b.Op(ir.OpHalves, b.Cast(x.DType, 1))
	}
	b.Store(b.Op(op.Info().By, 0, right))
	return b.Kernel()
}

// ProductOf returns the product that has the body k, or OpInvalid if k is the body of no product. The multiplication may have
// its operands in either order.
func ProductOf(k *Kernel) ir.Op {
	if len(k.In) != 2 || len(k.Out) != 1 || k.Out[0] != Ref(len(k.Body)+1) {
		return ir.OpInvalid
	}
	switch b := k.Body; {
	case len(b) == 1 && b[0].Args[0]+b[0].Args[1] == 1 && b[0].Op == ir.OpMul:
		return ir.OpDot
	case len(b) == 1 && b[0].Args[0]+b[0].Args[1] == 1 && b[0].Op == ir.OpMulHalves:
		return ir.OpDotHalves
	case len(b) == 3 && k.In[1].DType == ir.Int16 && slices.Equal(b, ProductBody(ir.OpDotBytes, k.In[0], k.In[1]).Body):
		return ir.OpDotBytes
	}
	return ir.OpInvalid
}

// DotOf returns the micro-kernel of a product.
func DotOf(product ir.Op) MicroKind {
	switch product {
	case ir.OpDotHalves:
		return DotHalves
	case ir.OpDotBytes:
		return DotBytes
	}
	return Dot
}

// The fields of Dot: see Micro.FieldAt.
const (
	DotAcross = iota // bytes from one element of a row of the first argument to the next
	DotPairs         // columns of the first argument, rows of the second; 1 to ir.DotChunk
	DotAdds          // if not 0, the product is added to what the output holds
	DotNext          // bytes from the second argument to its part for the next call: a prefetch hint
	DotWidth         // of DotBytes: columns of a row of the second argument, DotBytesWidth, which a call may read beyond its own
)

// DotBytesWidth is the number of columns of a panel of DotBytes, whose rows are a cache line.
const DotBytesWidth = 32

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

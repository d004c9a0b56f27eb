package ir

import (
	"errors"
	"fmt"
)

// Products of matrices. Element (m, n) of the product of A, M x K, and B, K x N,
// follows from row m and column n by one rule, whatever the blocks that an
// executor works in:
//
//   - the K pairs are cut into chunks of DotChunk, the last maybe shorter;
//   - in a chunk of floats, sum = fma(a, b, sum) for pair after pair, from +0 on;
//   - the chunks' sums are added to each other, the first one first;
//   - where M or N is 1 it is a reduction instead: the products are rounded, and
//     folded as sum folds them.
//
// So the error of a float32 element is less than (DotChunk + K/DotChunk) * 2^-24
// times the sum of the products' magnitudes. Integers wrap, in any order.
//
// DotChunk is what fits the first-level cache: DotColumns columns of a chunk are
// 16 KiB, and stay there while all rows of A go past.
const DotChunk = 256

// DotColumns returns how many columns of B a kernel takes at a time: 64 bytes of a
// row, a cache line. Packed panels of B have as many.
func DotColumns(d DType) int { return 64 / d.Size() }

// DotKernel returns the kernel of a dot step: kernel (s0:f32, u1:f32) { t0 = dot
// s0 u1; store t0 }. It computes a block of the product, Rows x Cols with Cols at
// most DotColumns, from at most DotChunk pairs. In its frame, besides the steps
// from row to row of A (operand 0), B (1) and the product (2), Step has at
// DotAcross, DotPairs, DotAdds and DotNext what the constants say.
func DotKernel(d DType) *Kernel {
	b := NewBuilder(Operand{DType: d, Splat: true}, Operand{DType: d})
	b.Store(b.Op(OpDot, 0, 1))
	k, _ := b.Kernel().Canonical()
	return k
}

// Places in the Step of the frame of a DotKernel.
const (
	DotAcross = 3 + iota // bytes from one element of a row of A to the next
	DotPairs             // how many pairs: columns of A, rows of B; at least 1
	DotAdds              // not 0 to add to the block what else would be stored there
	DotNext              // bytes from B to what of it the next call reads: a hint
)

// Dots reports whether the kernel is a DotKernel.
func (k *Kernel) Dots() bool { return len(k.Body) > 0 && k.Body[0].Op == OpDot }

// checkDot returns an error unless a kernel that has a dot has nothing else.
func (k *Kernel) checkDot() error {
	if len(k.Body) != 1 || len(k.In) != 2 || !k.In[0].Splat || k.In[1].Splat || k.Body[0].Args != [3]Ref{0, 1} || len(k.Out) != 1 || k.Out[0] != 2 || k.Fold != nil {
		return errors.New("a kernel with a dot has a splat, a unit operand and nothing else")
	}
	return nil
}

// inferDot returns the type of a product: the axes before the last two are those
// of both operands.
func inferDot(x, y Type) (Type, error) {
	domain := OpDot.Info().Domain
	switch rank := len(x.Shape); {
	case x.DType != y.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, y.DType)
	case !domain.Has(x.DType):
		return Type{}, fmt.Errorf("does not take %s: Cast to one of %s", x.DType, domain&Running)
	case rank < 2 || rank != len(y.Shape):
		return Type{}, fmt.Errorf("shapes %s and %s are not of one rank, 2 or more", x.Shape, y.Shape)
	case !x.Shape[:rank-2].Equal(y.Shape[:rank-2]):
		return Type{}, fmt.Errorf("the axes of shapes %s and %s before the last two differ", x.Shape, y.Shape)
	case x.Shape[rank-1] != y.Shape[rank-2]:
		return Type{}, fmt.Errorf("shapes %s and %s: rows of %s elements and columns of %s", x.Shape, y.Shape, x.Shape[rank-1], y.Shape[rank-2])
	default:
		shape := append(Shape{}, x.Shape[:rank-1]...)
		return Type{x.DType, append(shape, y.Shape[rank-1])}, nil
	}
}

// evalDot computes a product element by element.
func evalDot(out, x, y Array) (Array, error) {
	rank := len(x.Shape)
	rows, pairs, cols := x.Shape[rank-2], x.Shape[rank-1], y.Shape[rank-1]
	n, err := NumElems(out.Shape)
	if err != nil {
		return out, err
	}
	out.Data = make([]uint64, n)
	column := make([]uint64, pairs)
	for i := range n {
		batch, m, c := i/(rows*cols), i/cols%rows, i%cols
		for k := range column {
			column[k] = y.Data[(batch*pairs+k)*cols+c]
		}
		out.Data[i] = DotLine(x.DType, x.Data[(batch*rows+m)*pairs:][:pairs], column, rows == 1 || cols == 1)
	}
	return out, nil
}

// DotLine returns one element of a product. reduces says that the product has one
// row or one column.
func DotLine(d DType, x, y []uint64, reduces bool) uint64 {
	ref := func(op Op, a ...uint64) uint64 { return op.Info().Ref(d, d, [3]uint64(append(a, 0, 0)[:3])) }
	if reduces {
		products := make([]uint64, len(x))
		for i := range x {
			products[i] = ref(OpMul, x[i], y[i])
		}
		return sumLine(d, products)
	}
	var all uint64
	for c := 0; c < len(x); c += DotChunk {
		var sum uint64
		for i := c; i < min(len(x), c+DotChunk); i++ {
			if Floats.Has(d) {
				sum = ref(OpFMA, x[i], y[i], sum)
			} else {
				sum = ref(OpAdd, ref(OpMul, x[i], y[i]), sum)
			}
		}
		if c == 0 {
			all = sum
		} else {
			all = ref(OpAdd, all, sum)
		}
	}
	return all
}

// sumLine returns what sum folds a line to.
func sumLine(d DType, x []uint64) uint64 {
	if len(x) == 0 {
		return EmptyFold(OpAdd, d)
	}
	wide := PartialType(OpAdd, d)
	bits, at := foldLine(OpAdd, d, wide, x)
	one := []uint64{bits}
	castAll(at, d, one)
	return one[0]
}

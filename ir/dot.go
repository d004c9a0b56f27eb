package ir

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir/scalar"
)

// Products of matrices. Element (m, n) of the product of A, M x K, and B, K x N, is computed from row m and column n by one rule,
// whatever the blocks of the schedule:
//
//   - the K pairs are cut into chunks of DotChunk, the last maybe shorter;
//   - in a chunk of floats, sum = fma(a, b, sum) for pair after pair, from +0 on;
//   - the chunks' sums are added to each other, the first one first;
//   - where M or N is 1 it is a reduction instead: the products are rounded, and
//     added as sum adds them.
//
// So the error of a float32 element is less than (DotChunk + K/DotChunk) * 2^-24
// times the sum of the products' magnitudes. Integers wrap, in any order.
//
// DotChunk is what fits the first-level cache: DotColumns columns of a chunk are
// 16 KiB, and stay there while all rows of A go past.
const DotChunk = 256

// DotLine returns one element of a product whose pairs by multiplies: OpDot.By, or of
// OpDotHalves. reduces says that the product has one row or one column.
func (f Arithmetic) DotLine(by Op, d DType, x, y []uint64, reduces bool) uint64 {
	if reduces {
		products := make([]uint64, len(x))
		for i := range x {
			products[i] = f.Combine(by, d, x[i], y[i])
		}
		return f.sumLine(d, products)
	}
	var all uint64
	for c := 0; c < len(x); c += DotChunk {
		var sum uint64
		for i := c; i < min(len(x), c+DotChunk); i++ {
			if Floats.Has(d) {
				sum = f(OpFMA, d, d, [3]uint64{x[i], y[i], sum})
			} else {
				sum = f.Combine(OpAdd, d, f.Combine(by, d, x[i], y[i]), sum)
			}
		}
		if c == 0 {
			all = sum
		} else {
			all = f.Combine(OpAdd, d, all, sum)
		}
	}
	return all
}

// sumLine returns what sum reduces a line to.
func (f Arithmetic) sumLine(d DType, x []uint64) uint64 {
	if len(x) == 0 {
		return EmptyReduction(OpAdd, d)
	}
	wide := PartialType(OpAdd, d)
	bits, at := f.ReduceLine(OpAdd, d, wide, x)
	one := []uint64{bits}
	f.CastAll(at, d, one)
	return one[0]
}

// inferDot returns the type of a product: the axes before the last two are those
// of both operands.
func inferDot(op Op, _ Attr, args []Type) (Type, error) {
	x, y, right := args[0], args[1], op.Info().Right
	switch rank := len(x.Shape); {
	case right == Invalid && x.DType != y.DType:
		return Type{}, fmt.Errorf("dtypes %s and %s differ: Cast one of them", x.DType, y.DType)
	case right != Invalid && y.DType != right:
		return Type{}, DoesNotTake(SetOf(right), y.DType)
	case !op.Info().Domain.Has(x.DType):
		return Type{}, DoesNotTake(op.Info().Domain, x.DType)
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
func evalDot(v *Value, args [][]uint64) []uint64 {
	x, _ := v.Args[0].Type.Shape.Ints()
	y, _ := v.Args[1].Type.Shape.Ints()
	rank := len(x)
	rows, pairs, cols := x[rank-2], x[rank-1], y[rank-1]
	out := make([]uint64, v.Type.Shape.size())
	column := make([]uint64, pairs)
	for i := range out {
		batch, m, c := i/(rows*cols), i/cols%rows, i%cols
		for k := range column {
			column[k] = args[1][(batch*pairs+k)*cols+c]
		}
		v.Op.Widen(column)
		out[i] = Defined.DotLine(v.Op.Info().By, v.Args[0].Type.DType, args[0][(batch*rows+m)*pairs:][:pairs], column, rows == 1 || cols == 1)
	}
	return out
}

// Widen makes elements of the right operand of a product those that it multiplies, if they are pairs of bytes.
func (op Op) Widen(right []uint64) {
	if op.Info().Right == Invalid {
		return
	}
	for k, x := range right {
		right[k] = Wrap(Int32, int64(scalar.Halves(int16(x))))
	}
}

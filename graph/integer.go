package graph

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Products and convolutions of bytes. A byte minus its zero point has 9 bits, so two of them fit the upper and lower 16
// bits of an Int32, and one instruction multiplies both pairs and adds the products (ir.OpMulHalves). Element i of an
// axis is paired with element i + n/2. Sums of integers wrap, so any order gives the same result.
//
// A right matrix of Int8 that never changes, such as weights, stays bytes: two of them are an Int16, which the kernel widens
// (ir.OpDotBytes). So each run reads half the memory.

// MatMulInteger returns the Int32 products of matrices of Int8 or Uint8 elements minus their zero points. The result is
// exact, except that sums wrap at 32 bits. x is [..., M, K], y is [..., K, N]; either may be a vector as for MatMul. A
// zero point is nil for 0, an int, or a Node of the operand's type that broadcasts with the operand.
func (x Node) MatMulInteger(y Node, xZero, yZero any) Node {
	if bad, ok := ofBytes(x, y); !ok {
		return bad
	}
	call := shapesText([]Node{x, y})
	if x.Rank() == 0 || y.Rank() == 0 {
		return fail("%s: a scalar is no matrix", call)
	}
	if w := y.rowsOfMany(x); w.n != nil && isNumber(xZero) && isNumber(yZero) {
		return w.MatMulInteger(x.Transpose(), yZero, xZero).Transpose()
	}
	if y.keepsBytes(yZero) && canHalve(x.Shape()[x.Rank()-1]) && x.Rank() > 1 && x.Shape()[x.Rank()-1] == y.Shape()[0] {
		return matmul(contraction{call: call, op: ir.OpDotBytes}, x.less(xZero).halves(-1, false), y.halves(0, true))
	}
	a, b, op := x.less(xZero), y.less(yZero), ir.OpDot
	for _, n := range []Node{a, b} {
		if n.Err() != nil {
			return n
		}
	}
	if a.Rank() > 1 && b.Rank() > 1 { // a single row or column is multiplied as it is
		left, right := a.Shape()[a.Rank()-2:], b.Shape()[b.Rank()-2:]
		if canHalve(left[1]) && left[1] == right[0] && !left[0].Is(1) && !right[1].Is(1) {
			a, b, op = a.halves(-1, false), b.halves(-2, true), ir.OpDotHalves
		}
	}
	return matmul(contraction{call: call, op: op}, a, b)
}

// rowsOfMany returns the matrix whose transpose y is, if the right operand y has more columns than the left operand x has rows and
// may change: pairs of elements lie side by side in its rows, so it is packed block by block as a left operand. Otherwise it
// returns the zero Node.
func (y Node) rowsOfMany(x Node) Node {
	if x.Rank() != 2 || y.Rank() != 2 || y.n.op != ir.OpPermute || y.n.args[0].frozen {
		return Node{}
	}
	left, right := x.Shape(), y.Shape()
	rows, known := left[0].Int()
	cols, fixed := right[1].Int()
	if !known || rows < 2 || fixed && cols <= rows || left[1] != right[0] {
		return Node{}
	}
	return Node{y.n.args[0]}
}

// ConvInteger returns the Int32 convolution of Int8 or Uint8 elements minus their zero points. The result is exact,
// except that sums wrap at 32 bits. Shapes and options are those of Conv. A zero point is nil for 0, an int, or a Node
// of the operand's type that broadcasts with the operand. x is padded with its zero point.
func (x Node) ConvInteger(weights Node, xZero, weightsZero any, o ConvOptions) Node {
	if bad, ok := ofBytes(x, weights); !ok {
		return bad
	}
	a, w, op := x.less(xZero), weights.less(weightsZero), ir.OpConv
	axis := 1
	if o.ChannelsLast {
		axis = a.Rank() - 1
	}
	if a.Err() == nil && w.Err() == nil && o.checkConv(a.n, w.n, false) == nil && canHalve(w.n.typ.Shape[1]) {
		a, w, op = a.halvesOf(o.Groups, w.n.typ.Shape[1], axis), w.halves(1, true), ir.OpConvHalves
	}
	return a.convolution(w, &o, false, func(x, w Node, o *ConvOptions) (Node, error) { return x.conv(w, o, op), nil })
}

// ofBytes reports whether the operands are Int8 or Uint8; if not, bad carries the error.
func ofBytes(xs ...Node) (bad Node, ok bool) {
	for _, n := range xs {
		switch {
		case n.Err() != nil:
			return n, false
		case n.DType() != Int8 && n.DType() != Uint8:
			return fail("elements of %s: it takes int8 and uint8", n.DType()), false
		}
	}
	return Node{}, true
}

// keepsBytes reports whether x is a constant matrix of Int8 with a zero point of 0.
func (x Node) keepsBytes(zero any) bool {
	return x.Rank() == 2 && x.DType() == Int8 && x.viewed().frozen && isZero(zero)
}

// viewed returns the node that x is a view of.
func (x Node) viewed() *node {
	n := x.get()
	for n.err == nil && n.op.IsView() {
		n = n.args[0]
	}
	return n
}

// isZero reports whether a zero point is 0, or a view of a number or a Const of few elements, all of which are 0.
func isZero(zero any) bool {
	const most = 1 << 14
	n, ok := zero.(Node)
	if !ok {
		return zero == nil || zero == 0
	}
	of := n.viewed()
	switch {
	case of.err != nil || !of.frozen:
		return of.err == nil && of.op == ir.OpConst && of.attr.Bits == 0
	case of.tensor.Size() > most || of.tensor.DType() != Int8:
		return false
	}
	all, err := tensor.All[int8](of.tensor)
	if err != nil {
		return false
	}
	for v := range all {
		if v != 0 {
			return false
		}
	}
	return true
}

// less returns bytes minus their zero point, as Int32.
func (x Node) less(zero any) Node {
	if isZero(zero) {
		return x.Cast(Int32)
	}
	z := Node{operand(zero, x.DType())}
	if z.Err() == nil && z.DType() != x.DType() {
		return fail("a zero point of %s for elements of %s", z.DType(), x.DType())
	}
	return x.Cast(Int32).Sub(z.Cast(Int32))
}

// canHalve reports whether an axis has a known extent of two elements or more.
func canHalve(n Extent) bool {
	extent, known := n.Int()
	return known && extent > 1
}

// halves packs x along an axis to half its length: elements of an Int32 that have at most 16 bits, or of Int8, in pairs to an
// Int32 or an Int16. Element i of the result has x[i] in its lower and x[i+n/2] in its upper half. The middle element of an odd axis is in both halves. With once it is 0
// in the second half; exactly one of two factors sets once.
func (x Node) halves(axis int, once bool) Node {
	if axis < 0 {
		axis += x.Rank()
	}
	n, _ := x.Shape()[axis].Int()
	half := (n + 1) / 2
	lower, upper := x.SliceAxis(axis, 0, half, 1), x.SliceAxis(axis, n-half, n, 1)
	if once && n%2 == 1 {
		first := Iota(Int32, half).Eq(0)
		for range x.Rank() - 1 - axis {
			first = first.Unsqueeze(-1)
		}
		upper = Where(first, 0, upper)
	}
	if x.DType() == Int8 {
		return lower.Cast(Int16).And(0xff).Or(upper.Cast(Int16).Shl(8))
	}
	return lower.And(0xffff).Or(upper.Shl(16))
}

// halvesOf packs the channels of each group of x along an axis, as halves does.
func (x Node) halvesOf(groups int, channels Extent, axis int) Node {
	if groups == 1 {
		return x.halves(axis, false)
	}
	s := x.Shape()
	parts := x.Reshape(s[:axis], groups, channels, s[axis+1:]).halves(axis+1, false)
	half := channels.Add(ir.Fixed(1)).Div(2)
	return parts.Reshape(s[:axis], half.Mul(ir.Fixed(groups)), s[axis+1:])
}

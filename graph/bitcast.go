package graph

import (
	"encoding/binary"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Reinterpretation of elements as another type. Between types of one size the bits stay; otherwise the last axis splits
// or merges elements in little-endian order.

// Bitcast returns the bits of x as another type. If the element sizes differ, the last axis shrinks or grows by their
// ratio, as with NumPy's view of a contiguous array: the lowest byte of a large element belongs to the first small one.
// The axis must hold a whole number of new elements. A bool is a byte of 0 or 1; nothing can be reinterpreted as bools.
//
// No bytes move if x is a Const or Variable whose tensor has such a view. Any other x is split or merged in the loop
// that reads it. The bits of a computed NaN are not specified and may differ between elements.
func (x Node) Bitcast(dt DType) Node {
	n := x.get()
	switch {
	case n.err == nil && dt.Check() == nil && dt != Bool && n.typ.DType.Size() != dt.Size():
		return x.rescaled(dt)
	case n.typ.DType == Bool && dt == Uint8:
		return x.Cast(dt) // a type of the same bits
	}
	return apply(ir.OpBitcast, ir.Attr{DType: dt}, x.get())
}

// unsigned maps the size of an element in bytes to the unsigned type of that size.
var unsigned = map[int]DType{1: Uint8, 2: Uint16, 4: Uint32, 8: Uint64}

// rescaled implements Bitcast between elements of different sizes.
func (x Node) rescaled(dt DType) Node {
	n := x.get()
	from, to, last := n.typ.DType.Size(), dt.Size(), x.Rank()-1
	if last < 0 {
		return Node{poison(fmt.Errorf("a scalar of %s has no axis to rescale from %d to %d bytes: call Unsqueeze(0) first", n.typ.DType, from, to), n)}
	}
	if d, known := n.typ.Shape[last].Int(); known && d*from%to != 0 {
		return Node{poison(fmt.Errorf("%s to %s: the last axis has %d elements of %d bytes, which is not a multiple of %d", n.text(), dt, d, from, to), n)}
	}
	if n.tensor != nil && littleEndian {
		if t := n.tensor.Bitcast(dt); t.Err() == nil {
			return captured(t, n.frozen)
		}
	}
	bits := x.Bitcast(unsigned[from])
	if from < to {
		return bits.joinElements(unsigned[to]).Bitcast(dt)
	}
	return bits.splitElements(dt)
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// joinElements merges neighbours of x along the last axis into wider unsigned integers.
func (x Node) joinElements(dt DType) Node {
	shape, last, bytes := x.Shape(), x.Rank()-1, x.DType().Size()
	ratio := dt.Size() / bytes
	parts := x.Reshape(shape[:last], shape[last].Div(ratio), ratio)
	out := parts.Index(-1, 0).Cast(dt)
	for i := range ratio - 1 {
		out = out.Or(parts.Index(-1, i+1).Cast(dt).Shl(8 * bytes * (i + 1)))
	}
	return out
}

// splitElements splits each unsigned integer of x into narrower ones along the last axis. Each part is a shift by a constant
// and a conversion, stored into its place: a shift by an array takes 1.5 times as long, and eight parts in one step
// twice as long as in two (Emerald Rapids).
func (x Node) splitElements(dt DType) Node {
	shape, bytes := x.Shape(), dt.Size()
	if x.DType().Size()/bytes > 4 {
		return x.splitElements(Uint32).splitElements(dt)
	}
	parts := make([]Node, x.DType().Size()/bytes)
	for i := range parts {
		parts[i] = x.Shr(8 * bytes * i).Cast(unsigned[bytes]).Bitcast(dt)
	}
	last := x.Rank() - 1
	return Stack(-1, parts...).Reshape(shape[:last], shape[last].Mul(ir.Fixed(len(parts))))
}

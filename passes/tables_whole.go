package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Tables of whole buffers. Loops that read bytes through views, such as the transpose of a picture,
// or one channel of its pixels each, look up all bytes of the buffer in the order of memory if they
// need as many, and read what that gives through the same views.

// wholeChain is one function of the bytes of a buffer.
type wholeChain struct {
	elems int       // of all views
	value *ir.Value // of the whole buffer, nil before it is made
}

// addView counts the elements of a value among those of the views of one buffer.
func (t *tabler) addView(v *ir.Value) {
	key := t.key(v)
	switch {
	case key == 0:
		return
	case t.views[key] == nil:
		t.views[key] = &wholeChain{}
	}
	t.views[key].elems += size(v.Type.Shape)
}

// otherAxes reports whether a value is read along other axes than its own: then what is read with it
// must be in row-major order, which fits any axes.
func otherAxes(v *ir.Value) bool {
	return v.Op == ir.OpAccess && !hasExtents(v.Attr.At.Shape, v)
}

// keepOrder notes that a value, and what it is computed of, is looked up in its own order, if it is.
func (t *tabler) keepOrder(v *ir.Value) {
	if !v.Op.IsElementwise() || t.inPlace[v] {
		return
	}
	t.inPlace[v] = true
	for _, a := range v.Args {
		t.keepOrder(a)
	}
}

// isWhole reports whether a value is looked up for the whole buffer that its bytes are in.
func (t *tabler) isWhole(v *ir.Value) bool {
	w := t.views[t.key(v)]
	return w != nil && !t.inPlace[v] && w.elems >= size(base(t.chain(v).bytes).Type.Shape)
}

// function tells functions of the bytes of a buffer apart: an op with the numbers of its operands, a constant with its
// bits, an element with its place in a buffer, or the bytes themselves.
type function struct {
	op     ir.Op
	dtype  ir.DType
	args   [3]int
	buffer *ir.Value
	bits   uint64
}

// number returns the number of a function, from 1 on.
func (t *tabler) number(f function) int {
	n, known := t.functions[f]
	if !known {
		n = len(t.functions) + 1
		t.functions[f] = n
	}
	return n
}

// leaf returns the number of what is not computed: bytes, a constant or a single element.
func (t *tabler) leaf(v *ir.Value, isBytes bool) int {
	switch {
	case isConst(v):
		return t.number(function{op: ir.OpConst, dtype: v.Type.DType, bits: v.Attr.Bits})
	case isBytes:
		return t.number(function{buffer: base(v)})
	}
	return t.number(function{op: ir.OpAccess, buffer: base(v), bits: uint64(v.Attr.At.Offset)})
}

// key returns a number that is the same for values that are one function of the bytes of one buffer,
// seen through views, and 0 if bytes are not seen through a view, or the function varies along axes.
func (t *tabler) key(v *ir.Value) int {
	c := t.chain(v)
	if c.axes != 0 || c.bytes.Op != ir.OpAccess || otherAxes(c.bytes) || base(c.bytes).Attr.At != nil {
		return 0
	}
	return c.function
}

// whole returns the value that v is a view of.
func (t *tabler) whole(v *ir.Value) *ir.Value {
	w := t.views[t.key(v)]
	if w.value == nil {
		w.value = t.overBuffer(v, t.chain(v).bytes)
		t.s.why[w.value] = tableReason
	}
	return w.value
}

// overBuffer returns a value of a chain for all bytes of the buffer.
func (t *tabler) overBuffer(v, bytes *ir.Value) *ir.Value {
	buffer, c := base(bytes), t.chain(v)
	key := function{buffer: buffer, args: [3]int{c.function}}
	switch {
	case isConst(v):
		return v
	case v == bytes:
		return buffer
	case t.over[key] != nil:
		return t.over[key]
	}
	again := *v
	again.Type.Shape = buffer.Type.Shape
	if !v.Op.IsElementwise() { // a single element
		shape := extents(buffer)
		again.Attr = &ir.Attr{Shape: buffer.Type.Shape, At: &layout.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: v.Attr.At.Offset}}
		t.over[key] = t.s.Func.Append(again)
		return t.over[key]
	}
	again.Args = slices.Clone(v.Args)
	for i, a := range again.Args {
		again.Args[i] = t.overBuffer(a, bytes)
	}
	w := t.s.Func.Append(again)
	t.s.tabled[w], t.over[key] = true, w
	return w
}

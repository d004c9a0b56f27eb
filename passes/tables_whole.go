package passes

import (
	"fmt"
	"slices"
	"strings"

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
	case key == "":
		return
	case t.views[key] == nil:
		t.views[key] = &wholeChain{}
	}
	t.views[key].elems += size(v.Type.Shape)
}

// otherAxes reports whether a value is read along other axes than its own: then what is read with it
// must be in row-major order, which fits any axes.
func otherAxes(v *ir.Value) bool {
	return v.Op == ir.OpAccess && !slices.Equal(v.Attr.At.Shape, extents(v))
}

// isWhole reports whether a value is looked up for the whole buffer that its bytes are in.
func (t *tabler) isWhole(v *ir.Value) bool {
	w := t.views[t.key(v)]
	return w != nil && !t.inPlace[v] && w.elems >= size(base(t.chain(v).bytes).Type.Shape)
}

// key returns a text that is the same for values that are one function of the bytes of one buffer,
// seen through views, and "" if bytes are not seen through a view along the axes of v, or other
// operands vary along some.
func (t *tabler) key(v *ir.Value) string {
	c := t.chain(v)
	if c.axes != 0 || c.bytes.Op != ir.OpAccess || otherAxes(c.bytes) || base(c.bytes).Attr.At != nil {
		return ""
	}
	var b strings.Builder
	t.write(&b, v, c.bytes)
	return b.String()
}

// write writes the key of a value that is made of bytes.
func (t *tabler) write(b *strings.Builder, v, bytes *ir.Value) {
	switch {
	case v.Op.IsElementwise():
		fmt.Fprintf(b, "%d:%d(", v.Op, v.Type.DType)
		for _, a := range v.Args {
			t.write(b, a, bytes)
		}
		b.WriteByte(')')
	case isConst(v):
		fmt.Fprintf(b, "%d:%x ", v.Type.DType, v.Attr.Bits)
	case v == bytes:
		fmt.Fprintf(b, "%p ", base(v))
	default:
		fmt.Fprintf(b, "%p+%d ", base(v), v.Attr.At.Offset)
	}
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
	buffer := base(bytes)
	switch {
	case isConst(v):
		return v
	case v == bytes:
		return buffer
	case !v.Op.IsElementwise(): // a single element
		again := *v
		shape := extents(buffer)
		again.Type.Shape = buffer.Type.Shape
		again.Attr = &ir.Attr{Shape: buffer.Type.Shape, At: &layout.Layout{Shape: shape, Strides: make([]int, len(shape)), Offset: v.Attr.At.Offset}}
		return t.s.Func.Append(again)
	}
	again := *v
	again.Type.Shape = buffer.Type.Shape
	again.Args = slices.Clone(v.Args)
	for i, a := range again.Args {
		again.Args[i] = t.overBuffer(a, bytes)
	}
	w := t.s.Func.Append(again)
	t.s.tabled[w] = true
	return w
}

package graph

import "github.com/stridefuse/stridefuse/ir"

// ScatterOp says how Scatter combines an update with the element at its index.
type ScatterOp uint8

// How Scatter combines several updates of one index: in their order.
const (
	ScatterSet ScatterOp = iota // replaces the element: the last update stays
	ScatterAdd
	ScatterMul
	ScatterMin
	ScatterMax
)

var scatterOps = [...]ir.Op{ScatterSet: ir.OpScatter, ScatterAdd: ir.OpScatterAdd, ScatterMul: ir.OpScatterMul, ScatterMin: ir.OpScatterMin, ScatterMax: ir.OpScatterMax}

// Scatter returns x with updates at indices along an axis, one for each index: along axis 1, updates[i, j] goes to [i,
// indices[i, j]]. Indices and updates have one shape, that of x except along the axis. Several updates of one index are
// applied in order, whatever the number of workers. It is ONNX's ScatterElements.
func (x Node) Scatter(axis any, indices, updates any, by ScatterOp) Node {
	n := x.get()
	i := Node{operand(indices, Int64)}.indices()
	u := Node{operand(updates, n.typ.DType)}
	if n.err != nil || i.get().err != nil || u.get().err != nil {
		return apply(ir.OpScatter, ir.Attr{}, n, i.get(), u.get())
	}
	k, i, err := n.alongAxis(axis, i)
	switch {
	case err != nil:
		return fail("%w", err)
	case by > ScatterMax:
		return fail("there is no such ScatterOp")
	case i.Err() == nil:
		u = u.BroadcastTo(i.n.typ.Shape)
	}
	return apply(scatterOps[by], ir.Attr{Axis: k, Note: i.get().hintOf()}, n.unnamed(), i.get(), u.get().unnamed())
}

// ScatterND returns x with the slices at tuples of indices, as in GatherND, replaced by updates or combined with them.
// It is ONNX's ScatterND.
func (x Node) ScatterND(indices, updates Node, by ScatterOp) Node {
	n := x.get()
	i := indices.indices()
	if n.err != nil || i.get().err != nil || updates.get().err != nil {
		return apply(ir.OpScatter, ir.Attr{}, n, i.get(), updates.get())
	}
	flat, at, rest, err := n.tuples(i, 0)
	if err != nil {
		return fail("%w", err)
	}
	count, wide := at.n.typ.Shape.NumElems(), rest.NumElems()
	want := append(append(Shape{}, at.n.typ.Shape...), rest...)
	if !updates.n.typ.Shape.Equal(want) {
		return fail("updates %s: these indices want shape %s", updates.n.text(), want)
	}
	y := x.Reshape(flat, wide).Scatter(0, at.Reshape(count, 1), updates.Reshape(count, wide), by)
	return y.Reshape(n.typ.Shape)
}

package graph

import (
	"fmt"
	"math"

	"github.com/stridefuse/stridefuse/ir"
)

// Indexing by data. Indices are arrays of any integer type. An index outside its axis is an error of the run, which
// names the index, its place, and both arrays. Wrap or clamp indices explicitly:
//
//	x.Take(0, i.WrapIndex(n))  // -1 is the last one, n the first one
//	x.Take(0, i.ClampIndex(n)) // below 0 is the first one, n and beyond the last one
//	x.Take(0, i.FromEnd(n))    // -1 is the last one, n is an error

// CheckIndex returns indices of an axis with the given extent, an int or a Dim, as Int64. An index outside the axis is an
// error of the run, which names the index, its place and its array, and ends with a hint: what to do about it.
func (x Node) CheckIndex(extent any, hint string) Node {
	i := x.indices()
	dims, err := extentsOf([]any{extent})
	switch {
	case i.Err() != nil:
		return i
	case err != nil:
		return fail("%w", err)
	}
	return i.hinted(hint).inside(dims[0])
}

// inside returns indices of an axis as they are: taking an element of as many zeros as the axis has fails for an index
// outside.
func (x Node) inside(extent Extent) Node { return x.Add(Fill(Int64, 0, extent).Take(0, x)) }

// hinted returns indices with a hint for errors about them.
func (x Node) hinted(hint string) Node {
	m := *x.n
	m.hint, m.root = hint, x.n.value()
	return Node{&m}
}

// hintOf returns the hint that indices, or what they are views of, have, or "".
func (n *node) hintOf() string {
	for n.hint == "" && n.op.IsView() {
		n = n.args[0]
	}
	return n.hint
}

// FromEnd returns indices in which -extent to -1 count from the end of an axis with the given extent, as in NumPy.
func (x Node) FromEnd(extent any) Node {
	i := x.signed().indices()
	if i.Err() != nil {
		return i
	}
	up := i.Add(extent)
	return Where(i.Lt(0).And(up.Ge(0)), up, i)
}

// WrapIndex returns indices modulo the extent of an axis, so that all are inside it.
func (x Node) WrapIndex(extent any) Node {
	if x.Err() == nil && x.DType() == Uint64 { // some uint64 are beyond Int64
		return x.Mod(extent).Cast(Int64)
	}
	return x.indices().Mod(extent)
}

// ClampIndex returns indices clipped to an axis with the given extent.
func (x Node) ClampIndex(extent any) Node {
	i := x.signed().indices()
	if i.Err() != nil {
		return i
	}
	last := Node{operand(extent, Int64)}.Sub(1)
	return i.Maximum(0).Minimum(last)
}

// signed returns x with the greatest Int64 in place of numbers beyond it.
func (x Node) signed() Node {
	if x.Err() == nil && x.DType() == Uint64 {
		return x.Minimum(uint64(math.MaxInt64))
	}
	return x
}

// indices returns x as Int64, or an error if it is not an integer. Numbers beyond Int64 become negative, so they are
// outside every axis too.
func (x Node) indices() Node {
	n := x.get()
	switch {
	case n.err != nil || n.typ.DType == Int64:
		return x
	case !ir.Ints.Has(n.typ.DType):
		return fail("the indices are %s: Cast them to an integer type", n.typ.DType)
	}
	return x.Cast(Int64)
}

// Take returns the slices of x along an axis at indices; the axes of the indices replace that axis. It is NumPy's take,
// and the lookup of embeddings. Unlike NumPy's, an index below 0 is outside the axis; FromEnd makes it count from the
// end. Indices computed from Iota by shifting, wrapping or clamping take slices without a gather: x.Take(0, Iota(Int64,
// n).Add(1).ClampIndex(n)) has the next element of each.
func (x Node) Take(axis any, indices any) Node {
	n := x.get()
	i := Node{operand(indices, Int64)}.indices()
	if n.err != nil || i.get().err != nil {
		return apply(ir.OpGather, ir.Attr{}, n, i.get())
	}
	k, err := n.axis(axis)
	if err != nil {
		return fail("%w", err)
	}
	shape, at := n.typ.Shape, i.n.typ.Shape
	count := at.NumElems()
	lined := repeated(ir.Fixed(1), len(shape))
	lined[k] = count
	full := append(Shape{}, shape...)
	full[k] = count
	y := apply(ir.OpGather, ir.Attr{Axis: k, Note: i.n.hintOf()}, n.unnamed(), i.Reshape(Shape(lined)).BroadcastTo(full).get())
	return y.Reshape(shape[:k], at, shape[k+1:])
}

// unnamed returns the node without the names of its axes.
func (n *node) unnamed() *node {
	if n.names == nil {
		return n
	}
	m := *n
	m.names, m.root = nil, n.value()
	return &m
}

// TakeAlong returns the elements of x at indices along an axis, one for each index: along axis 1, element [i, j] is
// x[i, indices[i, j]]. The indices have x's shape except along that axis, or broadcast to it. It is NumPy's
// take_along_axis and ONNX's GatherElements, except for indices below 0: see Take.
func (x Node) TakeAlong(axis any, indices any) Node {
	n := x.get()
	i := Node{operand(indices, Int64)}.indices()
	if n.err != nil || i.get().err != nil {
		return apply(ir.OpGather, ir.Attr{}, n, i.get())
	}
	k, i, err := n.alongAxis(axis, i)
	if err != nil {
		return fail("%w", err)
	}
	return apply(ir.OpGather, ir.Attr{Axis: k, Note: i.get().hintOf()}, n.unnamed(), i.get())
}

// alongAxis returns an axis, and the indices broadcast to n's shape along the other axes.
func (n *node) alongAxis(axis any, i Node) (int, Node, error) {
	k, err := n.axis(axis)
	if err != nil {
		return 0, i, err
	}
	at := i.n.typ.Shape
	if len(at) != len(n.typ.Shape) {
		return 0, i, fmt.Errorf("indices %s for %s: they must have as many axes", i.n.text(), n.text())
	}
	full := append(Shape{}, n.typ.Shape...)
	full[k] = at[k]
	return k, i.BroadcastTo(full), nil
}

// GatherND returns the slices of x at tuples of indices, as ONNX's GatherND: the last axis of the indices has an index
// for each axis of x after the first batch axes, or for the first few of these. x and the indices share the first batch
// axes.
func (x Node) GatherND(indices Node, batch int) Node {
	n := x.get()
	i := indices.indices()
	if n.err != nil || i.get().err != nil {
		return apply(ir.OpGather, ir.Attr{}, n, i.get())
	}
	flat, at, rest, err := n.tuples(i, batch)
	if err != nil {
		return fail("%w", err)
	}
	// [batch, indexed axes as one, rest] indexed by [batch, tuples]
	tuples := i.n.typ.Shape[batch : len(i.n.typ.Shape)-1]
	count, wide := tuples.NumElems(), rest.NumElems()
	lead := n.typ.Shape[:batch].NumElems()
	y := x.Reshape(lead, flat, wide).TakeAlong(1, at.Reshape(lead, count, 1))
	return y.Reshape(n.typ.Shape[:batch], tuples, rest)
}

// tuples returns the total number of elements of the indexed axes of n, the tuples as indices into them merged to one
// axis, and the axes after them.
func (n *node) tuples(i Node, batch int) (flat Extent, at Node, rest Shape, err error) {
	s, t := n.typ.Shape, i.n.typ.Shape
	if batch < 0 || batch > len(s) || batch >= len(t) {
		return flat, at, nil, fmt.Errorf("%d batch axes of %s and indices %s are too many: the last axis of the indices holds tuples", batch, n.text(), i.n.text())
	}
	depth, known := t[len(t)-1].Int()
	if !known || depth > len(s)-batch {
		return flat, at, nil, fmt.Errorf("tuples of %s indices don't fit the axes of %s after the first %d", t[len(t)-1], n.text(), batch)
	}
	if !t[:batch].Equal(s[:batch]) {
		return flat, at, nil, fmt.Errorf("the first %d axes of %s and of the indices %s differ", batch, n.text(), i.n.text())
	}
	indexed := s[batch : batch+depth]
	at = Iota(Int64, 1).Reshape().BroadcastTo(t[:len(t)-1])
	for k := range depth {
		j := i.Index(-1, k)
		if depth > 1 {
			j = j.inside(indexed[k]) // another index could lead to an element of another row
		}
		if k == 0 {
			at = j
			continue
		}
		at = at.Mul(indexed[k]).Add(j)
	}
	return indexed.NumElems(), at, s[batch+depth:], nil
}

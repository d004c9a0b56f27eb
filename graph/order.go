package graph

import "github.com/stridefuse/stridefuse/ir"

// Sort returns the elements of x along an axis in ascending order. Equal elements keep their order, as do +0 and -0;
// NaNs come last, and false comes before true. A line of more than 131,072 elements is sorted in chunks, which all
// workers merge block by block.
//
// The algorithm is a vectorized quicksort (Bramas 2017) on processors with AVX2, and a radix sort of the bits (Seward
// 1954) elsewhere. It needs 16 bytes of memory for each element of a line or chunk. A long line needs 4 more bytes for
// each element, 8 for indices or elements of eight bytes, and 12 for indices of those.
func (x Node) Sort(axis any) Node { return x.ordered(ir.OpSort, axis) }

// SortDescending is Sort in descending order. NaNs also come last.
func (x Node) SortDescending(axis any) Node { return x.ordered(ir.OpSortDown, axis) }

// ArgSort returns the indices along an axis that sort x, as Int64: Sort is x.TakeAlong(axis, x.ArgSort(axis)).
func (x Node) ArgSort(axis any) Node { return x.ordered(ir.OpArgSort, axis) }

// ArgSortDescending is ArgSort in descending order.
func (x Node) ArgSortDescending(axis any) Node { return x.ordered(ir.OpArgSortDown, axis) }

func (x Node) ordered(op ir.Op, axis any) Node {
	n := x.get()
	if n.err != nil {
		return apply(op, ir.Attr{}, n)
	}
	k, err := n.axis(axis)
	if err != nil {
		return Node{poison(err, n)}
	}
	return apply(op, ir.Attr{Axis: k, Len: n.typ.Shape[k]}, n)
}

// TopK returns the k greatest elements along an axis in descending order, and their indices as Int64. NaNs are taken
// last, unlike in PyTorch and in TopK of package onnx, where they are the greatest; of equal elements the first is taken
// first. A few elements of long lines are selected without sorting the rest.
func (x Node) TopK(axis any, k int) (values, places Node) {
	return x.firstOf(ir.OpArgSortDown, axis, k)
}

// BottomK returns the k least elements along an axis in ascending order, and their indices as Int64.
func (x Node) BottomK(axis any, k int) (values, places Node) {
	return x.firstOf(ir.OpArgSort, axis, k)
}

func (x Node) firstOf(op ir.Op, axis any, k int) (values, places Node) {
	n := x.get()
	if n.err != nil {
		return x, x
	}
	a, err := n.axis(axis)
	if err != nil {
		bad := fail("%w", err)
		return bad, bad
	}
	if k < 0 {
		bad := fail("k is %d: give 0 or more", k)
		return bad, bad
	}
	if extent, known := n.typ.Shape[a].Int(); known && k > extent {
		bad := fail("k is %d, and axis %d of %s has %d elements: give that many or fewer", k, a, n.text(), extent)
		return bad, bad
	}
	places = apply(op, ir.Attr{Axis: a, Len: ir.Fixed(k)}, n)
	return x.TakeAlong(a, places), places
}

// SearchSorted returns for each element of values how many elements of x, a sorted vector, are less than it, or less or
// equal with right: the index at which it would be inserted, as Int64. NaN is greater than all other elements, as in
// Sort. It is a binary search. Values may have any shape. As in PyTorch, x may also hold sorted vectors along its last
// axis; then values must have the same leading axes, and are looked up in the corresponding vector.
func (x Node) SearchSorted(values any, right bool) Node {
	n := x.get()
	v := Node{operand(values, n.typ.DType)}
	op, y := ir.OpSearchSorted, v.get()
	if right {
		op = ir.OpSearchSortedRight
	}
	rank := len(y.typ.Shape)
	switch {
	case n.err != nil || y.err != nil:
	case len(n.typ.Shape) == 0:
		return fail("%s has no axis to search along", n.text())
	case rank == 0:
		return x.SearchSorted(v.Reshape(1), right).Reshape()
	case len(n.typ.Shape) == 1:
		n = Node{n.unnamed()}.BroadcastTo(y.typ.Shape[:rank-1], n.typ.Shape[0]).get()
	}
	return apply(op, ir.Attr{Axis: rank - 1}, n, y)
}

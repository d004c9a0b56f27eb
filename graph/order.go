package graph

import "github.com/stridefuse/stridefuse/ir"

// Sort returns the elements of x along an axis in order, the least first. Equal ones keep
// their order, as +0 and -0 do, and NaNs come last. False comes before true. It is a quicksort of
// vectors (Bramas 2017) where the processor has AVX2, and a radix sort of the bits (Seward 1954) elsewhere.
// A line of more than 131,072 elements is sorted in chunks, which all workers merge block by block. It takes
// 16 bytes of memory besides for each element of a line, or of a chunk, and of a long line 4 bytes for each
// element, 8 for places or elements of eight bytes, and 12 for the places of those.
func (x Node) Sort(axis any) Node { return x.ordered(ir.OpSort, axis) }

// SortDescending is Sort with the greatest first. NaNs come last here too.
func (x Node) SortDescending(axis any) Node { return x.ordered(ir.OpSortDown, axis) }

// ArgSort returns where the elements of x are along an axis, in their order: Sort is
// x.TakeAlong(axis, x.ArgSort(axis)). The places are Int64.
func (x Node) ArgSort(axis any) Node { return x.ordered(ir.OpArgSort, axis) }

// ArgSortDescending is ArgSort with the greatest first.
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

// TopK returns the k greatest elements along an axis, the greatest first, and where they
// are, as Int64. NaNs are the last to be taken, and of equal elements the first. A few
// elements of long lines are selected, and the rest is not put in order.
func (x Node) TopK(axis any, k int) (values, places Node) {
	return x.firstOf(ir.OpArgSortDown, axis, k)
}

// BottomK returns the k least elements along an axis, the least first, and where they are.
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

// SearchSorted returns for each element of values how many elements of x, a sorted vector,
// are less, or with right less or equal: where it would be inserted. The places are Int64.
// NaN is greater than all others, as sorts have it. It is a binary search. Values may have any shape. As in PyTorch x may be
// sorted vectors along its last axis too; then values have the same axes before their last one, and are looked up in its vectors.
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

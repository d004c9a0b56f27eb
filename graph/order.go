package graph

import "github.com/stridefuse/stridefuse/ir"

// Sort returns the elements of x along an axis in order, the least first. Equal ones keep
// their order, as +0 and -0 do, and NaNs come last. False comes before true. It is a radix
// sort of the bits (Seward 1954): its time for each element depends on the size of the type
// alone, and it takes 16 bytes of memory besides for each element of a line.
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
		return Node{poison(op, err, n)}
	}
	return apply(op, ir.Attr{Axis: k, Len: n.typ.Shape[k]}, n)
}

// TopK returns the k greatest elements along an axis, the greatest first, and where they
// are, as Int64. NaNs are the last to be taken, and of equal elements the first. A few
// elements of long lines are selected, and the rest is not put in order.
func (x Node) TopK(axis any, k int) (values, places Node) {
	return x.firstOf("topk", ir.OpArgSortDown, axis, k)
}

// BottomK returns the k least elements along an axis, the least first, and where they are.
func (x Node) BottomK(axis any, k int) (values, places Node) {
	return x.firstOf("bottomk", ir.OpArgSort, axis, k)
}

func (x Node) firstOf(name string, op ir.Op, axis any, k int) (values, places Node) {
	n := x.get()
	if n.err != nil {
		return x, x
	}
	a, err := n.axis(axis)
	if err != nil {
		bad := fail(name, "%w", err)
		return bad, bad
	}
	if extent, known := n.typ.Shape[a].Int(); k < 0 || known && k > extent {
		bad := fail(name, "%d elements of axis %d of %s", k, a, n.text())
		return bad, bad
	}
	places = within(name, x, apply(op, ir.Attr{Axis: a, Len: ir.Fixed(k)}, n))
	return within(name, x, x.TakeAlong(a, places)), places
}

// SearchSorted returns for each element of values how many elements of x, a sorted vector,
// are less, or with right less or equal: where it would be inserted. The places are Int64.
// It compares each with each.
func (x Node) SearchSorted(values any, right bool) Node {
	n := x.get()
	v := Node{operand(ir.OpLt, values, n.typ.DType)}
	switch {
	case n.err != nil || v.get().err != nil:
		return apply(ir.OpLt, ir.Attr{}, n, v.get())
	case len(n.typ.Shape) != 1:
		return fail("searchsorted", "%s is no vector", n.text())
	}
	before := x.Lt(v.Unsqueeze(-1))
	if right {
		before = x.Le(v.Unsqueeze(-1))
	}
	return within("searchsorted", x, before.Cast(Int64).Sum(-1))
}

package graph

import "github.com/stridefuse/stridefuse/ir"

// Counts of elements in bins.

// Histogram returns as Int64 how many elements of x are in each bin, as NumPy's histogram. Bin i goes from edge i to
// just before edge i+1; the last bin includes its end. Elements outside all bins, and NaNs, are not counted. Edges are
// a sorted vector of two elements or more, a Node or a Tensor of x's type. Constant edges that are not sorted are an
// error; other edges are not checked.
func (x Node) Histogram(edges any) Node {
	n := x.get()
	var e Node
	switch edges := edges.(type) {
	case Node, *Tensor:
		e = Node{operand(edges, n.typ.DType)}
	default:
		return fail("the edges are %T: give a Node or a *Tensor, as Of makes it of a slice", edges)
	}
	switch {
	case n.err != nil || e.get().err != nil:
		return apply(ir.OpLt, ir.Attr{}, n, e.get())
	case len(e.n.typ.Shape) != 1:
		return fail("the edges %s are no vector", e.n.text())
	case e.n.typ.DType != n.typ.DType:
		return fail("%s and edges %s: Cast one of them", n.text(), e.n.text())
	}
	count := e.n.typ.Shape[0]
	if k, known := count.Int(); known && k < 2 {
		return fail("%d edges: give two or more", k)
	}
	if e.n.tensor != nil && e.n.frozen {
		if i, err := firstDescent(e.n.tensor); err != nil {
			return fail("%w", err)
		} else if i > 0 {
			before, _ := e.n.tensor.At(i - 1)
			after, _ := e.n.tensor.At(i)
			return fail("the edges are not sorted: edge %d is %v, and edge %d is %v", i-1, before, i, after)
		}
	}
	last := count.Sub(ir.Fixed(1))
	bins := e.SearchSorted(x, true).BinCount(count.Add(ir.Fixed(1))).SliceAxis(0, 1, count, 1) // 0 counts the elements before the first edge
	equal := x.Eq(e.Index(0, last)).Cast(Int64).Sum()
	return Where(Iota(Int64, last).Eq(last.Sub(ir.Fixed(1))), bins.Add(equal), bins)
}

// firstDescent returns the first index of a vector whose element is less than the one before or is NaN, or 0 if there
// is none.
func firstDescent(t *Tensor) (int, error) {
	var before uint64
	for i := range t.Extent(0) {
		v, err := t.At(i)
		if err != nil {
			return 0, err
		}
		bits, err := ir.Encode(t.DType(), v)
		if err != nil {
			return 0, err
		}
		if i > 0 && ir.OpLe.Info().Ref(t.DType(), Bool, [3]uint64{before, bits}) == 0 {
			return i, nil
		}
		before = bits
	}
	return 0, nil
}

// BinCount returns as Int64 how often each of the numbers 0 to bins-1 occurs in x, as NumPy's bincount.
func (x Node) BinCount(bins any) Node {
	i := x.Reshape(-1).indices()
	if i.Err() != nil {
		return i
	}
	if n, isInt := bins.(int); isInt && n < 1 {
		return fail("%d bins: give 1 or more", n)
	}
	one := Scalar(Int64, 1).BroadcastTo(i.n.typ.Shape.NumElems())
	return one.SegmentSum(i.hinted("give more bins, or ClampIndex the elements"), bins)
}

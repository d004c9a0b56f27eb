package graph

import "github.com/stridefuse/stridefuse/ir"

// Reductions of groups of slices along the first axis: ragged rows, which are consecutive slices, and segments, whose
// slices have a number.

// RaggedSum returns the sum of each row of slices of x along its first axis; an empty row gives zeros. Row i has the
// slices from offsets[i] to just before offsets[i+1], so there is one more offset than rows. Offsets must rise from 0
// to the number of slices. Others are an error of the run about an index outside an axis, unless there are no rows or
// the slices have no elements. Slices are added in order. One goroutine adds a row without a break, so a cancelled run
// ends after it.
func (x Node) RaggedSum(offsets any) Node { return x.ragged(ir.OpRaggedAdd, offsets) }

// RaggedMax returns the greatest elements of each row of slices; an empty row gives the least number of the type. Rows
// are those of RaggedSum.
func (x Node) RaggedMax(offsets any) Node { return x.ragged(ir.OpRaggedMax, offsets) }

// RaggedMin returns the least elements of each row of slices; an empty row gives the greatest number of the type. Rows
// are those of RaggedSum.
func (x Node) RaggedMin(offsets any) Node { return x.ragged(ir.OpRaggedMin, offsets) }

func (x Node) ragged(op ir.Op, offsets any) Node {
	n := x.get()
	o := Node{operand(offsets, Int64)}.indices()
	if n.err != nil || o.get().err != nil {
		return apply(op, ir.Attr{}, n, o.get())
	}
	switch {
	case len(n.typ.Shape) == 0 || o.Rank() != 1:
		return fail("%s and offsets %s: rows are of slices of the first axis, and their offsets a vector", n.text(), o.n.text())
	case !ir.Numeric.Has(n.typ.DType):
		return fail("%w", ir.DoesNotTake(ir.Numeric, n.typ.DType))
	}
	for range n.typ.Shape[1:] {
		o = o.Unsqueeze(-1)
	}
	return apply(op, ir.Attr{}, n.unnamed(), o.BroadcastTo(o.Shape()[:1], n.typ.Shape[1:]).get())
}

// SegmentSum returns for each of count segments the sum of the slices of x along its first axis that have its number. A
// segment without slices gives zeros. Slices are added in order.
func (x Node) SegmentSum(segments any, count any) Node {
	return x.segments(segments, count, ir.OpAdd, ScatterAdd)
}

// SegmentMax returns the greatest elements of the slices of each segment; an empty segment gives the least number of
// the type.
func (x Node) SegmentMax(segments any, count any) Node {
	return x.segments(segments, count, ir.OpMax, ScatterMax)
}

// SegmentMin returns the least elements of the slices of each segment; an empty segment gives the greatest number of
// the type.
func (x Node) SegmentMin(segments any, count any) Node {
	return x.segments(segments, count, ir.OpMin, ScatterMin)
}

func (x Node) segments(segments, count any, neutral ir.Op, by ScatterOp) Node {
	n := x.get()
	s := Node{operand(segments, Int64)}
	if n.err != nil || s.get().err != nil {
		return apply(ir.OpScatter, ir.Attr{}, n, s.get())
	}
	dims, err := extentsOf([]any{count})
	bits := ir.EmptyReduction(neutral, n.typ.DType)
	switch {
	case err != nil:
		return fail("%w", err)
	case len(n.typ.Shape) == 0 || len(s.n.typ.Shape) != 1:
		return fail("%s and segments %s: the segments number the slices of the first axis", n.text(), s.n.text())
	case !ir.Numeric.Has(n.typ.DType):
		return fail("%w", ir.DoesNotTake(ir.Numeric, n.typ.DType))
	}
	lined := repeated(ir.Fixed(1), len(n.typ.Shape))
	lined[0] = s.n.typ.Shape[0]
	empty := apply(ir.OpConst, ir.Attr{DType: n.typ.DType, Bits: bits}).BroadcastTo(dims, n.typ.Shape[1:])
	i := s.indices().Reshape(Shape(lined)).BroadcastTo(n.typ.Shape)
	return empty.Scatter(0, i, x, by)
}

package graph

import "github.com/stridefuse/stridefuse/ir"

// Ragged rows: consecutive slices of an array along its first axis.

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

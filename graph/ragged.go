package graph

import "github.com/stridefuse/stridefuse/ir"

// Ragged rows: slices of an array along its first axis, one behind the other.

// RaggedSum returns the sum of each row of slices of x along its first axis, zeros of an empty one. Row i is
// the slices offsets[i] to offsets[i+1], not included, so there is one offset more than there are rows. They rise from 0 to the
// number of slices: others are an error of the run, with an index that is outside an axis, unless there is
// no row or slices have no elements. Slices are added in their order. A row is added by one goroutine, in one piece: a
// run that is cancelled ends behind it.
func (x Node) RaggedSum(offsets any) Node { return x.ragged(ir.OpRaggedAdd, offsets) }

// RaggedMax returns the greatest elements of the slices of each row; of none, the least number of the
// type. See RaggedSum.
func (x Node) RaggedMax(offsets any) Node { return x.ragged(ir.OpRaggedMax, offsets) }

// RaggedMin returns the least elements of the slices of each row; of none, the greatest number of the
// type. See RaggedSum.
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

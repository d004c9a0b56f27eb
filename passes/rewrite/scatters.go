package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// scatter divides a scatter of many updates into pieces, each with a table of its own, and reduces the tables.
// Example: a histogram becomes the sum of some hundred histograms. The order of the updates must not matter: sums and
// products of integers, minima and maxima of all types.
//
// Workers share the pieces, and a piece's indices are computed block by block in the cache (see tiles). Updates after
// the last whole piece are combined one by one. If the indices of a combining scatter are cast from bytes, the
// scatter reads the bytes, whether it is divided or not.
func (s *State) scatter(r *reducer, v *ir.Value) *ir.Value {
	switch {
	case Size(v.Args[2].Type.Shape) == 0:
		return v.Args[0] // there are no updates
	case v.Op.Info().By == ir.OpInvalid:
		return v
	}
	w := &scatterer{reducer: r, s: s, axis: v.Attr.Axis, piece: s.pieceOf(v), behind: map[*ir.Value]*ir.Value{}}
	index := w.asBytes(v.Args[1])
	switch {
	case w.piece > 0:
		return w.inPieces(index)
	case index != v.Args[1]:
		return w.add(v.Op, *v.Attr, v.Args[0], index, v.Args[2])
	}
	return v
}

// pieceOf returns the number of updates per line in a piece, or 0 if v should not be divided.
func (s *State) pieceOf(v *ir.Value) int {
	if !v.Op.Info().By.Info().Associative.Has(v.Type.DType) || Size(v.Type.Shape) == 0 {
		return 0
	}
	updates := Extents(v.Args[2])[v.Attr.Axis]
	piece := max(tableUpdates*Extents(v)[v.Attr.Axis], (pieceUpdates-1)/oneIndex(v.Args[1])+1)
	if s.Eager {
		piece = max(2, int(math.Sqrt(float64(updates))))
	}
	if updates < 2*piece {
		return 0
	}
	return updates / (updates / piece)
}

// oneIndex returns the number of elements that share one index.
func oneIndex(index *ir.Value) int {
	if index.Op != ir.OpExpand {
		return 1
	}
	return max(1, Size(index.Type.Shape)/max(1, Size(index.Args[0].Type.Shape)))
}

// scatterer divides one scatter.
type scatterer struct {
	*reducer
	s      *State
	axis   int
	piece  int
	behind map[*ir.Value]*ir.Value // results of from, by operand
}

// asBytes returns indices before their cast from bytes. It returns other indices unchanged.
func (w *scatterer) asBytes(index *ir.Value) *ir.Value {
	switch below := index.Args; {
	case index.Op == ir.OpCast && below[0].Type.DType == ir.Uint8:
		return below[0]
	case index.Op == ir.OpReshape || index.Op == ir.OpExpand:
		if bytes := w.asBytes(below[0]); bytes != below[0] {
			return w.add(index.Op, *index.Attr, bytes)
		}
	}
	return index
}

// inPieces returns the scatter as one of pieces, a reduction of the pieces' tables, and a scatter of the other updates.
func (w *scatterer) inPieces(index *ir.Value) *ir.Value {
	v, by := w.v, w.v.Op.Info().By
	x, updates := v.Args[0], v.Args[2]
	n := Extents(index)[w.axis]
	count := n / w.piece
	neutral := w.add(ir.OpConst, ir.Attr{DType: v.Type.DType, Bits: ir.EmptyReduction(by, v.Type.DType)})
	tables := w.add(ir.OpExpand, ir.Attr{Shape: slices.Insert(slices.Clone(v.Type.Shape), w.axis, ir.Fixed(count))}, neutral)
	pieces := w.add(v.Op, ir.Attr{Axis: w.axis + 1}, tables, w.pieces(index, count), w.pieces(updates, count))
	if w.err != nil {
		return nil
	}
	w.s.Record(plan.Rewritten, pieces, 0, "its updates give the same in any order, so pieces of them have tables of their own")
	all := w.reduce(by, pieces, []int{w.axis})
	if from := count * w.piece; from < n {
		x = w.add(v.Op, ir.Attr{Axis: w.axis}, x, w.from(index, w.axis, from), w.from(updates, w.axis, from))
	}
	return w.add(by, ir.Attr{}, x, all)
}

// pieces returns x as a view with an additional axis that counts pieces.
func (w *scatterer) pieces(x *ir.Value, count int) *ir.Value {
	x = w.add(ir.OpSlice, ir.Attr{Axis: w.axis, Begin: ir.Fixed(0), Len: ir.Fixed(count * w.piece), Step: 1}, x)
	if w.err != nil {
		return nil
	}
	shape := slices.Insert(slices.Clone(x.Type.Shape), w.axis, ir.Fixed(count))
	shape[w.axis+1] = ir.Fixed(w.piece)
	return w.reshaped(x, shape)
}

// from returns the elements of x from index begin of an axis on. It recomputes these few elements, so that the
// elements of the pieces keep a single reader.
func (w *scatterer) from(x *ir.Value, axis, begin int) *ir.Value {
	if y := w.behind[x]; y != nil || w.err != nil {
		return y
	}
	shape := slices.Clone(x.Type.Shape)
	shape[axis] = ir.Fixed(Extents(x)[axis] - begin)
	var y *ir.Value
	switch below := axisBelow(x, axis); {
	case len(w.behind) == AgainOps:
	case x.Op.IsElementwise():
		args := slices.Clone(x.Args)
		for i, a := range args {
			if k := repeatedAxis(x, a, axis); k >= 0 {
				args[i] = w.from(a, k, begin)
			}
		}
		y = w.add(x.Op, *x.Attr, args...)
	case below >= 0:
		y = w.add(x.Op, ir.Attr{Shape: shape}, w.from(x.Args[0], below, begin))
	}
	if y == nil {
		y = w.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(begin), Len: shape[axis], Step: 1}, x)
	}
	w.behind[x] = y
	return y
}

// repeatedAxis returns the axis of an operand that corresponds to an axis of x, or -1 if x repeats the operand along
// it.
func repeatedAxis(x, operand *ir.Value, axis int) int {
	k := axis - len(x.Type.Shape) + len(operand.Type.Shape)
	if k < 0 || operand.Type.Shape[k].Is(1) {
		return -1
	}
	return k
}

// axisBelow returns the axis of the operand that corresponds to an axis of a view, if the view only repeats or adds
// axes of one element. It returns -1 for any other view.
func axisBelow(x *ir.Value, axis int) int {
	switch x.Op {
	case ir.OpExpand:
		return repeatedAxis(x, x.Args[0], axis)
	case ir.OpReshape:
	default:
		return -1
	}
	own, below := Extents(x), Extents(x.Args[0])
	for i, k := 0, 0; i < len(own); i++ {
		for i != axis && i < len(own) && own[i] == 1 {
			i++
		}
		for k < len(below) && below[k] == 1 {
			k++
		}
		if i == len(own) || k == len(below) || own[i] != below[k] {
			break
		}
		if i == axis {
			return k
		}
		k++
	}
	return -1
}

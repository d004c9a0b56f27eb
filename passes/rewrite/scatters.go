package rewrite

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// scatter returns a scatter of many updates for each element, whose combinations are the same in any
// order, as one of pieces of the updates, each to a table of its own, and the reduction of the tables:
// sums and products of integers, and the least and greatest of all numbers. A histogram is the sum of
// some hundred. Goroutines share the pieces, and the indices of one are computed while they are in the
// cache (see tiles). Updates behind the last whole piece are combined one by one. Indices of all
// scatters that combine, if they are cast from bytes, are read as bytes.
func (s *State) scatter(r *reducer, v *ir.Value) *ir.Value {
	switch {
	case Size(v.Args[2].Type.Shape) == 0:
		return v.Args[0] // nothing is stored in it
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

// pieceOf returns how many updates of a line a piece has if v is to be a scatter of pieces, else 0.
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

// oneIndex returns how many elements have one index.
func oneIndex(index *ir.Value) int {
	if index.Op != ir.OpExpand {
		return 1
	}
	return max(1, Size(index.Type.Shape)/max(1, Size(index.Args[0].Type.Shape)))
}

// scatterer writes one scatter in pieces.
type scatterer struct {
	*reducer
	s      *State
	axis   int
	piece  int
	behind map[*ir.Value]*ir.Value // what has been computed behind the last whole piece
}

// asBytes returns indices as the bytes that they are cast from, if they are.
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

// pieces views x with an axis of pieces.
func (w *scatterer) pieces(x *ir.Value, count int) *ir.Value {
	x = w.add(ir.OpSlice, ir.Attr{Axis: w.axis, Begin: ir.Fixed(0), Len: ir.Fixed(count * w.piece), Step: 1}, x)
	if w.err != nil {
		return nil
	}
	shape := slices.Insert(slices.Clone(x.Type.Shape), w.axis, ir.Fixed(count))
	shape[w.axis+1] = ir.Fixed(w.piece)
	return w.reshaped(x, shape)
}

// from returns the elements of x from an index of an axis on. They are few, and are computed apart, so
// that those of the pieces have one reader.
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

// repeatedAxis returns which axis of an operand an axis of x is, where x repeats the operand along some
// axes; -1 if it does along this one.
func repeatedAxis(x, operand *ir.Value, axis int) int {
	k := axis - len(x.Type.Shape) + len(operand.Type.Shape)
	if k < 0 || operand.Type.Shape[k].Is(1) {
		return -1
	}
	return k
}

// axisBelow returns which axis of its operand an axis of a view is, where the view adds axes of one
// element or repeats others; -1 of any other view.
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

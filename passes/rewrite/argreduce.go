package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// argReduce computes an arg-reduction, the index of the least or greatest element of each line, in one of three ways.
//
//   - By chunks (inChunks): one pass finds the index in each chunk of a line, and a second one the chunk. This is for
//     lines along the last axis, and for other axes of an operand that is read from memory if elements of neighbouring
//     lines are adjacent there.
//   - By value (firstIndex): one pass finds the least or greatest element, and a second one the first index of an equal
//     element. This is for short lines, for other operands along an axis that is not the last, and for lines whose
//     elements are not adjacent in memory.
//   - By rows (byRows): each row is reduced, and then the results. This is for a single line that consists of rows
//     apart in memory, for example those of a slice.
func (r *reducer) argReduce(v *ir.Value) *ir.Value {
	x, axis, by := v.Args[0], v.Attr.Axes[0], v.Op.Info().By
	n := Extents(x)[axis]
	switch {
	case Size(v.Type.Shape) == 0 || n == 1:
		return r.constant(v, 0)
	case inColumns(x, axis):
		return r.inChunks(v.Op, x, axis)
	case axis < len(x.Type.Shape)-1 || n <= shortLine || isStrided(x, axis):
		return r.firstIndex(by, x, r.index(x.Type.Shape, axis), axis)
	case len(x.Type.Shape) == 1 && isApart(x):
		return r.byRows(v.Op, x.Args[0])
	}
	return r.inChunks(v.Op, x, axis)
}

// inChunks returns the index of the least or greatest element of each line of x along an axis. It reduces chunk by
// chunk.
func (r *reducer) inChunks(op ir.Op, x *ir.Value, axis int) *ir.Value {
	by := op.Info().By
	x, n := r.last(x, []int{axis})
	index := r.add(ir.OpReduceChunks, ir.Attr{By: op}, x)
	if n <= ir.ReduceChunk {
		return index
	}
	best := r.add(ir.OpReduceChunks, ir.Attr{By: by}, x)
	if r.err != nil {
		return nil
	}
	first := r.add(ir.OpMul, ir.Attr{}, r.index(best.Type.Shape, 0), r.number(ir.ReduceChunk, best.Type.Shape))
	return r.firstIndex(by, best, r.add(ir.OpAdd, ir.Attr{}, index, first), 0)
}

// byRows returns the index, in row-major order, of the least or greatest element of x. It reduces row by row.
func (r *reducer) byRows(op ir.Op, x *ir.Value) *ir.Value {
	by, last := op.Info().By, len(x.Type.Shape)-1
	cols := Extents(x)[last]
	inRow := r.add(op, ir.Attr{Axes: []int{last}}, x)
	if r.err != nil {
		return nil
	}
	rows := ir.Shape{ir.Fixed(Size(x.Type.Shape) / cols)}
	inRow = r.reshaped(r.argReduce(inRow), rows)
	best := r.reshaped(r.reduce(by, x, []int{last}), rows)
	first := r.add(ir.OpMul, ir.Attr{}, r.index(rows, 0), r.number(cols, rows))
	return r.firstIndex(by, best, r.add(ir.OpAdd, ir.Attr{}, first, inRow), 0)
}

// isApart reports whether x, which has one axis, is a reshape of several axes whose elements have no common stride in
// memory. It looks through views and elementwise ops (readAt, wholeOperand).
func isApart(x *ir.Value) bool {
	if x.Op != ir.OpReshape || len(x.Args[0].Type.Shape) < 2 {
		return false
	}
	l, from := readAt(x.Args[0], wholeOperand)
	if from == nil {
		return false
	}
	_, ok := l.Reshape(l.Size())
	return !ok
}

// readAt returns the value that x is read from, and the layout of x in that value. It looks through views and, if
// follow returns the number of an operand, from an elementwise op to this operand. The value is nil if strides do not
// describe x.
func readAt(x *ir.Value, follow func(*ir.Value) int) (l layout.Layout, from *ir.Value) {
	var seen []*ir.Value // views of x, outermost first
	for {
		switch {
		case x.Op.IsView():
			seen = append(seen, x)
			x = x.Args[0]
			continue
		case x.Op.IsElementwise() && follow(x) >= 0:
			x = x.Args[follow(x)]
			continue
		}
		break
	}
	l = layout.RowMajor(Extents(x)...)
	if x.Op == ir.OpParam && x.Attr.At != nil {
		l = *x.Attr.At
	}
	for _, v := range slices.Backward(seen) {
		var err error
		if l, err = v.Layout(l); err != nil {
			return l, nil
		}
	}
	return l, x
}

// inColumns reports whether x is read from memory, possibly converted to its compute type, and at least LeastColumns
// lines along the axis are adjacent there.
func inColumns(x *ir.Value, axis int) bool {
	l, from := readAt(x, func(v *ir.Value) int {
		if v.Op == ir.OpCast && v.Type.DType == v.Args[0].Type.DType.Compute() {
			return 0
		}
		return -1
	})
	if from == nil || from.Op.IsElementwise() || l.Strides[axis] == 0 || l.Strides[axis] == 1 {
		return false
	}
	adjacent := 1
	for more := true; more && adjacent < LeastColumns; {
		more = false
		for i, n := range l.Shape {
			if i != axis && n > 1 && l.Strides[i] == adjacent {
				adjacent, more = adjacent*n, true
				break
			}
		}
	}
	return adjacent >= LeastColumns
}

// wholeOperand returns the first operand of an elementwise op that is not repeated and no constant, or -1.
func wholeOperand(x *ir.Value) int {
	return slices.IndexFunc(x.Args, func(a *ir.Value) bool { return slices.Equal(a.Type.Shape, x.Type.Shape) && !IsConst(a) })
}

// isStrided reports whether elements of x along an axis are read from a param where they are not adjacent. It looks
// through permutes and elementwise ops (wholeOperand).
func isStrided(x *ir.Value, axis int) bool {
	for {
		switch {
		case x.Op == ir.OpParam:
			l := x.Attr.At
			if l == nil {
				rows := layout.RowMajor(Extents(x)...)
				l = &rows
			}
			return l.Strides[axis] > 1 || l.Strides[axis] < -1
		case x.Op == ir.OpPermute:
			axis, x = x.Attr.Axes[axis], x.Args[0]
			continue
		case !x.Op.IsElementwise():
			return false
		}
		like := wholeOperand(x)
		if like < 0 {
			return false
		}
		x = x.Args[like]
	}
}

// number returns an Int32 repeated to a shape.
func (r *reducer) number(n int, s ir.Shape) *ir.Value {
	c := r.add(ir.OpConst, ir.Attr{DType: ir.Int32, Bits: uint64(n)})
	return r.add(ir.OpExpand, ir.Attr{Shape: s}, c)
}

// index returns the index along an axis for each element of a shape.
func (r *reducer) index(s ir.Shape, axis int) *ir.Value {
	i := r.add(ir.OpIota, ir.Attr{DType: ir.Int32, Shape: s[axis : axis+1]})
	return r.broadcast(i, s, axis)
}

// broadcast repeats x along the axis that it lacks. An iota, which has only that axis, is repeated along all others.
func (r *reducer) broadcast(x *ir.Value, s ir.Shape, axis int) *ir.Value {
	if r.err != nil {
		return nil
	}
	one := ir.Shape{}
	for i := range s {
		if (i == axis) == (x.Op == ir.OpIota) {
			one = append(one, s[i])
		} else {
			one = append(one, ir.Fixed(1))
		}
	}
	return r.add(ir.OpExpand, ir.Attr{Shape: s}, r.add(ir.OpReshape, ir.Attr{Shape: one}, x))
}

// firstIndex returns the least of the given indices at which x is NaN or equals the least or greatest element of its
// line.
func (r *reducer) firstIndex(by ir.Op, x, indices *ir.Value, axis int) *ir.Value {
	best := r.reduce(by, x, []int{axis})
	if r.err != nil {
		return nil
	}
	found := r.add(ir.OpEq, ir.Attr{}, x, r.broadcast(best, x.Type.Shape, axis))
	if ir.Floats.Has(x.Type.DType) {
		found = r.add(ir.OpOr, ir.Attr{}, found, r.add(ir.OpIsNaN, ir.Attr{}, x))
	}
	const none = 1<<31 - 1
	return r.reduce(ir.OpMin, r.add(ir.OpSelect, ir.Attr{}, found, indices, r.number(none, x.Type.Shape)), []int{axis})
}

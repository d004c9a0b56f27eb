package rewrite

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Reductions writes each reduction as the levels of its tree. A view merges the reduced axes into one last axis, and
// one reduce_chunks per level follows until one element is left, in the type of partial results.
//
//   - A scatter of many updates whose order does not matter becomes a scatter to several tables and their reduction
//     (scatters.go).
//   - A type without arithmetic of its own is converted once: a float16 sum becomes a float32 sum, rounded at the end.
//   - An extent becomes a constant.
//
// Requires: all sizes bound.
// Ensures: reduce_chunks is the only reduction; it and scans have at least one line, of at least two elements;
// accumulating ops and iotas have types with arithmetic of their own; no extent.
func Reductions(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, hasLevels) {
		s.Func.Sweep()
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !hasLevels(v) {
			return v, nil
		}
		r, own := &reducer{adder{f: s.Func, v: v}}, v.Type.DType
		if v = r.widened(v); r.err != nil {
			return nil, r.err
		}
		bound, bounded := ir.WideBound(v.Op, v.Attr, own)
		bounded = bounded && v != r.v
		r.v = v
		switch info := v.Op.Info(); {
		case v.Op == ir.OpExtent:
			n, _ := v.Attr.Begin.Int()
			v = r.constant(v, ir.ElementOf(v.Type.DType, n))
		case v.Op.IsArgReduction():
			v = r.argReduce(v)
		case v.Op == ir.OpReduceChunks:
			v = r.chunks(v)
		case info.Kind == ir.Reduce && overlapping(v):
			v = r.doubled(v)
		case info.Kind == ir.Reduce:
			v = r.reduce(info.By, v.Args[0], v.Attr.Axes)
		case info.Scatters():
			v = s.scatter(r, v)
		case info.Ragged && Size(v.Type.Shape) > 0 && Size(v.Args[len(v.Args)-1].Type.Shape)*Size(v.Args[0].Type.Shape) == 0:
			v = r.emptyRows(v)
		case info.Searches() && v.Args[0].Type.Shape[v.Attr.Axis].Is(0):
			v = r.constant(v, 0) // the table is empty, so each key goes to index 0
		case info.Kind == ir.Scan:
			v = r.scan(v)
		}
		if bounded {
			v = r.add(r.v.Op.Info().By, ir.Attr{}, v, r.add(ir.OpConst, ir.Attr{DType: r.v.Type.DType, Bits: bound}))
		}
		return r.cast(v, own), r.err
	})
}

// hasLevels reports whether Reductions may rewrite v.
func hasLevels(v *ir.Value) bool {
	return !v.Op.IsElementwise() && !v.Op.IsView() && !IsConst(v)
}

// chunks handles a reduce_chunks that the program text contains. Lines of one element need no reduction.
func (r *reducer) chunks(v *ir.Value) *ir.Value {
	x := v.Args[0]
	n := Extents(x)[len(x.Type.Shape)-1]
	switch {
	case Size(v.Type.Shape) == 0, n == 1 && v.Attr.By.IsArgReduction():
		return r.constant(v, 0)
	case n == 1:
		return r.reshaped(x, v.Type.Shape)
	}
	return v
}

// CheckReductions returns an error unless the graph is as Reductions ensures.
func CheckReductions(s *State) error {
	for _, v := range s.Func.Body {
		switch {
		case v.Op == ir.OpExtent:
			return fmt.Errorf("%%%d is an extent", v.ID)
		case widens(v):
			return fmt.Errorf("%%%d is a %s of %s", v.ID, v.Op, v.Type.DType)
		case v.Op.Info().Kind == ir.Reduce && v.Op != ir.OpReduceChunks:
			return fmt.Errorf("%%%d is a %s", v.ID, v.Op)
		}
	}
	return nil
}

// reducer adds the values that replace a reduction.
type reducer struct{ adder }

// emptyRows returns the result of a ragged reduction without elements: the identity of the op. It looks each offset
// up in an axis of one element, so that an offset other than 0 is an index error.
func (r *reducer) emptyRows(v *ir.Value) *ir.Value {
	axis, by, one := v.Attr.Axis, v.Op.Info().By, *v
	one.Type.Shape = slices.Clone(v.Type.Shape)
	one.Type.Shape[axis] = ir.Fixed(1)
	none := r.constant(&one, ir.EmptyReduction(by, v.Type.DType))
	end := func(i int) *ir.Value {
		offsets := r.add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(i), Len: v.Type.Shape[axis], Step: 1}, v.Args[1])
		return r.add(ir.OpGather, ir.Attr{Axis: axis}, none, offsets)
	}
	return r.add(by, ir.Attr{}, end(0), end(1))
}

// reduce returns x reduced along axes, one group of axes after the other (ir.ReduceGroups).
func (r *reducer) reduce(by ir.Op, x *ir.Value, axes []int) *ir.Value {
	if r.err != nil {
		return nil
	}
	d := x.Type.DType
	if Size(x.Type.Shape) == 0 {
		return r.constant(r.v, ir.EmptyReduction(by, d))
	}
	if ir.ScalesProducts(by, d) {
		return r.product(x, axes)
	}
	groups := ir.ReduceGroups(Extents(x), axes)
	x = r.inInt32(by, x, axes)
	for i, group := range groups {
		var n int
		if x, n = r.last(x, group); i > 0 {
			x = r.cast(x, ir.PartialType(by, d))
		}
		if n == 1 {
			x = r.withoutLast(x)
		}
		for n > 1 {
			x = r.add(ir.OpReduceChunks, ir.Attr{By: by}, x)
			if n = ir.Chunks(n); n > 1 {
				x = r.firstLast(r.cast(x, ir.PartialType(by, d)))
			}
		}
	}
	return r.cast(x, d)
}

// inInt32 returns x in 32 bits if x is short integers converted to 64 bits and summed: the sum of one chunk fits 32
// bits. It leaves short lines alone, because converting them would read them again.
func (r *reducer) inInt32(by ir.Op, x *ir.Value, axes []int) *ir.Value {
	n, shape := 1, Extents(x)
	for _, axis := range axes {
		n *= shape[axis]
	}
	wide := x.Op == ir.OpCast && x.Type.DType.Size() == 8 && ir.Ints.Has(x.Type.DType) && ShortInt(x.Args[0].Type.DType)
	if by != ir.OpAdd || !wide || n < ir.ReduceLanes {
		return x
	}
	return r.cast(x.Args[0], ir.Int32)
}

// last returns x as a view with the given axes merged into one last axis, and the extent of this axis.
func (r *reducer) last(x *ir.Value, along []int) (*ir.Value, int) {
	if r.err != nil {
		return nil, 0
	}
	var axes []int
	shape, n := ir.Shape{}, 1
	for i, e := range Extents(x) {
		if slices.Contains(along, i) {
			n *= e
			continue
		}
		axes, shape = append(axes, i), append(shape, ir.Fixed(e))
	}
	return r.reshaped(r.permuted(x, append(axes, along...)), append(shape, ir.Fixed(n))), n
}

// firstLast moves the first axis of x to the end.
func (r *reducer) firstLast(x *ir.Value) *ir.Value {
	if r.err != nil {
		return nil
	}
	return r.permuted(x, append(axesFrom(1, len(x.Type.Shape)), 0))
}

// withoutLast drops the last axis of x, which has one element.
func (r *reducer) withoutLast(x *ir.Value) *ir.Value {
	if r.err != nil {
		return nil
	}
	return r.reshaped(x, x.Type.Shape[:len(x.Type.Shape)-1])
}

// scan returns a scan unchanged if it has lines of at least two elements. Otherwise it returns the operand or a
// constant.
func (r *reducer) scan(v *ir.Value) *ir.Value {
	n, _ := v.Type.Shape[v.Attr.Axis].Int()
	switch {
	case n > 1 && Size(v.Type.Shape) > 0:
		return v
	case n == 1 && v.Attr.Exclusive:
		return r.constant(v, ir.EmptyReduction(v.Op.Info().By, v.Type.DType))
	}
	return v.Args[0]
}

package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// reductions writes each reduction as the levels of its tree: a view that makes
// the reduced axes one last axis, then a reduce_chunks for each level until one
// element is left, in the type that partial results have. Sizes become constants.
//
// Requires: all sizes bound.
// Ensures: the one reduction is reduce_chunks; it and scans are of lines of two
// elements or more, and at least one line; no extent.
func reductions(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, hasLevels) {
		s.Func.Sweep()
		return nil
	}
	r := &reducer{s.Func}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		switch {
		case v.Op == ir.OpExtent:
			n, _ := v.Attr.Begin.Int()
			return r.constant(v, ir.ElementOf(v.Type.DType, n))
		case v.Op.IsArgReduction():
			return r.argReduce(v)
		case v.Op.Info().Kind == ir.Reduce && r.overlapping(v):
			return r.doubled(v)
		case v.Op.Info().Kind == ir.Reduce && v.Op != ir.OpReduceChunks:
			return r.reduce(v.Op.Info().By, v, v.Args[0], v.Attr.Axes)
		case v.Op == ir.OpReduceChunks:
			return r.chunks(v)
		case v.Op.Info().Scatters() && size(v.Args[2].Type.Shape) == 0:
			return v.Args[0], nil // nothing is stored in it
		case v.Op.Info().Ragged && size(v.Type.Shape) > 0 && size(v.Args[len(v.Args)-1].Type.Shape)*size(v.Args[0].Type.Shape) == 0:
			return r.emptyRows(v)
		case v.Op.Info().Searches() && v.Args[0].Type.Shape[v.Attr.Axis].Is(0):
			return r.constant(v, 0) // nothing goes before it
		case v.Op.Info().Kind == ir.Scan:
			return r.scan(v)
		}
		return v, nil
	})
}

// hasLevels reports whether a value is one that the pass looks at.
func hasLevels(v *ir.Value) bool {
	return !v.Op.IsElementwise() && !v.Op.IsView() && !isConst(v)
}

// chunks returns a reduce_chunks of a text, of lines of one element without it.
func (r *reducer) chunks(v *ir.Value) (*ir.Value, error) {
	x := v.Args[0]
	last := len(x.Type.Shape) - 1
	switch n, _ := x.Type.Shape[last].Int(); {
	case size(v.Type.Shape) == 0, n == 1 && v.Attr.By.IsArgReduction():
		return r.constant(v, 0)
	case n == 1:
		return r.f.Add(ir.OpReshape, ir.Attr{Shape: v.Type.Shape}, v.Pos, x)
	}
	return v, nil
}

func checkReductions(s *State) error {
	for _, v := range s.Func.Body {
		switch {
		case v.Op == ir.OpExtent:
			return fmt.Errorf("%%%d is an extent", v.ID)
		case v.Op.Info().Kind == ir.Reduce && v.Op != ir.OpReduceChunks:
			return fmt.Errorf("%%%d is a %s", v.ID, v.Op)
		}
	}
	return nil
}

// reducer appends values to a graph.
type reducer struct{ f *ir.Func }

// constant returns an element in the shape of v.
func (r *reducer) constant(v *ir.Value, bits uint64) (*ir.Value, error) {
	c, err := r.f.Add(ir.OpConst, ir.Attr{DType: v.Type.DType, Bits: bits}, v.Pos)
	if err != nil || len(v.Type.Shape) == 0 {
		return c, err
	}
	return r.f.Add(ir.OpExpand, ir.Attr{Shape: v.Type.Shape}, v.Pos, c)
}

// emptyRows returns what ragged rows without elements are combined to. Each offset is an index of an axis
// of one element: another one than 0 is an error.
func (r *reducer) emptyRows(v *ir.Value) (*ir.Value, error) {
	axis, offsets, by := v.Attr.Axis, v.Args[1], v.Op.Info().By
	one := ir.Value{Type: ir.Type{DType: v.Type.DType, Shape: slices.Clone(v.Type.Shape)}, Pos: v.Pos}
	one.Type.Shape[axis] = ir.Fixed(1)
	none, err := r.constant(&one, ir.EmptyReduction(by, v.Type.DType))
	var ends [2]*ir.Value
	for i := range ends {
		if err == nil {
			ends[i], err = r.f.Add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(i), Len: v.Type.Shape[axis], Step: 1}, v.Pos, offsets)
		}
		if err == nil {
			ends[i], err = r.f.Add(ir.OpGather, ir.Attr{Axis: axis}, v.Pos, none, ends[i])
		}
	}
	if err != nil {
		return nil, err
	}
	return r.f.Add(by, ir.Attr{}, v.Pos, ends[0], ends[1])
}

// reduce returns the reductions of x along axes, one group of axes after the other, for v.
func (r *reducer) reduce(by ir.Op, v, x *ir.Value, axes []int) (*ir.Value, error) {
	d := x.Type.DType
	if size(x.Type.Shape) == 0 {
		return r.constant(v, ir.EmptyReduction(by, d))
	}
	if ir.ScalesProducts(by, d) {
		return r.product(v, x, axes)
	}
	groups := ir.ReduceGroups(extents(x), axes)
	x, err := r.narrowSum(by, x, axes)
	if err != nil {
		return nil, err
	}
	for i, group := range groups {
		var n int
		if x, n, err = r.last(v, x, group); err != nil {
			return nil, err
		}
		if i > 0 {
			if x, err = r.cast(x, ir.PartialType(by, d)); err != nil {
				return nil, err
			}
		}
		if n > 1 {
			x, err = r.reduceLast(by, d, v, x, n)
		} else {
			x, err = r.f.Add(ir.OpReshape, ir.Attr{Shape: x.Type.Shape[:len(x.Type.Shape)-1]}, v.Pos, x)
		}
		if err != nil {
			return nil, err
		}
	}
	return r.cast(x, d)
}

// narrowSum returns what a sum of short integers in 64 bits adds in each chunk: the same in 32 bits, which hold the
// sum of a chunk. Short lines are added as they are: they would be read again to be widened.
func (r *reducer) narrowSum(by ir.Op, x *ir.Value, axes []int) (*ir.Value, error) {
	n, shape := 1, extents(x)
	for _, axis := range axes {
		n *= shape[axis]
	}
	wide := x.Op == ir.OpCast && x.Type.DType.Size() == 8 && ir.Ints.Has(x.Type.DType) && shortInt(x.Args[0].Type.DType)
	if by != ir.OpAdd || !wide || n < ir.ReduceLanes {
		return x, nil
	}
	return r.f.Add(ir.OpCast, ir.Attr{DType: ir.Int32}, x.Pos, x.Args[0])
}

// reduceLast reduces the last axis, of n elements, until one element is left.
func (r *reducer) reduceLast(by ir.Op, d ir.DType, v, x *ir.Value, n int) (*ir.Value, error) {
	var err error
	for {
		if x, err = r.f.Add(ir.OpReduceChunks, ir.Attr{By: by}, v.Pos, x); err != nil || n <= ir.ReduceChunk {
			return x, err
		}
		n = ir.Chunks(n)
		if x, err = r.cast(x, ir.PartialType(by, d)); err != nil {
			return nil, err
		}
		if x, err = r.f.Add(ir.OpPermute, ir.Attr{Axes: firstLast(x)}, v.Pos, x); err != nil {
			return nil, err
		}
	}
}

// firstLast returns the axes of x, the first of them last.
func firstLast(x *ir.Value) []int {
	axes := make([]int, len(x.Type.Shape))
	for i := range axes {
		axes[i] = (i + 1) % len(axes)
	}
	return axes
}

// last views x so that the given axes are one last axis, and returns its extent.
func (r *reducer) last(v, x *ir.Value, along []int) (*ir.Value, int, error) {
	var axes []int
	shape, n := ir.Shape{}, 1
	for i, e := range extents(x) {
		if slices.Contains(along, i) {
			n *= e
			continue
		}
		axes, shape = append(axes, i), append(shape, ir.Fixed(e))
	}
	x, err := r.f.Add(ir.OpPermute, ir.Attr{Axes: append(axes, along...)}, v.Pos, x)
	if err != nil {
		return nil, 0, err
	}
	x, err = r.f.Add(ir.OpReshape, ir.Attr{Shape: append(shape, ir.Fixed(n))}, v.Pos, x)
	return x, n, err
}

func (r *reducer) cast(x *ir.Value, d ir.DType) (*ir.Value, error) {
	if x.Type.DType == d {
		return x, nil
	}
	return r.f.Add(ir.OpCast, ir.Attr{DType: d}, x.Pos, x)
}

// scan returns a scan with lines of two elements or more, of which there are
// some, as it is, and what any other is.
func (r *reducer) scan(v *ir.Value) (*ir.Value, error) {
	n, _ := v.Type.Shape[v.Attr.Axis].Int()
	switch {
	case n > 1 && size(v.Type.Shape) > 0:
		return v, nil
	case n == 1 && v.Attr.Exclusive:
		return r.constant(v, ir.EmptyReduction(v.Op.Info().By, v.Type.DType))
	}
	return v.Args[0], nil
}

package passes

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// reductions writes each reduction as the folds of its tree: a view that makes
// the reduced axes one last axis, then fold after fold until one element is
// left, in the type that partial results have. Sizes become constants.
//
// Requires: all sizes bound.
// Ensures: the one reduction is fold; folds and scans are of lines of two
// elements or more, and at least one line; no extent.
func reductions(s *State) error {
	r := &reducer{s.Func}
	return rewrite(s.Func, func(v *ir.Value) (*ir.Value, error) {
		switch {
		case v.Op == ir.OpExtent:
			n, _ := v.Attr.Begin.Int()
			return r.constant(v, ir.ElementOf(v.Type.DType, n))
		case v.Op.Info().Kind == ir.Reduce && v.Op != ir.OpFold:
			return r.reduce(v)
		case v.Op.Info().Kind == ir.Scan:
			return r.scan(v)
		}
		return v, nil
	})
}

func checkReductions(s *State) error {
	for _, v := range s.Func.Body {
		switch {
		case v.Op == ir.OpExtent:
			return fmt.Errorf("%%%d is an extent", v.ID)
		case v.Op.Info().Kind == ir.Reduce && v.Op != ir.OpFold:
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

// reduce returns the folds of a reduction.
func (r *reducer) reduce(v *ir.Value) (*ir.Value, error) {
	x, by, d := v.Args[0], v.Op.Info().By, v.Type.DType
	n, err := 1, error(nil)
	for _, a := range v.Attr.Axes {
		e, _ := x.Type.Shape[a].Int()
		n *= e
	}
	switch {
	case len(v.Attr.Axes) == 0:
		return x, nil
	case n == 0 || size(v.Type.Shape) == 0:
		return r.constant(v, ir.EmptyFold(by, d))
	case n == 1:
		return r.f.Add(ir.OpReshape, ir.Attr{Shape: v.Type.Shape}, v.Pos, x)
	}
	if x, err = r.last(v, x, n); err != nil {
		return nil, err
	}
	for {
		if x, err = r.f.Add(ir.OpFold, ir.Attr{By: by}, v.Pos, x); err != nil || n <= ir.FoldChunk {
			break
		}
		n = ir.Chunks(n)
		if x, err = r.cast(x, ir.PartialType(by, d)); err != nil {
			break
		}
		axes := make([]int, len(x.Type.Shape))
		for i := range axes {
			axes[i] = (i + 1) % len(axes)
		}
		if x, err = r.f.Add(ir.OpPermute, ir.Attr{Axes: axes}, v.Pos, x); err != nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}
	return r.cast(x, d)
}

// last views x so that the reduced axes, of n elements together, are one last
// axis.
func (r *reducer) last(v, x *ir.Value, n int) (*ir.Value, error) {
	var axes []int
	for i := range x.Type.Shape {
		if !slices.Contains(v.Attr.Axes, i) {
			axes = append(axes, i)
		}
	}
	along := slices.Sorted(slices.Values(v.Attr.Axes))
	x, err := r.f.Add(ir.OpPermute, ir.Attr{Axes: append(axes, along...)}, v.Pos, x)
	if err != nil {
		return nil, err
	}
	shape := append(v.Type.Shape[:len(v.Type.Shape):len(v.Type.Shape)], ir.Fixed(n))
	return r.f.Add(ir.OpReshape, ir.Attr{Shape: shape}, v.Pos, x)
}

func (r *reducer) cast(x *ir.Value, d ir.DType) (*ir.Value, error) {
	if x.Type.DType == d {
		return x, nil
	}
	return r.f.Add(ir.OpCast, ir.Attr{DType: d}, x.Pos, x)
}

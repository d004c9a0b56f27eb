package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// sliceJoins slices the operands of a concatenation of which other ones alone read slices, no element
// twice: of x.Set(a, v).Set(b, w) the first is not stored and then copied.
//
// Requires: no dead values, because uses are counted; all sizes bound.
// Ensures: nothing.
func sliceJoins(s *State) error {
	if s.noFuse || !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op == ir.OpConcat }) {
		return nil
	}
	j := &joinSlicer{s: s, uses: s.countUses(), sliced: map[*ir.Value]bool{}}
	j.find()
	if len(j.sliced) == 0 {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if v.Op != ir.OpSlice || !j.sliced[v.Args[0]] {
			return v, nil
		}
		begin, _ := v.Attr.Begin.Int()
		n, _ := v.Type.Shape[v.Attr.Axis].Int()
		return j.slice(v, v.Args[0], begin, n)
	})
}

type joinSlicer struct {
	s      *State
	uses   valueMap[int32]
	sliced map[*ir.Value]bool // concatenations of which slices are made of their operands
}

// find finds the concatenations to slice: those of which slices alone are read, and those that are operands
// of one of these alone.
func (j *joinSlicer) find() {
	type reads struct {
		joins, slices int32 // that read a value, the latter for concatenations alone
		elements      int   // that they read
		inSliced      bool  // one of the joins is to be sliced
	}
	of := newValueMap[reads](j.s.Func)
	for _, v := range slices.Backward(j.s.Func.Body) {
		r, n := *of.at(v), *j.uses.at(v)
		once := int(n) <= j.s.machine.RecomputeViews && r.elements <= size(v.Type.Shape)
		switch {
		case v.Op.IsJoin():
			if v.Op == ir.OpConcat && (once && n == r.slices && int(n)*len(v.Args) <= j.s.machine.RecomputeOps || n == 1 && r.inSliced) {
				j.sliced[v] = true
			}
			for _, a := range v.Args {
				r := of.at(a)
				r.joins, r.elements, r.inSliced = r.joins+1, r.elements+size(a.Type.Shape), j.sliced[v]
			}
		case v.Op == ir.OpSlice && once && n == r.joins+r.slices && size(v.Type.Shape) > 0 && (v.Attr.Step == 1 || v.Attr.Axis != v.Args[0].Attr.Axis):
			r := of.at(v.Args[0])
			r.slices, r.elements = r.slices+1, r.elements+size(v.Type.Shape)
		}
	}
}

// slice returns n elements of x along the axis of the slice v, from begin on.
func (j *joinSlicer) slice(v, x *ir.Value, begin, n int) (*ir.Value, error) {
	axis := v.Attr.Axis
	if !j.sliced[x] || x.Attr.Axis == axis && v.Attr.Step != 1 {
		if extent, _ := x.Type.Shape[axis].Int(); begin == 0 && n == extent && v.Attr.Step == 1 {
			return x, nil
		}
		return j.s.Func.Add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(begin), Len: ir.Fixed(n), Step: v.Attr.Step}, v.Pos, x)
	}
	var parts []*ir.Value
	for _, a := range x.Args {
		from, count := begin, n
		if x.Attr.Axis == axis {
			extent, _ := a.Type.Shape[axis].Int()
			from, count = max(0, begin), min(extent, begin+n)-max(0, begin)
			if begin -= extent; count <= 0 {
				continue
			}
		}
		part, err := j.slice(v, a, from, count)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	y, err := j.s.Func.Add(ir.OpConcat, ir.Attr{Axis: x.Attr.Axis}, v.Pos, parts...)
	if err == nil {
		j.sliced[y] = true // it is read as v is
	}
	return y, err
}

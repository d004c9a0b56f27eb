package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// joins decides where the operands of concatenations are stored: each by the loop that
// computes it, in its slice of the result. So what is concatenated is not copied. An
// operand that nothing computes, or that others read too, becomes a copy, which fuse
// puts into the loop that computes the operand if there is one. A concatenation that
// only another one reads has no memory: its operands are slices of the other's slice.
//
// Requires: stage viewed; after results, which says which values have memory of their own,
// and after cse, which would merge copies of one value in two slices.
// Ensures: each operand of a concatenation is stored in its slice, and read by nothing
// else.
func joins(s *State) error {
	if !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op.IsJoin() }) {
		return nil
	}
	j := &joiner{s: s, uses: s.countUses()}
	for _, v := range slices.Backward(slices.Clone(s.Func.Body)) {
		if !v.Op.IsJoin() {
			continue
		}
		own := placement{v, layout.RowMajor(extents(v)...)}
		if p, nested := s.placed[v]; nested {
			own = p
		}
		for i := range v.Args {
			if err := j.operand(v, i, own); err != nil {
				return err
			}
		}
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) { return j.copied(v) })
}

type joiner struct {
	s      *State
	uses   valueMap[int32]
	copies map[joined]placement // of the operands that are to be copied
}

// joined is an operand of a concatenation.
type joined struct {
	v *ir.Value
	i int
}

// operand says where operand i of v is stored, of which v's own elements are at own.
func (j *joiner) operand(v *ir.Value, i int, own placement) error {
	at, err := v.Op.Info().Part(v, i, own.at)
	if err != nil {
		return &ir.Error{Pos: v.Pos, Op: v.Called(), Msg: err.Error()}
	}
	a := v.Args[i]
	if x, l, ok := j.computes(a, at); ok {
		j.s.place(x, placement{own.in, l})
		return nil
	}
	if j.copies == nil {
		j.copies = map[joined]placement{}
	}
	j.copies[joined{v, i}] = placement{own.in, at}
	return nil
}

// computes returns the value whose loop can store a's elements in a slice, and the
// slice in that value's shape, if there is one.
func (j *joiner) computes(a *ir.Value, at layout.Layout) (*ir.Value, layout.Layout, bool) {
	x := computed(a)
	if x == nil || *j.uses.at(x) > 1 || *j.uses.at(a) > 1 || size(a.Type.Shape) == 0 {
		return nil, at, false
	}
	l, ok := at.Reshape(extents(x)...)
	switch k := x.Op.Info().Kind; {
	case !ok || k == ir.Reduce || k == ir.Join && x != a:
		return nil, at, false
	case k == ir.Contract: // it stores contiguous lines
		return x, l, l.Strides[len(l.Strides)-1] == 1
	case k == ir.Scan: // steps have no axes of one element
		return x, l, innermost(l) == 1
	case x.Op.IsElementwise():
		n := nesting{placed: map[*ir.Value]placement{x: {x, l}}, space: new(layout.Space)}
		return x, l, n.takes(x)
	}
	return x, l, true
}

// innermost returns the stride of the last axis of several elements, 1 if there is none.
func innermost(l layout.Layout) int {
	for k := len(l.Shape) - 1; k >= 0; k-- {
		if l.Shape[k] > 1 {
			return l.Strides[k]
		}
	}
	return 1
}

// copied replaces the operands of v that are to be copied.
func (j *joiner) copied(v *ir.Value) (*ir.Value, error) {
	for i, a := range v.Args {
		at, ok := j.copies[joined{v, i}]
		if !ok {
			continue
		}
		c, err := j.s.Func.Add(ir.OpCopy, ir.Attr{Note: "it is stored in the result of a " + v.Op.String() + ", and is no value of that alone"}, v.Pos, a)
		if err != nil {
			return nil, err
		}
		v.Args[i] = c
		j.s.place(c, at)
	}
	return v, nil
}

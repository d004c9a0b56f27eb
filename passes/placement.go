package passes

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Placement: values that are stored in the buffer of another value rather than in one of
// their own. There are two sources. The pass joins places the operands of a concatenation in
// slices of its result. placeProducts places a product where a permuted copy of it would be.
// State.placed holds both, and looper.stored returns the buffer of a value to every step.

// placement is the buffer of another value and the elements of it that a value is stored in.
type placement struct {
	in *ir.Value
	at layout.Layout // of the value's shape
}

// place notes that v is stored in p.
func (s *State) place(v *ir.Value, p placement) {
	if s.placed == nil {
		s.placed = map[*ir.Value]placement{}
	}
	s.placed[v] = p
}

// placeProducts places each product whose only reader is a copy with the axes in another
// order, and the rows contiguous, in the buffer of the copy. The copy then needs no step.
func placeProducts(s *State) {
	if !multiplies(s.Func) {
		return
	}
	uses, copies := s.countUses(), map[*ir.Value]bool{}
	for _, g := range s.groups {
		u := g.values[0]
		if s.placed[u].in != nil || len(g.values) > 1 || u.Op != ir.OpCopy || u.Args[0].Op != ir.OpAccess {
			continue
		}
		a := u.Args[0]
		v := a.Args[0]
		if !v.Op.IsProduct() || s.placed[v].in != nil || *uses.at(v) > 1 || *uses.at(a) > 1 || size(u.Type.Shape) != size(v.Type.Shape) {
			continue
		}
		if strides, ok := permutedStrides(v, *a.Attr.At); ok {
			s.place(v, placement{u, layout.Layout{Shape: extents(v), Strides: strides}})
			copies[u] = true
		}
	}
	s.ledger.remove(copies)
}

// permutedStrides returns the strides along v's axes of a row-major copy of l, which reads
// v's buffer. It reports false unless l permutes v's axes and leaves the last one the last.
func permutedStrides(v *ir.Value, l layout.Layout) (strides []int, ok bool) {
	own, copied := layoutOf(v), layout.RowMajor(l.Shape...)
	for k, n := range own.Shape {
		at := -1
		for j, m := range l.Shape {
			if m == n && l.Strides[j] == own.Strides[k] {
				at = j
			}
		}
		switch {
		case n == 1:
			strides = append(strides, 0)
		case at < 0:
			return nil, false
		default:
			strides = append(strides, copied.Strides[at])
		}
	}
	return strides, l.Offset == 0 && strides[len(strides)-1] == 1
}

// stored returns the buffer that a value is stored in, and the value's layout there, which is in
// memory of a space.
func (l *looper) stored(space *layout.Space, v *ir.Value) (buffer int, at layout.Layout) {
	if p := l.s.placed[v]; p.in != nil {
		return l.of(p.in), p.at
	}
	return l.of(v), layoutIn(space, v)
}

// declare declares the buffer that a value is stored in.
func (l *looper) declare(v *ir.Value) {
	if p := l.s.placed[v]; p.in != nil {
		v = p.in
	}
	l.of(v)
}

package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Pieces pushes operations through padded, rolled, concatenated and sliced values. Each element of such a value is a
// copy, so an operation can read boxes of the original values instead, and the copy is not stored.
//
// An elementwise value whose operands consist of pieces is split into one box for each combination of pieces
// (index-set splitting). Example: a step of a simulation on a torus reads the inside of the array through slices and
// each edge separately, so the rolled arrays are not stored. A concatenation of slices of concatenations takes the
// pieces directly: in x.Set(a, v).Set(b, w), the first result is not stored and copied again. The rewritten value is
// a concatenation, and form.Placement stores its operands in place. File pieces_gain.go decides which rewrites
// pay.
//
// Requires: views are ops; no two values compute the same.
// Ensures: values have the same elements.
func Pieces(s *State) error {
	if s.NoFuse || !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op == ir.OpConcat }) {
		return nil
	}
	p := newPiecer(s)
	if p.find(); len(p.roots) == 0 {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !p.roots[v] || p.inside[v] {
			return v, nil
		}
		return p.open(whole(v))
	})
}

// piecer sorts values into three kinds. A root becomes a concatenation of pieces. A value inside is read only by roots
// and other values inside, and is dissolved into their pieces. Any other value stays, and pieces are boxes of it.
type piecer struct {
	s       *State
	readers map[*ir.Value][]*ir.Value
	results map[*ir.Value]bool
	reads   ValueMap[Reading]         // result of CountReads
	roots   map[*ir.Value]bool        // values to rewrite; a root that is inside is rewritten with the root that reads it
	inside  map[*ir.Value]bool        // values read only by roots and by one another
	leaves  map[*ir.Value]bool        // values that are never inside
	cutsOf  map[*ir.Value]float64     // set by bound
	boxes   map[*ir.Value][]box       // by value: the boxes that roots read
	ends    map[axisOf][]int          // results of cuts
	made    map[*ir.Value][]madePiece // results of part
}

// axisOf is one axis of a value.
type axisOf struct {
	of   *ir.Value
	axis int
}

// madePiece is a box of a value and the new value with its elements.
type madePiece struct {
	box box
	as  *ir.Value
}

// moves reports whether v only copies elements of other values in blocks: it is a slice or a concatenation.
func moves(v *ir.Value) bool { return v.Op == ir.OpSlice || v.Op == ir.OpConcat }

// through looks through slices that are inside. It returns the same elements as a piece of the value below them.
func (p *piecer) through(q piece) piece {
	for q.of.Op == ir.OpSlice && p.inside[q.of] {
		a := q.of.Attr
		begin, _ := a.Begin.Int()
		q = q.with(q.of.Args[0], a.Axis, indexRun{begin, 0, a.Step}.of(q.box[a.Axis]))
	}
	return q
}

// joined returns the pieces of its operands that a piece of a concatenation consists of, in order. It merges adjacent
// pieces that continue each other.
func (p *piecer) joined(q piece) (all []piece) {
	axis, args, begin := q.of.Attr.Axis, q.of.Args, 0
	r := q.box[axis]
	if r.step < 0 {
		args = slices.Clone(args)
		slices.Reverse(args)
		begin, _ = q.of.Type.Shape[axis].Int()
	}
	for _, a := range args {
		n, _ := a.Type.Shape[axis].Int()
		if r.step < 0 {
			begin -= n
		}
		i, j := r.before(begin), r.before(begin+n)
		if i, j = min(i, j), max(i, j); i < j || r.n == 0 && len(all) == 0 {
			part := p.through(q.with(a, axis, indexRun{r.first + i*r.step - begin, j - i, r.step}))
			more := []piece{part}
			if p.inside[part.of] && part.of.Op == ir.OpConcat && part.of.Attr.Axis == axis {
				more = p.joined(part)
			}
			for _, m := range more {
				if last := len(all) - 1; last < 0 || !all[last].extend(axis, m) {
					all = append(all, m)
				}
			}
		}
		if r.step > 0 {
			begin += n
		}
	}
	return all
}

// operands returns the pieces of the operands that a piece of an elementwise value is computed from.
func (p *piecer) operands(q piece) []piece {
	of := make([]piece, len(q.of.Args))
	for i, a := range q.of.Args {
		of[i] = whole(a)
		b := of[i].box
		for k := range b {
			if r := q.box[len(q.box)-len(b)+k]; !a.Type.Shape[k].Is(1) { // otherwise the operand is repeated
				b[k] = r
			}
		}
		of[i] = p.through(of[i])
	}
	return of
}

// cuts returns the indices along an axis of v at which a new segment of some concatenation begins, in ascending
// order. v reads the concatenation through values that are inside.
func (p *piecer) cuts(v *ir.Value, axis int) []int {
	key := axisOf{v, axis}
	at, known := p.ends[key]
	if !known {
		at = p.findCuts(v, axis)
		p.ends[key] = at
	}
	return at
}

// findCuts computes the result of cuts.
func (p *piecer) findCuts(v *ir.Value, axis int) (at []int) {
	n, _ := v.Type.Shape[axis].Int()
	if axis == len(v.Type.Shape)-1 && p.s.IsShort(v, axis) {
		return nil
	}
	along, r, from := moves(v) && v.Attr.Axis == axis, indexRun{0, n, 1}, 0
	if along && v.Op == ir.OpSlice {
		begin, _ := v.Attr.Begin.Int()
		r = indexRun{begin, n, v.Attr.Step}
	}
	for _, a := range v.Args {
		if k := axis - (len(v.Type.Shape) - len(a.Type.Shape)); k >= 0 && p.inside[a] {
			for _, c := range p.cuts(a, k) {
				at = append(at, r.before(from+c))
			}
		}
		if along && v.Op == ir.OpConcat {
			extent, _ := a.Type.Shape[axis].Int()
			from += extent
			at = append(at, from)
		}
	}
	at = slices.DeleteFunc(at, func(c int) bool { return c <= 0 || c >= n })
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > pieceOps {
		return nil // no value is split into so many pieces
	}
	return slices.Clip(at)
}

// divided splits a piece of an elementwise value at the cuts along an axis.
func (p *piecer) divided(q piece, axis int) (all []piece) {
	r := q.box[axis]
	at := []int{0, r.n}
	for _, c := range p.cuts(q.of, axis) {
		at = append(at, r.before(c))
	}
	slices.Sort(at)
	at = slices.Compact(at)
	for i, begin := range at[:len(at)-1] {
		all = append(all, q.with(q.of, axis, indexRun{r.first + begin*r.step, at[i+1] - begin, r.step}))
	}
	return all
}

// part returns a value with the elements of a piece. Equal pieces share one value.
func (p *piecer) part(q piece) (*ir.Value, error) {
	q = p.through(q)
	for _, m := range p.made[q.of] {
		if slices.Equal(m.box, q.box) {
			return m.as, nil
		}
	}
	make := p.slice
	if p.inside[q.of] {
		make = p.open
	}
	w, err := make(q)
	p.made[q.of] = append(p.made[q.of], madePiece{q.box, w})
	return w, err
}

// slice returns the elements of a piece as slices of its value, one axis after the other. Pieces that agree on
// earlier axes share slices.
func (p *piecer) slice(q piece) (*ir.Value, error) {
	for axis, all := range slices.Backward(whole(q.of).box) {
		if r := q.box[axis]; r != all {
			x, err := p.part(q.with(q.of, axis, all))
			if err != nil {
				return nil, err
			}
			return sliced(p.s.Func, x, axis, r)
		}
	}
	return q.of, nil
}

// open returns the elements of a piece of a root or of a value inside. It computes them from pieces of the operands.
func (p *piecer) open(q piece) (*ir.Value, error) {
	if q.of.Op == ir.OpConcat {
		return p.join(q, q.of.Attr.Axis, p.joined(q), p.part)
	}
	for axis := range q.box {
		if parts := p.divided(q, axis); len(parts) > 1 {
			return p.join(q, axis, parts, p.open)
		}
	}
	args := make([]*ir.Value, len(q.of.Args))
	for i, a := range p.operands(q) {
		var err error
		if args[i], err = p.part(a); err != nil {
			return nil, err
		}
	}
	if slices.Equal(args, q.of.Args) {
		return q.of, nil
	}
	w, err := p.s.Func.Add(q.of.Op, *q.of.Attr, q.of.Pos, args...)
	if err == nil && allConst(args) { // for example an op on constant padding
		return simpler(p.s.Func, w)
	}
	return w, err
}

// join returns the concatenation of the values that make returns for several pieces.
func (p *piecer) join(q piece, axis int, of []piece, make func(piece) (*ir.Value, error)) (*ir.Value, error) {
	var parts []*ir.Value
	for _, x := range of {
		part, err := make(x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return p.s.Func.Add(ir.OpConcat, ir.Attr{Axis: axis}, q.of.Pos, parts...)
}

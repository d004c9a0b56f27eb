package rewrite

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// Pieces pushes operations through values in pieces: what is padded, rolled or concatenated, and slices of that. Each element of
// such a value is a copy of one of another value, so an operation can read boxes of those other values, and nothing is copied.
//
// An elementwise value that reads values in pieces is computed box by box (index-set splitting). A step of a simulation on a torus
// then reads the array itself, its inside through slices and each edge separately, and no rolled array is stored. A concatenation of
// slices of others takes their pieces: of x.Set(a, v).Set(b, w) the first is not stored and then copied. Either way the value becomes
// a concatenation, whose operands placement stores in place. File pieces_gain.go decides which values are worth it.
//
// Requires: views are ops; no two values compute the same.
// Ensures: results are the same elements.
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

type piecer struct {
	s       *State
	readers map[*ir.Value][]*ir.Value
	results map[*ir.Value]bool
	reads   ValueMap[Reading]         // what countReads returned
	roots   map[*ir.Value]bool        // values that are rewritten, unless they are inside
	inside  map[*ir.Value]bool        // values that only roots read, by way of one another
	leaves  map[*ir.Value]bool        // values that are never inside
	cutsOf  map[*ir.Value]float64     // what bound noted
	boxes   map[*ir.Value][]box       // the boxes of a value that roots read
	ends    map[axisOf][]int          // what cuts returned
	made    map[*ir.Value][]madePiece // what part returned
}

// axisOf is an axis of a value.
type axisOf struct {
	of   *ir.Value
	axis int
}

// madePiece is a box of a value, and the value that has those elements.
type madePiece struct {
	box box
	as  *ir.Value
}

// moves reports whether the elements of a value are copies of other values' elements, next to one another.
func moves(v *ir.Value) bool { return v.Op == ir.OpSlice || v.Op == ir.OpConcat }

// through returns the same elements of the value that is sliced, if the piece is of a slice that is inside.
func (p *piecer) through(q piece) piece {
	for q.of.Op == ir.OpSlice && p.inside[q.of] {
		a := q.of.Attr
		begin, _ := a.Begin.Int()
		q = q.with(q.of.Args[0], a.Axis, indexRun{begin, 0, a.Step}.of(q.box[a.Axis]))
	}
	return q
}

// joined returns the pieces that a piece of a concatenation consists of, in order. Two that continue each other are one.
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

// operands returns the pieces of the operands of an elementwise value that a piece of it is computed from.
func (p *piecer) operands(q piece) []piece {
	of := make([]piece, len(q.of.Args))
	for i, a := range q.of.Args {
		of[i] = whole(a)
		b := of[i].box
		for k := range b {
			if r := q.box[len(q.box)-len(b)+k]; !a.Type.Shape[k].Is(1) { // else it is repeated
				b[k] = r
			}
		}
		of[i] = p.through(of[i])
	}
	return of
}

// cuts returns the indices along an axis of a value whose elements come from another operand of a concatenation than those
// before, in order.
func (p *piecer) cuts(v *ir.Value, axis int) []int {
	key := axisOf{v, axis}
	at, known := p.ends[key]
	if !known {
		at = p.findCuts(v, axis)
		p.ends[key] = at
	}
	return at
}

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
		return nil // no value is split into so many
	}
	return slices.Clip(at)
}

// divided returns the pieces of an elementwise one between the cuts along an axis.
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

// part returns the value that has the elements of a piece.
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

// slice returns the elements of a piece by slices of its value: by the last of them, of what the others take.
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

// open returns the elements of a piece of a value that is inside, or a root, made of pieces of its operands.
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
	if err == nil && allConst(args) { // as of a constant that is padded
		return simpler(p.s.Func, w)
	}
	return w, err
}

// join returns the concatenation of pieces, each of which make makes.
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

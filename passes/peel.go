package passes

import (
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// peel splits index sets: an elementwise value that reads concatenations is computed in parts, each of which reads one operand
// of every concatenation, so its loop ends where an operand does. A step of a simulation on a torus, which reads
// rolled arrays, so reads the array itself, its inside through slices and each edge apart, and no rolled array is
// stored. The value becomes the concatenation of its parts, which joins stores in place.
//
// A value is split if it is stored anyway or a reduction reads it, which then does so from memory, and if what is not copied any
// more is worth that, the loops and their short rows: small padded images stay, and borders has blocks of them in the cache.
//
// Requires: views are ops; no two values compute the same.
// Ensures: results are the same elements; a value that is split is a concatenation, whose operands read no part of another.
func peel(s *State) error {
	if s.noFuse || !slices.ContainsFunc(s.Func.Body, func(v *ir.Value) bool { return v.Op == ir.OpConcat }) {
		return nil
	}
	p := &peeler{s: s, parts: map[elementsOf]*ir.Value{}}
	p.find()
	if len(p.roots) == 0 {
		return nil
	}
	return s.Rewrite(func(v *ir.Value) (*ir.Value, error) {
		if !p.roots[v] {
			return v, nil
		}
		return p.split(v, 0)
	})
}

type peeler struct {
	s       *State
	readers map[*ir.Value][]*ir.Value
	results map[*ir.Value]bool
	roots   map[*ir.Value]bool       // the values that are split
	inside  map[*ir.Value]bool       // those that roots alone read, by way of one another, and parts of them
	ends    map[axisOf][]int         // what cuts returned
	parts   map[elementsOf]*ir.Value // that are made
}

// axisOf is an axis of a value.
type axisOf struct {
	of   *ir.Value
	axis int
}

// elementsOf is some elements of a value along an axis.
type elementsOf struct {
	of             *ir.Value
	axis, begin, n int
}

// find finds the values to split: of all that may be, those that gain. What one reads that is not split after all is not
// inside, so the others may gain less.
func (p *peeler) find() {
	p.readers, p.results, p.roots = map[*ir.Value][]*ir.Value{}, map[*ir.Value]bool{}, map[*ir.Value]bool{}
	for _, r := range p.s.Func.Results {
		p.results[r] = true
	}
	for _, v := range p.s.Func.Body {
		for _, a := range v.Args {
			p.readers[a] = append(p.readers[a], v)
		}
	}
	for _, v := range p.s.Func.Body {
		if fusible(v) && (p.stored(v) || slices.ContainsFunc(p.readers[v], reduces)) {
			p.roots[v] = true
		}
	}
	for before := 0; len(p.roots) != before; {
		before = len(p.roots)
		p.mark()
		maps.DeleteFunc(p.roots, func(v *ir.Value, _ bool) bool { return !p.gains(v) })
	}
}

// stored reports whether an elementwise value is stored whether it is split or not.
func (p *peeler) stored(v *ir.Value) bool {
	return p.results[v] || slices.ContainsFunc(p.readers[v], func(r *ir.Value) bool { return !fusible(r) && !reduces(r) })
}

func reduces(v *ir.Value) bool { return v.Op == ir.OpReduceChunks }

// mark finds the values inside: elementwise ones that are read, element by element, by such values and roots alone, and
// slices and concatenations for these alone.
func (p *peeler) mark() {
	p.inside, p.ends = map[*ir.Value]bool{}, map[axisOf][]int{}
	for _, v := range slices.Backward(p.s.Func.Body) {
		if !moves(v) && !fusible(v) || len(p.readers[v]) == 0 || p.results[v] {
			continue
		}
		p.inside[v] = !slices.ContainsFunc(p.readers[v], func(r *ir.Value) bool {
			return !p.inside[r] && !p.roots[r] || !moves(v) && !fusible(r)
		})
	}
	for _, v := range p.s.Func.Body { // operands first, so that cuts goes no deeper
		if p.inside[v] || p.roots[v] {
			for axis := range v.Type.Shape {
				p.cuts(v, axis)
			}
		}
	}
}

// moves reports whether a value is elements of others as they are, some of which are next to one another.
func moves(v *ir.Value) bool { return v.Op == ir.OpSlice || v.Op == ir.OpConcat }

// gains reports whether it is worth it to split v.
func (p *peeler) gains(v *ir.Value) bool {
	loops, ops := 1, 0
	var cost, copied int64 // bytes
	for axis := range v.Type.Shape {
		cuts := len(p.cuts(v, axis))
		loops *= cuts + 1
		if n, _ := v.Type.Shape[axis].Int(); axis == len(v.Type.Shape)-1 && cuts > 0 {
			cost = int64(cuts) * int64(size(v.Type.Shape)/n) * int64(p.s.machine.PeelRowBytes)
		}
	}
	if loops == 1 {
		return false
	}
	seen := map[*ir.Value]bool{}
	waiting := []*ir.Value{v}
	spared := 1 // of the loops: v's own, and those that copy
	for len(waiting) > 0 && ops*loops <= p.s.machine.PeelOps {
		x := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if x != v && !p.inside[x] || seen[x] {
			continue
		}
		seen[x] = true
		for _, a := range x.Args {
			if x.Op == ir.OpConcat && p.copied(a) {
				copied += 2 * int64(bytes(a))
				spared++
			}
		}
		ops++
		waiting = append(waiting, x.Args...)
	}
	if !p.stored(v) { // the loop of the reduction stays
		spared--
		cost += int64(p.s.machine.PeelStore) * int64(bytes(v))
	}
	cost += int64(loops-spared) * int64(p.s.machine.SegmentBytes)
	return copied > cost && ops*loops <= p.s.machine.PeelOps
}

// copied reports whether an operand of a concatenation is copied there, and not computed in place.
func (p *peeler) copied(a *ir.Value) bool {
	return a.Op != ir.OpConcat && !(fusible(a) && len(p.readers[a]) == 1)
}

// cuts returns where along an axis the elements of v come from another operand of a concatenation than those before, in
// order.
func (p *peeler) cuts(v *ir.Value, axis int) []int {
	key := axisOf{v, axis}
	at, known := p.ends[key]
	if !known {
		at = p.findCuts(v, axis)
		p.ends[key] = at
	}
	return at
}

func (p *peeler) findCuts(v *ir.Value, axis int) (at []int) {
	n, _ := v.Type.Shape[axis].Int()
	along := moves(v) && v.Attr.Axis == axis
	from := 0 // where the elements of an operand begin
	switch {
	case axis == len(v.Type.Shape)-1 && p.s.isNarrow(v, axis) || v.Op == ir.OpSlice && along && v.Attr.Step != 1:
		return nil
	case v.Op == ir.OpSlice && along:
		begin, _ := v.Attr.Begin.Int()
		from = -begin
	}
	for _, a := range v.Args {
		k := axis - (len(v.Type.Shape) - len(a.Type.Shape))
		if k >= 0 && p.inside[a] {
			for _, c := range p.cuts(a, k) {
				at = append(at, from+c)
			}
		}
		if v.Op == ir.OpConcat && along {
			extent, _ := a.Type.Shape[axis].Int()
			from += extent
			at = append(at, from)
		}
	}
	at = slices.DeleteFunc(at, func(c int) bool { return c <= 0 || c >= n })
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > p.s.machine.PeelOps {
		return nil // which no value is split into
	}
	return slices.Clip(at)
}

// split returns v as the concatenation of its parts along the axes from one on.
func (p *peeler) split(v *ir.Value, axis int) (*ir.Value, error) {
	if axis == len(v.Type.Shape) {
		return v, nil
	}
	n, _ := v.Type.Shape[axis].Int()
	cuts := append(p.cuts(v, axis), n)
	if len(cuts) == 1 {
		return p.split(v, axis+1)
	}
	var parts []*ir.Value
	begin := 0
	for _, end := range cuts {
		part, err := p.part(v, axis, begin, end-begin)
		if err == nil {
			part, err = p.split(part, axis+1)
		}
		if err != nil {
			return nil, err
		}
		parts, begin = append(parts, part), end
	}
	return p.s.Func.Add(ir.OpConcat, ir.Attr{Axis: axis}, v.Pos, parts...)
}

// part returns n elements of v along an axis, from begin on: made of those of v's operands if v is inside.
func (p *peeler) part(v *ir.Value, axis, begin, n int) (*ir.Value, error) {
	if extent, _ := v.Type.Shape[axis].Int(); begin == 0 && n == extent {
		return v, nil
	}
	key := elementsOf{v, axis, begin, n}
	w := p.parts[key]
	if w != nil {
		return w, nil
	}
	var err error
	switch {
	case !p.inside[v] && !p.roots[v] || v.Op == ir.OpSlice && v.Attr.Axis == axis && v.Attr.Step != 1:
		w, err = p.s.Func.Add(ir.OpSlice, ir.Attr{Axis: axis, Begin: ir.Fixed(begin), Len: ir.Fixed(n), Step: 1}, v.Pos, v)
	case v.Op == ir.OpConcat && v.Attr.Axis == axis:
		w, err = p.joined(v, begin, n)
	case v.Op == ir.OpSlice && v.Attr.Axis == axis:
		first, _ := v.Attr.Begin.Int()
		w, err = p.part(v.Args[0], axis, first+begin, n)
	default:
		w, err = p.again(v, axis, begin, n)
	}
	if err != nil {
		return nil, err
	}
	p.parts[key] = w
	return w, nil
}

// joined returns such elements of a concatenation along that axis.
func (p *peeler) joined(v *ir.Value, begin, n int) (*ir.Value, error) {
	var parts []*ir.Value
	for _, a := range v.Args {
		extent, _ := a.Type.Shape[v.Attr.Axis].Int()
		if from, end := max(0, begin), min(extent, begin+n); from < end {
			part, err := p.part(a, v.Attr.Axis, from, end-from)
			if err != nil {
				return nil, err
			}
			parts = append(parts, part)
		}
		begin -= extent
	}
	if len(parts) == 1 {
		return parts[0], nil
	}
	return p.add(v, parts)
}

// again returns the op of v on such elements of its operands.
func (p *peeler) again(v *ir.Value, axis, begin, n int) (*ir.Value, error) {
	args := slices.Clone(v.Args)
	for i, a := range args {
		k := axis - (len(v.Type.Shape) - len(a.Type.Shape))
		if k < 0 || a.Type.Shape[k].Is(1) { // it is repeated
			continue
		}
		var err error
		if args[i], err = p.part(a, k, begin, n); err != nil {
			return nil, err
		}
	}
	return p.add(v, args)
}

// add appends the op of v on other operands, which is inside as v is: on constants, as of what is padded, their constant.
func (p *peeler) add(v *ir.Value, args []*ir.Value) (*ir.Value, error) {
	w, err := p.s.Func.Add(v.Op, *v.Attr, v.Pos, args...)
	if err != nil {
		return nil, err
	}
	if v.Op.IsElementwise() && allConst(args) {
		return simpler(p.s.Func, w)
	}
	p.inside[w] = true
	return w, nil
}

package rewrite

import (
	"maps"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// This file decides which values Pieces rewrites: those for which the bytes of saved copies exceed the cost of
// additional loops, short rows and recomputed ops.
//
// The saving depends on the readers. If a padded value is elementwise, it can be computed into its padding,
// recomputed for each box that reads it, or stored once for all boxes. Storing it once saves nothing.

// newPiecer returns a piecer whose roots are all candidates: concatenations, and elementwise values that are reduced
// or stored in any case.
func newPiecer(s *State) *piecer {
	p := &piecer{s: s, reads: s.CountReads(), roots: map[*ir.Value]bool{}, leaves: map[*ir.Value]bool{}, made: map[*ir.Value][]madePiece{}}
	p.readers, p.results = ReadersOf(s.Func)
	for _, v := range s.Func.Body {
		if Size(v.Type.Shape) > 0 && (v.Op == ir.OpConcat || fusible(v) && (p.stored(v) || slices.ContainsFunc(p.readers[v], reduces))) {
			p.roots[v] = true
		}
	}
	p.bound()
	return p
}

// stored reports whether an elementwise value is stored even if it is not rewritten.
func (p *piecer) stored(v *ir.Value) bool {
	return p.results[v] || slices.ContainsFunc(p.readers[v], func(r *ir.Value) bool { return !fusible(r) && !reduces(r) })
}

func reduces(v *ir.Value) bool { return v.Op == ir.OpReduceChunks }

// mostPieces bounds the boxes that are read of one value, so that the time for a chain of concatenations is linear in
// its length.
const mostPieces = 512

// bound estimates the number of cuts of each value, assuming that all concatenations are inside. A value with too many
// cuts becomes a leaf.
func (p *piecer) bound() {
	p.cutsOf = map[*ir.Value]float64{}
	for _, v := range p.s.Func.Body {
		n := 0.0
		for i, a := range v.Args {
			switch {
			case v.Op == ir.OpConcat:
				n += p.cutsOf[a] + float64(min(i, 1))
			case v.Op == ir.OpSlice:
				n = p.cutsOf[a] * float64(Size(v.Type.Shape)) / float64(max(1, Size(a.Type.Shape)))
			case fusible(v):
				n = max(n, p.cutsOf[a])
			}
		}
		if n > mostPieces || p.isMoved(v) && n > float64(AgainReaders) {
			p.leaves[v], n = true, 0
		}
		p.cutsOf[v] = n
	}
}

// isMoved reports whether v is elementwise and read by a slice or a concatenation.
func (p *piecer) isMoved(v *ir.Value) bool {
	return fusible(v) && slices.ContainsFunc(p.readers[v], moves)
}

// find drops roots that gain nothing, until all of them gain. Values below a dropped root are no longer inside, so
// other roots may gain less.
func (p *piecer) find() {
	for n := -1; n != len(p.roots); {
		n = len(p.roots)
		p.mark()
		maps.DeleteFunc(p.roots, func(v *ir.Value, _ bool) bool { return !p.inside[v] && !p.gains(v) })
	}
}

// mark sets inside and boxes. A slice, concatenation or elementwise value is inside if only roots and values inside
// read it. Readers come first.
func (p *piecer) mark() {
	p.inside, p.ends, p.boxes = map[*ir.Value]bool{}, map[axisOf][]int{}, map[*ir.Value][]box{}
	for _, v := range slices.Backward(p.s.Func.Body) {
		if p.inside[v] = p.isInside(v); p.inside[v] {
			for _, b := range p.boxes[v] {
				p.reach(piece{v, b})
			}
		} else if p.roots[v] {
			p.reach(whole(v))
		}
	}
	for _, v := range p.s.Func.Body { // operands first, so that cuts does not recurse
		if p.inside[v] || p.roots[v] {
			for axis := range v.Type.Shape {
				p.cuts(v, axis)
			}
		}
	}
}

// isInside reports whether a value is inside; inside and boxes are known for all readers. If slices or concatenations
// read an elementwise value, it is inside only if recomputing it for each box costs no more than storing it and does
// not split it.
func (p *piecer) isInside(v *ir.Value) bool {
	switch {
	case !moves(v) && !fusible(v), p.results[v], p.leaves[v], len(p.readers[v]) == 0, len(p.boxes[v]) > mostPieces:
		return false
	case slices.ContainsFunc(p.readers[v], func(r *ir.Value) bool { return !p.inside[r] && !p.roots[r] }):
		return false
	}
	return !p.isMoved(v) || p.again(v, p.times(v)) <= 1 && (p.times(v) <= 1 || p.cutsOf[v] == 0)
}

// reach adds the boxes of other values that a piece consists of.
func (p *piecer) reach(q piece) {
	var of []piece
	switch q.of.Op {
	case ir.OpConcat:
		of = p.joined(q)
	case ir.OpSlice:
		of = []piece{p.through(q)}
	default:
		of = p.operands(q)
	}
	for _, x := range of {
		boxes := p.boxes[x.of]
		if len(boxes) <= mostPieces && !slices.ContainsFunc(boxes, func(b box) bool { return slices.Equal(b, x.box) }) {
			p.boxes[x.of] = append(boxes, x.box)
		}
	}
}

// times returns how often the boxes contain each element of a value, on average.
func (p *piecer) times(v *ir.Value) float64 {
	n := 0
	for _, b := range p.boxes[v] {
		n += piece{v, b}.size()
	}
	return float64(n) / float64(max(1, Size(v.Type.Shape)))
}

// again returns the additional cost of computing an elementwise value as often as times says, not once. The unit is
// the cost of storing the value and loading it again.
func (p *piecer) again(v *ir.Value, times float64) float64 {
	ops, cost := 0, 0.0
	p.measure(v, &ops, &cost)
	if ops > AgainOps {
		return math.Inf(1)
	}
	return cost * max(0, times-1) / AgainWork
}

// measure adds up the number and the cost of the ops that compute a value. It stops above AgainOps.
func (p *piecer) measure(v *ir.Value, ops *int, cost *float64) {
	if !v.Op.IsView() && !fusible(v) || *ops > AgainOps {
		return
	}
	*ops++
	*cost += v.Op.Info().Cost
	for _, a := range v.Args {
		p.measure(a, ops, cost)
	}
}

// grid returns the number of loops that compute a piece, and the number of additional short rows that cuts along the
// last axis make.
func (p *piecer) grid(q piece) (loops, rows int) {
	switch {
	case !p.inside[q.of] && !p.roots[q.of] || moves(q.of) && q.of.Op != ir.OpConcat:
		return 1, 0
	case q.of.Op == ir.OpConcat:
		for _, x := range p.joined(q) {
			l, r := 1, 0
			if p.inside[x.of] {
				l, r = p.grid(x)
			}
			loops, rows = loops+l, rows+r
		}
		return loops, rows
	}
	loops = 1
	for axis, r := range q.box {
		n := len(p.divided(q, axis))
		if loops *= n; axis == len(q.box)-1 && n > 1 {
			rows = (n - 1) * (q.size() / r.n)
		}
	}
	return loops, rows
}

// gains reports whether rewriting a root pays.
func (p *piecer) gains(v *ir.Value) bool {
	loops, rows := p.grid(whole(v))
	ops, spared, saved := 1, 0, 0.0 // spared loops copy, or compute a value no longer stored; saved is in bytes
	seen := map[*ir.Value]bool{}
	waiting := []*ir.Value{v}
	for len(waiting) > 0 && ops*loops <= pieceOps {
		x := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if x != v && !p.inside[x] || seen[x] {
			continue
		}
		seen[x] = true
		if x.Op == ir.OpConcat && p.hasMemory(x) {
			for _, a := range x.Args {
				if s := p.saves(a); s > 0 {
					spared, saved = spared+1, saved+s
				}
			}
		}
		if v.Op != ir.OpConcat { // each piece computes it
			ops++
		}
		waiting = append(waiting, x.Args...)
	}
	spared++ // the root's own loop
	if v.Op == ir.OpConcat {
		spared += len(v.Args) - 1
	}
	cost := 0
	if !p.s.Eager {
		cost = rows * shortRowBytes
	}
	if v.Op != ir.OpConcat && !p.stored(v) { // the reduction keeps its loop
		spared--
		cost += 2 * Bytes(v) // the root is written and read
	}
	cost += (loops - spared) * LoopBytes
	return saved > float64(max(0, cost)) && ops*loops <= pieceOps
}

// hasMemory reports whether a concatenation would be stored if nothing were rewritten: it is inside, and no root
// stores it in place.
func (p *piecer) hasMemory(v *ir.Value) bool {
	for r := p.readers[v]; len(r) == 1 && r[0].Op == ir.OpConcat; r = p.readers[v] {
		v = r[0]
	}
	return p.inside[v]
}

// saves returns the bytes that need not be moved if operand a is not stored in its concatenation.
func (p *piecer) saves(a *ir.Value) float64 {
	x := a
	for x.Op.IsView() {
		x = x.Args[0]
	}
	all := 2 * float64(Bytes(a))
	before := p.reads.At(x).Elements / float64(max(1, Size(x.Type.Shape))) // how often it would be computed otherwise
	switch {
	case a.Op == ir.OpConcat: // its operands are stored in place
		return 0
	case fusible(x) && p.inside[x]:
		return all * max(0, 1-p.again(x, 1+p.times(x)-max(1, before)))
	case fusible(x) && !p.roots[x] && p.again(x, before) <= 1: // stored in either case
		return 0
	case Alone(x) && x == a && len(p.readers[x]) == 1: // stored in either case
		return 0
	}
	return all
}

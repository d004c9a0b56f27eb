package passes

import (
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Whether a step joins a row group. Input: the group and a step. Output: the group with the
// step in it, its outer axes split, or that it can't be.

// join adds step j to the group, if its loop nest has the rows for outer axes
// and it reads of the group's buffers its own rows only.
func (r *grouper) join(g *rowGroup, j int) bool {
	switch s := &r.p.Steps[j]; {
	case s.OnLines():
		return false // its operands have lines of other lengths
	case slices.ContainsFunc(s.Out, func(o plan.Output) bool { return r.uses.shared(o.Buffer) }):
		return false // others write of the same rows
	case r.acrossRows(s) && (s.Scans() || s.Axes[len(s.Axes)-2].Extent < r.s.machine.MinColumns):
		return false // each of its blocks has all rows
	case s.Contracts() && readsWindows(s):
		return false // it packs what it reads for several rows at once
	case s.Contracts() && (g.rows < r.s.machine.LeastProductRows || pairsOfBatch(s) < r.s.machine.LeastProduct):
		return false
	}
	outer, ok := r.space.outerAxes(&r.p.Steps[j], g.outer, g.rows)
	if !ok {
		return false
	}
	next := *g
	next.steps = append(g.steps, j)
	if !slices.Equal(outer, g.outer) { // the others are split anew
		next.outer, next.made, next.split, next.along = slices.Clone(outer), nil, nil, nil
	}
	for _, k := range next.steps[len(next.split):] {
		s, along, ok := r.space.splitRows(&r.p.Steps[k], next.outer, g.rows)
		if !ok || !next.local(r.p, &s, along) {
			return false
		}
		next.split, next.along = append(next.split, s), append(next.along, along)
	}
	*g = next
	return true
}

// local reports whether a step reads and writes of the group's buffers, for each
// row, the elements of that row alone, and notes what it writes: the distance
// from a row to the next.
func (g *rowGroup) local(p *plan.Plan, s *plan.Step, along int) bool {
	for o, out := range s.Out {
		row := g.row(out.Buffer)
		if row == 0 {
			row = max(out.Strides[along], 1)
			g.made = append(g.made, madeRows{out.Buffer, row})
		}
		if !g.rowOnly(&p.Buffers[out.Buffer], s.OutExtents(o), out.Access, along, row) {
			return false
		}
	}
	for _, a := range s.In {
		if row := g.row(a.Buffer); row > 0 && !g.rowOnly(&p.Buffers[a.Buffer], s.Extents(), a, along, row) {
			return false
		}
	}
	return true
}

// rowOnly reports whether an access touches, for each row, elements of that row
// alone, the rows being that far apart: next to each other if a row is more than
// one element and they are 1 apart, as the chunks of a reduction are.
func (g *rowGroup) rowOnly(b *plan.Buffer, extents []int, a plan.Access, along, row int) bool {
	outer := layout.RowMajor(g.outer...).Strides
	inner := layout.Layout{Offset: a.Offset}
	lead := len(outer) - 1
	for k, n := range extents {
		want := 0
		switch {
		case k < lead:
			want = outer[k] * row
		case k == along:
			want = row
		default:
			if n > 1 {
				inner.Shape, inner.Strides = append(inner.Shape, n), append(inner.Strides, a.Strides[k])
			}
			continue
		}
		if n > 1 && a.Strides[k] != want {
			return false
		}
	}
	lo, hi := inner.Bounds()
	if width := b.Size() / g.rows; row == 1 && width > 1 { // chunk after chunk
		return lo >= 0 && hi < b.Size() && !slices.ContainsFunc(append(inner.Strides, lo), func(n int) bool { return n%g.rows != 0 })
	}
	return lo >= 0 && hi < row
}

// pairsOfBatch returns how many pairs the elements of one product of a batch have together. Without a batch it is as good as many.
func pairsOfBatch(s *plan.Step) int {
	first := s.Product().Pairs
	if first == 0 {
		return math.MaxInt
	}
	n := 1
	for _, a := range s.Axes[first:] {
		n *= a.Extent
	}
	return n
}

package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/plan"
)

// apply puts the steps of a group together, in the place of the first, and
// makes the buffers that no other step touches scratch. It returns the last one's number.
func (r *grouper) apply(g *rowGroup) (last int) {
	begin, end := g.steps[0], slices.Max(slices.Concat(g.steps, g.before))+1
	order := slices.Concat(g.before, g.steps) // of the steps from begin to end
	for i := begin; i < end; i++ {
		if !slices.Contains(g.before, i) && !slices.Contains(g.steps, i) {
			order = append(order, i)
		}
	}
	steps, from := pick(r.p.Steps, order), pick(r.from, order)
	first := begin + len(g.before)
	copy(r.p.Steps[begin:], steps)
	copy(r.from[begin:], from)
	copy(r.p.Steps[first:], g.split)
	group := plan.RowGroup{First: first, Last: first + len(g.steps) - 1, Outer: slices.Clone(g.outer), Along: slices.Clone(g.along)}
	group.Block = r.blockOf(g)
	r.scratch(g, &group)
	r.p.Rows = append(r.p.Rows, group)
	return group.Last
}

// renumber returns the new number of each step.
func (r *grouper) renumber() {
	place := make([]int, len(r.from))
	for i, k := range r.from {
		place[k] = i
	}
	for at, i := range r.s.step.list {
		if i > 0 {
			r.s.step.list[at] = int32(1 + place[i-1])
		}
	}
}

// scratch makes the temporaries that only the group touches one block of rows.
func (r *grouper) scratch(g *rowGroup, group *plan.RowGroup) {
	steps := r.p.Steps[group.First : group.Last+1]
	if r.touched == nil {
		r.touched, r.kept = map[int]int{}, map[int]bool{}
	}
	touched, kept := r.touched, r.kept
	clear(touched)
	clear(kept)
	for i := range steps {
		for _, b := range buffersOf(&steps[i]) {
			touched[b]++
		}
	}
	for _, made := range g.made {
		buffer := &r.p.Buffers[made.buffer]
		if buffer.Kind != plan.TempBuffer || touched[made.buffer] != r.uses.count(made.buffer) {
			continue
		}
		width := buffer.Size() / g.rows
		chunked := made.row == 1 && width > 1
		buffer.Kind, buffer.Shape = plan.ScratchBuffer, []int{group.Block, width}
		if chunked {
			buffer.Shape = []int{width, group.Block}
		}
		kept[made.buffer] = chunked
	}
	for i := range steps {
		own := func(a *plan.Access) {
			if chunked, ok := kept[a.Buffer]; ok {
				g.ofBlock(a, group, group.Along[i], chunked)
			}
		}
		for a := range steps[i].Accesses() {
			own(a)
		}
	}
}

// ofBlock has an access read or write a scratch buffer, for a block of rows.
func (g *rowGroup) ofBlock(a *plan.Access, group *plan.RowGroup, along int, chunked bool) {
	lead := len(g.outer) - 1
	a.Strides = slices.Clone(a.Strides)
	clear(a.Strides[:lead])
	if !chunked {
		return
	}
	a.Offset = a.Offset / g.rows * group.Block
	for k := lead; k < len(a.Strides); k++ {
		if k != along {
			a.Strides[k] = a.Strides[k] / g.rows * group.Block
		}
	}
}

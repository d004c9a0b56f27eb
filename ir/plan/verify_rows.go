package plan

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// maxScratch is the greatest size of a row group's scratch in bytes.
const maxScratch = 1 << 30

// rowGroups checks each row group, and records the group of each step.
func (v *planVerifier) rowGroups() {
	v.group = make([]*RowGroup, len(v.p.Steps))
	next := 0
	for k := range v.p.Rows {
		g := &v.p.Rows[k]
		switch n, err := layout.NumElems(g.Outer); {
		case g.First < next || g.Last < g.First || g.Last >= len(v.p.Steps):
			v.fail(rowGroup(k), "the steps are not behind those of the group before, in the plan")
			return
		case len(g.Along) != g.Last-g.First+1:
			v.fail(rowGroup(k), "%d axes for %d steps", len(g.Along), g.Last-g.First+1)
			return
		case g.Scratch < 0 || g.Scratch > maxScratch:
			v.fail(rowGroup(k), "the scratch is %d bytes: at most %d", g.Scratch, maxScratch)
			return
		case err != nil || len(g.Outer) == 0 || n == 0 || g.Block < 1 || g.Block > g.Outer[len(g.Outer)-1]:
			v.fail(rowGroup(k), "no rows, or no block of them")
			return
		}
		for i := g.First; i <= g.Last; i++ {
			v.group[i] = g
		}
		next = g.Last + 1
	}
}

// oneBlock returns step i, restricted to one block of rows if it is in a group.
func (v *planVerifier) oneBlock(i int) *Step {
	if g := v.group[i]; g != nil {
		return g.OneBlock(&v.p.Steps[i], i)
	}
	return &v.p.Steps[i]
}

// scratch returns the error text for the use of a scratch buffer in step i, or "".
func (v *planVerifier) scratch(i int, a Access) string {
	b, g := &v.p.Buffers[a.Buffer], v.group[i]
	switch first := v.first[a.Buffer]; {
	case b.Kind != ScratchBuffer:
		return ""
	case g == nil:
		return "a scratch buffer in a step of no row group"
	case first != never && v.group[first] != g:
		return "a scratch buffer of another row group"
	case v.placed && b.Offset+b.Size()*b.DType.Size() > g.Scratch:
		return "it ends behind the scratch of the row group"
	case slices.ContainsFunc(a.Strides[:len(g.Outer)-1], func(s int) bool { return s != 0 }):
		return "a scratch buffer moves along the outer axes, but it holds one block"
	}
	return ""
}

// ownRows checks values that steps of a group pass on through whole buffers: each row's elements must be made by that row, in the same
// block.
func (v *planVerifier) ownRows(i, k int, a Access, extents []int) {
	g := v.group[i]
	for _, made := range v.parts[a.Buffer] {
		if g != nil && v.group[made.step] == g && made.step != i {
			v.ownRowsOf(i, k, a, extents, made.step)
		}
	}
}

func (v *planVerifier) ownRowsOf(i, k int, a Access, extents []int, made int) {
	g, s := v.group[i], &v.p.Steps[made]
	for o, out := range s.Out {
		if out.Buffer != a.Buffer {
			continue
		}
		row := g.rowStep(made, out.Access)
		scratch := v.p.Buffers[a.Buffer].Kind == ScratchBuffer
		if !g.inRow(made, out.Access, s.OutExtents(o), row, scratch) || !g.inRow(i, a, extents, row, scratch) {
			v.fail(step(i).in(k), "input %s: it is made in the same row group, and not row by row", a)
		}
	}
}

// rowStep returns the distance of successive rows in an access, or 0 if there is one row.
func (g *RowGroup) rowStep(i int, a Access) int {
	axes := append([]int{}, a.Strides[:len(g.Outer)-1]...)
	axes = append(axes, a.Strides[g.Along[i-g.First]])
	for k := len(axes) - 1; k >= 0; k-- {
		if g.Outer[k] > 1 {
			return axes[k]
		}
	}
	return 0
}

// inRow reports whether an access of step i only touches elements of its own row. Element e of a buffer belongs to row e/row, modulo
// the number of rows.
func (g *RowGroup) inRow(i int, a Access, extents []int, row int, scratch bool) bool {
	lead, along := len(g.Outer)-1, g.Along[i-g.First]
	rows := layout.RowMajor(g.Outer...)
	all := rows.Size()
	if scratch {
		all = g.Block
	}
	if all == 1 {
		return true
	}
	all, ok := layout.MulInt(all, row)
	if row < 1 || !ok {
		return false
	}
	lo := a.Offset % all
	hi := lo
	for k, n := range extents {
		want := -1
		switch {
		case k < lead && !scratch:
			want = rows.Strides[k] * row
		case k < lead:
			want = 0
		case k == along:
			want = row
		}
		switch stride := a.Strides[k]; {
		case n == 1 || stride == want:
		case want >= 0:
			return false
		case stride%all == 0:
		case stride < 0:
			lo = layout.Advance(lo, n-1, stride)
		default:
			hi = layout.Advance(hi, n-1, stride)
		}
	}
	return lo >= 0 && hi < row
}

package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// The stages of interleave groups. One transpose deinterleaves all members of inputs into tiles, or interleaves tiles of
// outputs, by whole vectors.

// findStagedGroups finds groups among the operands that are copied in, or out, along the columns. Several rows of a tile are
// one line if they are whole and follow one another in the buffer.
func (e *elemWriter) findStagedGroups() {
	rows, cols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	if e.joined || rows > 1 && e.tileCols < cols {
		return
	}
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxFactor || e.stages[i] != packed && e.stages[i] != scattered || e.groupOf(i) != nil {
			continue
		}
		if rows > 1 && (e.ops[i].row != n*cols || e.stages[i] != packed) {
			continue
		}
		if _, ok := e.t.lib.Engine(transposeKernel(e.ops[i].dtype).Signature()); !ok {
			continue
		}
		if ops, count := e.members(i, 0, n); count == n {
			e.groups = append(e.groups, &interleaveGroup{ops: ops, tile: view{slot: -1}, line: e.tileRows*e.tileCols + cacheLine/e.ops[i].size()})
		}
	}
}

// memberTile returns local memory for a tile of one member. All members are in one slot.
func (e *elemWriter) memberTile(g *interleaveGroup, i, from int) view {
	if g.tile.slot < 0 {
		g.tile = e.tileView(i, len(g.ops)*g.line, e.tileCols, from)
	}
	v := g.tile
	v.offset += slices.Index(g.ops, i) * g.line
	return v
}

// deinterleave returns the call that copies the members of inputs to local memory, and notes where they are then.
func (e *elemWriter) deinterleave(g *interleaveGroup, w *walk) nest.Item {
	first := g.ops[0]
	to := e.memberTile(g, first, w.depth())
	args := []nest.Arg{w.arg(&e.at[first], e.col), w.arg(&to, e.row)}
	args[1].Step = g.line
	for _, i := range g.ops {
		e.at[i] = e.memberTile(g, i, w.depth())
	}
	cols := w.size[e.col]
	if e.step.Axes[e.row].Extent > 1 {
		cols = times(w.size[e.row], e.tileCols)
	}
	return call(transposeKernel(e.ops[first].dtype), nest.Fixed(len(g.ops)), cols, args, nest.Fixed(e.ops[first].size()))
}

// interleave returns the call that copies the members of outputs from local memory.
func (e *elemWriter) interleave(g *interleaveGroup, w *walk) nest.Item {
	first := g.ops[0]
	to := viewOf(first, e.access(first))
	args := []nest.Arg{w.arg(&e.at[first], e.row), w.arg(&to, e.col)}
	args[0].Step = g.line
	return call(transposeKernel(e.ops[first].dtype), w.size[e.col], nest.Fixed(len(g.ops)), args, nest.Fixed(e.ops[first].size()))
}

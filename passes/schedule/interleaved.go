package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Operands that are lines of one buffer, such as the parts of complex numbers: the elements of
// two to four operands alternate there. One transpose takes all lines of inputs apart into tiles,
// or puts tiles of outputs together, by whole vectors; each operand on its own would read every
// cache line of the buffer, and outputs would be stored element by element.

// interleaved is operands of a step whose elements alternate, in their order.
type interleaved struct {
	ops  []int
	tile view // of the first line; slot -1 as long as there is none
	line int  // elements from one line of the tile to the next
}

// findInterleaved finds them among the operands that are copied in, or out, along the columns.
// Several rows of a tile are one line if they are whole and follow one another in the buffer.
func (e *elemWriter) findInterleaved() {
	rows, cols := e.step.Axes[e.row].Extent, e.step.Axes[e.col].Extent
	if e.joined || rows > 1 && e.tileCols < cols {
		return
	}
	for i := range e.ops {
		n := e.ops[i].col
		if n < 2 || n > kernel.MaxChannels || e.stages[i] != packed && e.stages[i] != scattered || e.linesOf(i) != nil {
			continue
		}
		if rows > 1 && (e.ops[i].row != n*cols || e.stages[i] != packed) {
			continue
		}
		if _, ok := e.t.lib.Engine(transposeKernel(e.ops[i].dtype).Signature()); !ok {
			continue
		}
		if g := e.linesFrom(i, n); g != nil {
			e.lines = append(e.lines, g)
		}
	}
}

// linesFrom returns the n lines of which operand i is the first, or nil.
func (e *elemWriter) linesFrom(i, n int) *interleaved {
	g := &interleaved{ops: []int{i}, tile: view{slot: -1}, line: e.tileRows*e.tileCols + cacheLine/e.ops[i].size()}
	first := e.access(i)
	for len(g.ops) < n {
		next := 0
		for ; next < len(e.ops); next++ {
			a := e.access(next)
			if e.stages[next] == e.stages[i] && e.ops[next] == e.ops[i] && a.Offset == first.Offset+len(g.ops) && sameButOffset(a, first) {
				break
			}
		}
		if next == len(e.ops) {
			return nil
		}
		g.ops = append(g.ops, next)
	}
	return g
}

// sameButOffset reports whether two accesses differ in their offsets at most.
func sameButOffset(a, b *plan.Access) bool {
	return a.Buffer == b.Buffer && slices.Equal(a.Strides, b.Strides)
}

// access returns where an operand of the step is.
func (e *elemWriter) access(i int) *plan.Access {
	if in := len(e.step.In); i >= in {
		return &e.step.Out[i-in].Access
	}
	return &e.step.In[i]
}

// linesOf returns the lines of which an operand is one, or nil.
func (e *elemWriter) linesOf(i int) *interleaved {
	for _, g := range e.lines {
		if slices.Contains(g.ops, i) {
			return g
		}
	}
	return nil
}

// lineTile returns local memory for a tile of one of the lines. All are in one slot.
func (e *elemWriter) lineTile(g *interleaved, i, from int) view {
	if g.tile.slot < 0 {
		g.tile = e.tileView(i, len(g.ops)*g.line, e.tileCols, from)
	}
	v := g.tile
	v.offset += slices.Index(g.ops, i) * g.line
	return v
}

// takeApart returns the call that copies the lines to local memory, and notes where they are then.
func (e *elemWriter) takeApart(g *interleaved, w *walk) nest.Item {
	first := g.ops[0]
	to := e.lineTile(g, first, w.depth())
	args := []nest.Arg{w.arg(&e.at[first], e.col), w.arg(&to, e.row)}
	args[1].Step = g.line
	for _, i := range g.ops {
		e.at[i] = e.lineTile(g, i, w.depth())
	}
	return call(transposeKernel(e.ops[first].dtype), nest.Fixed(len(g.ops)), e.lineOf(w), args, nest.Fixed(e.ops[first].size()))
}

// lineOf returns how many elements of each line a tile has.
func (e *elemWriter) lineOf(w *walk) nest.Size {
	if e.step.Axes[e.row].Extent == 1 {
		return w.size[e.col]
	}
	return times(w.size[e.row], e.tileCols)
}

// putTogether returns the call that copies the lines of outputs from local memory.
func (e *elemWriter) putTogether(g *interleaved, w *walk) nest.Item {
	first := g.ops[0]
	to := viewOf(first, e.access(first))
	args := []nest.Arg{w.arg(&e.at[first], e.row), w.arg(&to, e.col)}
	args[0].Step = g.line
	return call(transposeKernel(e.ops[first].dtype), w.size[e.col], nest.Fixed(len(g.ops)), args, nest.Fixed(e.ops[first].size()))
}

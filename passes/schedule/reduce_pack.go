package schedule

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// packer copies operands of a row reduction that are not contiguous along the columns
// into local memory, whole rows at a time. One that is the same for all rows, or is
// transposed, is copied once for a block; the others in tiles of some rows.
type packer struct {
	*target
	d        *Draft
	s        *plan.Step
	row, col int
	rows     int // of a tile
	copies   []copied
}

// copied is an operand that is copied.
type copied struct {
	from, to view
	op       operand
	once     bool // for a block
}

// lay gives the operands that are copied their places, and returns where a call finds
// each.
func (p *packer) lay(block *walk, ops []operand) []view {
	cols := p.s.Axes[p.col].Extent
	p.rows = p.tileRows(block, ops)
	ins := make([]view, len(ops))
	for i, op := range ops {
		from := viewOf(i, &p.s.In[i])
		if ins[i] = from; op.class <= splat {
			continue
		}
		to := view{strides: make([]int, len(p.s.Axes)), from: block.depth()}
		rows, line := p.rows, cols
		c := copied{from: from, op: op}
		switch {
		case op.row == 0:
			rows, line, c.once = 1, 0, true
		case p.turns(&op):
			rows, c.once = block.most[p.row], true
			line = ((cols*op.size()+cacheLine-1)&^(cacheLine-1) + cacheLine) / op.size()
		case block.most[p.row] > p.rows:
			to.from++ // one tile at a time
		}
		to.slot = p.d.scratch(op.dtype, rows*max(line, cols))
		to.strides[p.row], to.strides[p.col] = line, 1
		c.to, ins[i] = to, to
		p.copies = append(p.copies, c)
	}
	return ins
}

// turns reports whether an operand is transposed for a whole block.
func (p *packer) turns(op *operand) bool {
	return op.class == transposed && p.s.Axes[p.col].Extent >= p.TransposedCols
}

// tileRows returns how many rows a tile has: those of a block if nothing is copied tile
// by tile.
func (p *packer) tileRows(block *walk, ops []operand) int {
	cols, widest, least := p.s.Axes[p.col].Extent, 0, 1
	for _, op := range ops {
		if op.class <= splat || op.row == 0 || p.turns(&op) {
			continue
		}
		widest = max(widest, op.size())
		if op.class == transposed {
			least = p.TransposedRows
		}
	}
	if widest == 0 {
		return block.most[p.row]
	}
	return min(block.most[p.row], max(least, p.PackBytes/widest/cols))
}

// blocks returns the items that copy what is copied once for a block.
func (p *packer) blocks(w *walk) []nest.Item { return p.items(w, true) }

// tiles returns the items that copy a tile of the others.
func (p *packer) tiles(w *walk) []nest.Item { return p.items(w, false) }

func (p *packer) items(w *walk, once bool) (items []nest.Item) {
	for i := range p.copies {
		c := &p.copies[i]
		if c.once != once {
			continue
		}
		rows := w.size[p.row]
		if c.op.row == 0 {
			rows = nest.Fixed(1)
		}
		from, to := w.arg(&c.from, p.row), w.arg(&c.to, p.row)
		if c.op.class == transposed {
			from.Step = c.op.col
			items = append(items, transposeBlock(c.op.dtype, w.size[p.col], rows, from, c.op.row, to))
		} else {
			items = append(items, packBlock(c.op.dtype, rows, w.size[p.col], from, c.op.col, to))
		}
	}
	return items
}

// packed notes the operands that are copied.
func (d *Draft) packed(ops []operand) {
	d.Choice.Packed = d.Choice.Packed[:0]
	for i, op := range ops {
		if op.class > splat {
			d.Choice.Packed = append(d.Choice.Packed, i)
		}
	}
}

// packBlock returns the item that copies rows x cols elements, which are across apart
// along the columns.
func packBlock(d ir.DType, rows, cols nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(packKernel(d), rows, cols, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

// transposeBlock returns the item that copies lines of elements that are across apart.
// Element r of line c becomes the element in row r and column c.
func transposeBlock(d ir.DType, lines, rows nest.Size, from nest.Arg, across int, to nest.Arg) nest.Item {
	return call(transposeKernel(d), rows, lines, []nest.Arg{from, to}, nest.Fixed(across*d.Size()))
}

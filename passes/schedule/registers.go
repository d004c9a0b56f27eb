package schedule

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
)

// Register allocation of a tiling. A register is local memory for a tile; it is free again after the last instruction that
// reads its value.

// registers allocates local memory of the size of a tile.
type registers struct {
	bytes  int
	unused []int // offsets
}

// take returns the offset of an unused register of a draft.
func (r *registers) take(d *Draft) int {
	if n := len(r.unused); n > 0 {
		at := r.unused[n-1]
		r.unused = r.unused[:n-1]
		return at
	}
	return d.reserve(r.bytes)
}

func (r *registers) put(at int) { r.unused = append(r.unused, at) }

// write gives every value a place and returns the calls.
func (c *tiling) write(_ *elemWriter, rows, tile *walk) (perRow, perTile []nest.Item) {
	c.placeOperands()
	c.placeTables(tile)
	for i := range c.perRow {
		perRow = append(perRow, c.writeRow(&c.perRow[i], rows))
	}
	for p := range c.perTile {
		for _, a := range c.perTile[p].args {
			c.values[a].last = p
		}
	}
	for _, i := range c.perTile {
		if i.value >= 0 && i.out >= 0 && c.e.copiedOut(i.out) {
			c.values[i.value].last = len(c.perTile) // copied out then
		}
	}
	regs := &registers{bytes: c.e.tileRows * c.e.tileCols * c.widest()}
	perTile = make([]nest.Item, 0, len(c.perTile))
	for p := range c.perTile {
		perTile = append(perTile, c.writeInst(p, regs, tile))
	}
	return perRow, perTile
}

// placeOperands places inputs and constants.
func (c *tiling) placeOperands() {
	for i := range c.k.In {
		c.values[i].at = c.e.at[c.order[i]]
	}
	for j := range c.k.Body {
		if in := &c.k.Body[j]; in.Op == ir.OpConst {
			v := &c.values[len(c.k.In)+j]
			v.at = view{slot: c.e.draft.table(in.DType, in.Bits, 1), strides: make([]int, len(c.e.step.Axes))}
		}
	}
}

// tileElems returns the number of elements of a register. The registers that are live at once, and the operands that several
// calls read, fit in the first-level cache.
func (c *tiling) tileElems() int {
	widest, shared := c.widest(), 0
	for i := range c.e.ops {
		widest = max(widest, c.e.ops[i].size())
	}
	for _, v := range c.values[len(c.k.In)+len(c.k.Body):] {
		if v.constant {
			shared += v.dtype.Size()
		}
	}
	for i := range c.k.In {
		reads := 0
		for p := range c.perTile {
			if slices.Contains(c.perTile[p].args, kernel.Ref(i)) {
				reads++
			}
		}
		if v := &c.values[i]; reads > 1 && !v.splat {
			shared += v.dtype.Size()
		}
	}
	fit := c.e.t.TilingBytes / max(1, c.live*c.widest()+shared) &^ (cacheLine - 1)
	if n := c.e.blockRows * c.e.blockCols; n <= fit*3/2 { // one tile of a little more costs less than two
		fit = max(fit, n)
	}
	return min(c.e.t.TileBytes/widest, max(c.e.t.LeastTile, fit))
}

// writeRow returns the call that computes a value of one element a row.
func (c *tiling) writeRow(i *tileInst, rows *walk) nest.Item {
	v := &c.values[i.value]
	n, lines := rows.size[c.e.row], c.e.tileRows
	v.at = view{strides: make([]int, len(c.e.step.Axes)), from: rows.depth()}
	if v.once {
		n, lines = nest.Fixed(1), 1
	} else {
		v.at.strides[c.e.row] = 1
	}
	v.at.slot = c.e.draft.scratch(v.dtype, lines)
	return call(i.k, n, nest.Fixed(1), c.args(i, v.at, rows))
}

// writeInst returns the call of instruction p of a tile.
func (c *tiling) writeInst(p int, regs *registers, tile *walk) nest.Item {
	i := &c.perTile[p]
	to := view{strides: make([]int, len(c.e.step.Axes)), from: tile.depth()}
	to.strides[c.e.row], to.strides[c.e.col] = c.e.tileCols, 1
	switch {
	case i.out >= 0 && !c.e.copiedOut(i.out):
		to = c.e.at[len(c.e.step.In)+i.out]
	case i.value < 0 || i.out >= 0 && c.e.groupOf(len(c.e.step.In)+i.out) != nil: // copied out with the other members of its group
		to = c.e.outTile(i.out, tile)
	default:
		v := &c.values[i.value]
		c.free(regs, i, p, v.dtype.Size()) // written where an operand was read, element by element
		v.register = 1 + regs.take(c.e.draft)
		to.slot = c.registerSlot(v.register-1, v.dtype)
		if i.out >= 0 { // from where it is copied out
			c.e.at[len(c.e.step.In)+i.out] = to
		}
	}
	rows, cols := c.e.callSize(tile)
	item := call(i.k, rows, cols, c.args(i, to, tile))
	if i.value >= 0 {
		c.values[i.value].at = to
	}
	c.free(regs, i, p, 0)
	return item
}

// registerSlot returns the slot of a register as elements of a type.
func (c *tiling) registerSlot(offset int, d ir.DType) int {
	want := nest.Slot{Kind: nest.Scratch, DType: d, Offset: offset, Elems: c.e.tileRows * c.e.tileCols}
	for i, s := range c.e.draft.Slots {
		if s == want {
			return i
		}
	}
	c.e.draft.Slots = append(c.e.draft.Slots, want)
	return len(c.e.draft.Slots) - 1
}

// args returns the arguments of a call.
func (c *tiling) args(i *tileInst, to view, w *walk) []nest.Arg {
	args := make([]nest.Arg, 0, len(i.args)+1)
	for _, a := range i.args {
		args = append(args, w.arg(&c.values[a].at, c.e.row))
	}
	return append(args, w.arg(&to, c.e.row))
}

// widest returns the bytes of the widest element that a register holds.
func (c *tiling) widest() int {
	n := 1
	for _, v := range c.values[len(c.k.In):] {
		n = max(n, v.dtype.Size())
	}
	return n
}

// free releases the registers whose values instruction p is the last to read, only those of elements of the given size unless
// that is 0.
func (c *tiling) free(regs *registers, i *tileInst, p, size int) {
	for _, a := range i.args {
		v := &c.values[a]
		if v.register == 0 || v.last != p || size != 0 && v.dtype.Size() != size {
			continue
		}
		regs.put(v.register - 1)
		v.register = 0
	}
}

// A tiling's kernels may take splats as operands with columns: constants are tables, made once for all runs, and others are
// copied to the columns of a register.

// readsConstant reports whether one of the instructions reads a constant.
func (c *tiling) readsConstant(insts []kernel.Ref) bool {
	for _, r := range insts {
		in := c.k.Inst(r)
		for _, a := range in.Args[:in.Arity()] {
			if c.values[a].constant {
				return true
			}
		}
	}
	return false
}

// fillColumns returns a value that has a splat in all columns: a table of a constant, or a register that an appended copy
// fills.
func (c *tiling) fillColumns(a kernel.Ref) (filled kernel.Ref, why string) {
	d := c.values[a].dtype
	for r := len(c.k.In) + len(c.k.Body); r < len(c.values); r++ {
		if c.values[r].of == a+1 {
			return kernel.Ref(r), ""
		}
	}
	filled = kernel.Ref(len(c.values))
	c.values = append(c.values, value{dtype: d, of: a + 1, constant: c.values[a].constant})
	if c.values[a].constant {
		return filled, ""
	}
	if why := c.addCopy(len(c.perTile), a, -1); why != "" {
		return 0, why
	}
	c.perTile[len(c.perTile)-1].value = filled
	c.cost += c.e.t.StageWork
	return filled, ""
}

// placeTables makes the tables of the constants that kernels take as operands with columns.
func (c *tiling) placeTables(tile *walk) {
	for r := len(c.k.In) + len(c.k.Body); r < len(c.values); r++ {
		v := &c.values[r]
		if !v.constant {
			continue
		}
		v.at = view{strides: make([]int, len(c.e.step.Axes)), from: tile.depth()}
		v.at.strides[c.e.row], v.at.strides[c.e.col] = c.e.tileCols, 1
		of, n := v.of-1, c.e.tileRows*c.e.tileCols
		if in := c.k.Inst(of); in != nil {
			v.at.slot = c.e.draft.table(v.dtype, in.Bits, n)
			continue
		}
		i := c.order[of]
		v.at.slot = c.e.draft.table(v.dtype, c.e.t.buffers[c.e.step.In[i].Buffer].Bits, n)
		c.e.draft.constants = append(c.e.draft.constants, constantSlot{v.at.slot, c.e.operandOf(i)})
	}
}

package schedule

import "github.com/stridefuse/stridefuse/ir/kernel"

// The splats of a tiling that its kernels take as operands with columns: constants are tables, made once for all runs, and
// others are copied to the columns of a register.

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

// fillColumns returns a value with a splat in all columns: a table of a constant, or a register for which it appends a copy.
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

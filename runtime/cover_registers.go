package runtime

import "slices"

// allocate gives every value a place and makes the program's calls. A register
// is free again after the last instruction that reads its value.
func (c *cover) allocate() {
	c.program.calls = make([]kernelCall, 0, c.count())
	c.program.slots = slices.Grow(c.program.slots, c.count())
	args := 0
	for _, insts := range [][]coverInst{c.rows, c.insts} {
		for i := range insts {
			args += len(insts[i].order) + 1
		}
	}
	c.args = make([]kernelArg, 0, args)
	for _, i := range c.rows {
		v := &c.values[i.value]
		size := v.dtype.Size()
		at := slot{class: rowSlot, step: size, size: size}
		if v.once {
			at.step = 0
		}
		at.at = c.program.reserve(c.program.tileRows * size)
		v.slot = c.addSlot(at)
		c.program.calls = append(c.program.calls, c.bind(&i, true))
	}
	c.program.rowCalls = len(c.rows)
	for p, i := range c.insts {
		for _, a := range i.args {
			c.values[a].last = p
		}
	}
	regs := registers{size: c.program.tileRows * c.program.tileCols * c.widest()}
	for p := range c.insts {
		i := &c.insts[p]
		if i.out >= 0 {
			c.setSlot(i, len(c.k.In)+i.out)
			c.program.calls = append(c.program.calls, c.bind(i, false))
			c.free(&regs, i, p, 0)
			continue
		}
		size := c.values[i.value].dtype.Size()
		c.free(&regs, i, p, size) // written where an operand was read, element by element
		at := slot{class: tileSlot, size: size, at: regs.take(c.program)}
		c.setSlot(i, c.addSlot(at))
		c.program.calls = append(c.program.calls, c.bind(i, false))
		c.free(&regs, i, p, 0)
	}
	c.program.addPatches()
}

// setSlot notes where the value of i is. A copy's value is where it was.
func (c *cover) setSlot(i *coverInst, slot int) {
	if i.value >= 0 {
		c.values[i.value].slot = slot
	}
}

func (c *cover) addSlot(s slot) int {
	c.program.slots = append(c.program.slots, s)
	return len(c.program.slots) - 1
}

// widest returns the bytes of the widest element that a register holds.
func (c *cover) widest() int {
	n := 1
	for _, v := range c.values[len(c.k.In):] {
		n = max(n, v.dtype.Size())
	}
	return n
}

// free returns the registers whose values i is the last to read: those with
// elements of the given size, 0 for all.
func (c *cover) free(regs *registers, i *coverInst, p, size int) {
	for _, a := range i.args {
		v := &c.values[a]
		if v.slot < len(c.s.operands) || v.last != p || size != 0 && v.dtype.Size() != size {
			continue
		}
		if s := c.program.slots[v.slot]; s.class == tileSlot {
			regs.put(s.at)
			v.last = -1 // freed
		}
	}
}

// bind makes the call of i.
func (c *cover) bind(i *coverInst, unit bool) kernelCall {
	k := kernelCall{fn: i.fn, fold: i.fold, wide: i.wide}
	first := len(c.args)
	for _, from := range i.order {
		v := &c.values[i.args[from]]
		arg := kernelArg{slot: v.slot, size: v.dtype.Size()}
		if v.splat && !unit {
			arg.size = 0
		}
		c.args = append(c.args, arg)
	}
	dest := kernelArg{}
	if i.out >= 0 {
		dest.slot = len(c.k.In) + i.out
		dest.size = c.s.operands[dest.slot].size
	} else {
		v := &c.values[i.value]
		dest = kernelArg{slot: v.slot, size: v.dtype.Size()}
		k.once = v.once
	}
	c.args = append(c.args, dest)
	k.args = c.args[first:]
	return k
}

// registers hands out tile-sized pieces of scratch.
type registers struct {
	size   int
	unused []int
}

func (r *registers) take(p *program) int {
	if n := len(r.unused); n > 0 {
		at := r.unused[n-1]
		r.unused = r.unused[:n-1]
		return at
	}
	return p.reserve(r.size)
}

func (r *registers) put(at int) { r.unused = append(r.unused, at) }

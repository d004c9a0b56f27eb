package avo

import (
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// The tree of a column reduction: see reduce_columns.go.

// subtree reduces lane b and every h-th lane after it into the accumulators of a depth.
func (c *columnReducer) subtree(b, h, depth int) {
	if h == ir.ReduceLanes {
		c.lane(b, depth)
		return
	}
	c.subtree(b, 2*h, depth)
	skip := "skip" + itoa(b+h) // if the reduced axis has no element of lane b+h
	c.do("CMPQ", gp(columnLength), imm(int64(b+h)))
	c.do("JLE", label(skip))
	c.subtree(b+h, 2*h, depth+1)
	c.insts(c.depths[depth].combine)
	c.here(skip)
}

// lane reduces the elements of one virtual lane: every ReduceLanes-th element from b on.
func (c *columnReducer) lane(b, depth int) {
	eachUnit := func(do func(i int)) {
		for i := range c.k.In {
			if c.unit(i) {
				do(i)
			}
		}
	}
	size := c.k.In[0].DType.Size()
	loop, end := "lane"+itoa(b), "end"+itoa(b)
	eachUnit(func(i int) { c.do("MOVQ", mem(stack(c.laneStarts[i]+8*b)), gp(c.pointer[i].reg)) })
	c.elements(c.depths[depth].begin, func(splat int) memory { return at(splat, size*b) })
	c.do("MOVQ", imm32(int64(b+ir.ReduceLanes)), gp(columnNext))
	c.do("CMPQ", gp(columnNext), gp(columnLength))
	c.do("JGE", label(end))
	c.here(loop)
	eachUnit(func(i int) { c.do("ADDQ", mem(stack(c.laneSteps[i])), gp(c.pointer[i].reg)) })
	c.elements(c.depths[depth].next, func(splat int) memory { return at(splat, 0).indexed(columnNext, size) })
	c.do("ADDQ", imm(ir.ReduceLanes), gp(columnNext))
	c.do("CMPQ", gp(columnNext), gp(columnLength))
	c.do("JLT", label(loop))
	c.here(end)
}

// elements writes instructions that read elements of the operands. at returns the address
// of the element of a splat operand, given the register of its pointer.
func (c *columnReducer) elements(list []machine.Inst, at func(reg int) memory) {
	for i := range list {
		if in := &list[i]; in.Op == machine.OpSplat {
			name := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[in.Place.Size]
			c.do(name, mem(at(c.pointer[in.Place.Operand].reg)), y(in.Dst))
		} else {
			c.inst(in)
		}
	}
}

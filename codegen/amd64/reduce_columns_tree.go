package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The tree of a column reduction: see reduce_columns.go.

// subtreeDepth is the depth of the results of the two subtrees.
const subtreeDepth = 1

// tree reduces the lanes. The lanes with even and those with odd numbers are two subtrees, which the same instructions reduce.
func (c *columnReducer) tree() {
	c.do("XORQ", gp(columnBase), gp(columnBase))
	c.do("MOVQ", gp(columnLength), gp(columnLeft))
	c.mark("subtree")
	c.eachSplat(func(i, base int) {
		c.do("LEAQ", mem(at(c.pointer[i].reg, 0).indexed(columnBase, c.k.In[0].DType.Size())), gp(base))
	})
	c.subtree(0, 2, subtreeDepth)
	c.do("TESTQ", gp(columnBase), gp(columnBase))
	c.do("JNE", c.to("odd"))
	for w := range c.strip {
		c.do("VMOVAPS", y(c.accRegister(subtreeDepth, w)), y(c.accRegister(0, w)))
	}
	c.do("INCQ", gp(columnBase))
	c.do("DECQ", gp(columnLeft))
	c.do("JGT", c.to("subtree"))
	c.do("JMP", c.to("store"))
	c.mark("odd")
	c.insts(c.combines[0])
	c.mark("store")
}

// eachSplat calls f for each splat operand and the register that points to its element of columnBase.
func (c *columnReducer) eachSplat(f func(operand, base int)) {
	for i, base := 0, columnSplat; i < len(c.k.In); i++ {
		if c.k.In[i].Splat {
			f(i, base)
			base++
		}
	}
}

// subtree reduces lane b and every h-th lane after it into the accumulators of a depth. Lanes are counted from columnBase,
// 0 or 1.
func (c *columnReducer) subtree(b, h, depth int) {
	if h == ir.ReduceLanes {
		c.lane(b, depth)
		return
	}
	c.subtree(b, 2*h, depth)
	skip := "skip" + itoa(b+h) // if the reduced axis has no element of lane b+h
	c.do("CMPQ", gp(columnLeft), imm(int64(b+h)))
	c.do("JLE", c.to(skip))
	c.subtree(b+h, 2*h, depth+1)
	c.insts(c.combines[depth])
	c.mark(skip)
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
	eachUnit(func(i int) {
		c.do("MOVQ", mem(stack(c.laneStarts[i]+8*b).indexed(columnBase, 8)), gp(c.pointer[i].reg))
	})
	c.elements(c.begins[depth], func(splat int) Memory { return at(splat, size*b) })
	c.do("MOVQ", imm32(int64(b+ir.ReduceLanes)), gp(columnNext))
	c.do("CMPQ", gp(columnNext), gp(columnLeft))
	c.do("JGE", c.to(end))
	c.mark(loop)
	eachUnit(func(i int) { c.do("ADDQ", mem(stack(c.laneSteps[i])), gp(c.pointer[i].reg)) })
	c.elements(c.nexts[depth], func(splat int) Memory { return at(splat, 0).indexed(columnNext, size) })
	c.do("ADDQ", imm(ir.ReduceLanes), gp(columnNext))
	c.do("CMPQ", gp(columnNext), gp(columnLeft))
	c.do("JLT", c.to(loop))
	c.mark(end)
}

// elements writes instructions that read elements of the operands. at returns the address
// of the element of a splat operand, given the register of its pointer.
func (c *columnReducer) elements(list []vector.Inst, at func(reg int) Memory) {
	bases := map[int]int{}
	c.eachSplat(func(i, base int) { bases[i] = base })
	for i := range list {
		if in := &list[i]; in.Op == vector.OpSplat {
			name := map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[in.Place.Size()]
			c.do(name, mem(at(bases[in.Place.Operand()])), y(in.Dst))
		} else {
			c.inst(in)
		}
	}
}

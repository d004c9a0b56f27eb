package arm64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Column reductions (micro-kernel ReduceColumns): each column of a strip of four vectors is reduced to one element. The function visits the
// tree of ir.ReduceRow over ReduceLanes virtual lanes depth first. A virtual lane is reduced in the accumulators of its depth, and lane
// b+h is combined with lane b as soon as both are complete. So six accumulators of each vector are live at most, and all are in registers.
//
// The last strip ends at the last column, and may compute columns a second time.

const (
	columnStrip  = 4 // vectors that are reduced side by side
	columnDepths = 6 // levels of the tree: ReduceLanes halved five times, and the lanes
)

// General registers of column reductions. There are at most three operands.
const (
	columnFrame  = iota
	columnLength // of the reduced axis
	columnRows   // how many rows of the output are left
	columnLast   // the first column of the last strip
	columnIndex  // the first column of the strip
	columnBase   // the first lane of a subtree, 0 or 1
	columnLeft   // the elements of the reduced axis from columnBase on
	columnNext   // the next element of a lane, from columnBase on
	columnScratch
	columnAt              // pointers to the present elements of operands
	columnFrom = iota + 2 // pointers to the strip of unit operands, or the row of splat operands
	columnStep = iota + 4 // bytes from one element of a unit operand to the next in its column
	columnOut  = columnStep + 4

	columnFar = columnStep + 1 // of a plain reduction: bytes from one element of a lane to the next
)

// columnReducer writes the function of a column reduction.
type columnReducer struct {
	Program
	k       *kernel.Kernel
	by      ir.Op
	d       ir.DType
	arrange string
}

// columnInsts are the instructions of a body, without their arrangement. Each op is one.
var columnInsts = map[ir.Op]string{ir.OpAdd: "FADD", ir.OpSub: "FSUB", ir.OpMul: "FMUL", ir.OpMin: "FMIN", ir.OpMax: "FMAX", ir.OpAbs: "FABS"}

// compileReduceColumns returns the function of a column reduction.
func compileReduceColumns(m *kernel.Micro) (*Program, error) {
	c := &columnReducer{k: m.Body, by: m.Op, d: m.Body.In[0].DType}
	c.arrange = "." + whole(c.d.Size())
	if len(c.k.In)+len(c.k.Body) > VectorRegisters-columnStrip*columnDepths {
		return nil, noMicro(m.Kind.String(), c.d)
	}
	c.do(OpFrame, x(columnFrame))
	for _, n := range [][2]int{{columnRows, frameRows}, {columnLast, frameCols}, {columnLength, frameStep + 8*m.FieldAt(0)}} {
		c.do("LDR", x(n[0]), mem(at(columnFrame, n[1])))
		c.do("CMP", x(n[0]), imm(0))
		c.do("BLE", label("done"))
	}
	c.do("SUB", x(columnLast), x(columnLast), imm(c.columns()))
	for i, in := range c.k.In {
		if in.Splat {
			c.do("LDR", x(columnFrom+i), mem(at(columnFrame, framePtr+8*i)))
		} else {
			c.do("LDR", x(columnStep+i), mem(at(columnFrame, frameStep+8*i)))
		}
	}
	if c.plain() {
		c.do("LSL", x(columnFar), x(columnStep), imm(5)) // ReduceLanes steps
	}
	c.do("LDR", x(columnOut), mem(at(columnFrame, framePtr+8*len(c.k.In))))
	c.here("row")
	c.do("MOV", x(columnIndex), x(zr))
	c.here("columns")
	c.tree()
	c.next()
	c.here("done")
	c.do("RET")
	return &c.Program, nil
}

// plain reports whether the body is a unit operand. One instruction then loads the vectors of a strip and advances to the next element of
// the lane.
func (c *columnReducer) plain() bool {
	return len(c.k.In) == 1 && len(c.k.Body) == 0 && !c.k.In[0].Splat
}

// columns is the number of columns of a strip.
func (c *columnReducer) columns() int { return columnStrip * 16 / c.d.Size() }

// scaled adds elements to a pointer.
func (c *columnReducer) scaled(to, pointer, elements int) {
	c.do("ADD", x(to), x(pointer), x(elements), imm(map[int]int{4: 2, 8: 3}[c.d.Size()]))
}

// next stores the results of a strip, and advances to the next strip, or after the last one to the next row.
func (c *columnReducer) next() {
	c.scaled(columnScratch, columnOut, columnIndex)
	for w := 0; w < columnStrip; w += 2 {
		c.do("STP.Q", v(c.acc(0, w)), v(c.acc(0, w+1)), mem(at(columnScratch, 16*w)))
	}
	c.do("CMP", x(columnIndex), x(columnLast))
	c.do("BEQ", label("next"))
	c.do("ADD", x(columnIndex), x(columnIndex), imm(c.columns()))
	c.do("CMP", x(columnIndex), x(columnLast))
	c.do("CSEL", x(columnIndex), x(columnIndex), x(columnLast), imm(condLE))
	c.do("B", label("columns"))
	c.here("next")
	for i := range len(c.k.In) + 1 {
		to := columnFrom + i
		if i == len(c.k.In) {
			to = columnOut
		} else if !c.k.In[i].Splat {
			continue
		}
		c.do("LDR", x(columnScratch), mem(at(columnFrame, frameStep+8*i)))
		c.do("ADD", x(to), x(to), x(columnScratch))
	}
	c.do("SUBS", x(columnRows), x(columnRows), imm(1))
	c.do("BNE", label("row"))
}

// acc returns the accumulator of vector w of the columns at a depth.
func (c *columnReducer) acc(depth, w int) int { return depth*columnStrip + w }

// tree reduces the lanes. The lanes with even and those with odd numbers are two subtrees, which the same instructions reduce.
func (c *columnReducer) tree() {
	for i, in := range c.k.In {
		if !in.Splat {
			c.do("LDR", x(columnFrom+i), mem(at(columnFrame, framePtr+8*i)))
			c.scaled(columnFrom+i, columnFrom+i, columnIndex)
		}
	}
	c.do("MOV", x(columnBase), x(zr))
	c.do("MOV", x(columnLeft), x(columnLength))
	c.here("subtree")
	c.subtree(0, 2, 1)
	c.do("CBNZ", x(columnBase), label("odd"))
	for w := range columnStrip {
		c.do("ORR.16B", v(c.acc(0, w)), v(c.acc(1, w)), v(c.acc(1, w)))
	}
	c.do("ADD", x(columnBase), x(columnBase), imm(1))
	c.do("SUBS", x(columnLeft), x(columnLeft), imm(1))
	c.do("BGT", label("subtree"))
	c.do("B", label("store"))
	c.here("odd")
	c.combine(0)
	c.here("store")
}

// combine combines the accumulators of a depth with those of the next one.
func (c *columnReducer) combine(depth int) {
	for w := range columnStrip {
		c.do(columnInsts[c.by]+c.arrange, v(c.acc(depth, w)), v(c.acc(depth, w)), v(c.acc(depth+1, w)))
	}
}

// subtree reduces lane b and every h-th lane after it into the accumulators of a depth. Lanes are counted from columnBase.
func (c *columnReducer) subtree(b, h, depth int) {
	if h == ir.ReduceLanes {
		c.lane(b, depth)
		return
	}
	c.subtree(b, 2*h, depth)
	skip := "skip" + itoa(b+h) // if the reduced axis has no element of lane b+h
	c.do("CMP", x(columnLeft), imm(b+h))
	c.do("BLE", label(skip))
	c.subtree(b+h, 2*h, depth+1)
	c.combine(depth)
	c.here(skip)
}

// lane reduces the elements of one virtual lane: every ReduceLanes-th element from b on.
func (c *columnReducer) lane(b, depth int) {
	loop, end := "lane"+itoa(b), "end"+itoa(b)
	c.do("ADD", x(columnNext), x(columnBase), imm(b))
	for i, in := range c.k.In {
		if in.Splat {
			c.scaled(columnAt+i, columnFrom+i, columnNext)
		} else {
			c.do("MADD", x(columnAt+i), x(columnNext), x(columnStep+i), x(columnFrom+i))
		}
	}
	c.elements(depth, true)
	c.do("SUBS", x(columnNext), x(columnLeft), imm(b+ir.ReduceLanes))
	c.do("BLE", label(end))
	c.here(loop)
	for i, in := range c.k.In {
		if in.Splat {
			c.do("ADD", x(columnAt+i), x(columnAt+i), imm(ir.ReduceLanes*c.d.Size()))
		} else if !c.plain() {
			c.do("ADD", x(columnAt+i), x(columnAt+i), x(columnStep+i), imm(5)) // ReduceLanes steps
		}
	}
	c.elements(depth, false)
	c.do("SUBS", x(columnNext), x(columnNext), imm(ir.ReduceLanes))
	c.do("BGT", label(loop))
	c.here(end)
}

// elements computes the body of the present elements, and combines it with the accumulators of a depth, or stores it there.
func (c *columnReducer) elements(depth int, first bool) {
	const values = columnStrip * columnDepths
	if c.plain() {
		to := values
		if first {
			to = c.acc(depth, 0)
		}
		c.do("LD1x4"+c.arrange, v(to), mem(thenBy(columnAt, columnFar)))
		for w := 0; w < columnStrip && !first; w++ {
			c.do(columnInsts[c.by]+c.arrange, v(c.acc(depth, w)), v(c.acc(depth, w)), v(values+w))
		}
		return
	}
	for i, in := range c.k.In {
		if in.Splat {
			c.do("LD1R"+c.arrange, v(values+i), mem(at(columnAt+i, 0)))
		}
	}
	for w := range columnStrip {
		acc := c.acc(depth, w)
		for i, in := range c.k.In {
			if in.Splat {
				continue
			}
			to := values + i
			if first && int(c.k.Out[0]) == i {
				to = acc
			}
			c.do("LDR.Q", v(to), mem(at(columnAt+i, 16*w)))
		}
		for i, in := range c.k.Body {
			n := len(c.k.In) + i
			to := values + n
			if first && int(c.k.Out[0]) == n {
				to = acc
			}
			args := []Arg{v(to)}
			for _, a := range in.Args[:in.Arity()] {
				args = append(args, v(values+int(a)))
			}
			c.do(columnInsts[in.Op]+c.arrange, args...)
		}
		if !first {
			c.do(columnInsts[c.by]+c.arrange, v(acc), v(acc), v(values+int(c.k.Out[0])))
		}
	}
}

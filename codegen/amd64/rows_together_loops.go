package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The loops over rows that are computed together, and the tests that choose them.

// address returns the address of a vector of a block.
func (w *together) address(p vector.Place) Memory {
	steps := func(base, step, step3, step5, i int) Memory {
		switch m := at(base, p.Disp()); i {
		case 0:
			return m
		case 1, 2, 4:
			return m.indexed(step, i)
		case 3:
			return m.indexed(step3, 1)
		default:
			return m.indexed(step5, 1)
		}
	}
	switch i := p.Operand() % ofLine; p.Operand() - i {
	case ofLine:
		return steps(rowsLine, rowsStep, rowsStep3, rowsStep5, i)
	case ofOut:
		return steps(rowsOut, rowsOutStep, rowsOutStep3, -1, i)
	default:
		return steps(rowsSum, rowsSumStep, rowsSumStep3, -1, i)
	}
}

// chooseTogether jumps to the test of the frame.
func (n *nest) chooseTogether() {
	if n.together != nil {
		n.do("JMP", label("together"))
	}
}

// blocksOfRows writes the test and the loops over rows that are computed together.
func (n *nest) blocksOfRows() {
	w := n.together
	if w == nil {
		return
	}
	n.here("together", "can rows be computed together? If not, to row")
	n.do("MOVQ", frameArg(), gp(cx))
	n.testExtents()
	n.testTaps()
	n.testApart()
	n.insts(n.b.Head)
	n.pinRow()
	n.do("MOVQ", frameArg(), gp(cx))
	n.loadTogether()
	moving := [][2]int{{rowsLine, rowsStep}, {rowsOut, rowsOutStep}}
	if w.sum >= 0 {
		moving = append(moving, [2]int{rowsSum, rowsSumStep})
	}
	n.here("block", "each block of rows")
	n.vectorsTogether(moving)
	n.nextBlock(moving)
	n.do("JMP", label("block"))
}

// ofFrame returns a field of an operand in the frame at cx.
func ofFrame(offset, operand int) Arg { return mem(at(cx, offset+8*operand)) }

// loadTogether loads the pointers and steps of the first block, and the number of rows.
func (n *nest) loadTogether() {
	w, out := n.together, len(n.b.Graph.Kernel.In)
	n.do("MOVQ", ofFrame(framePtr, w.taps[0]), gp(rowsLine))
	n.do("MOVQ", ofFrame(frameStep, w.taps[0]), gp(rowsStep))
	n.do("LEAQ", mem(at(rowsStep, 0).indexed(rowsStep, 2)), gp(rowsStep3))
	n.do("MOVQ", ofFrame(framePtr, out), gp(rowsOut))
	n.do("MOVQ", ofFrame(frameStep, out), gp(rowsOutStep))
	n.do("LEAQ", mem(at(rowsOutStep, 0).indexed(rowsOutStep, 2)), gp(rowsOutStep3))
	n.do("MOVQ", mem(at(cx, frameRows)), gp(rowsLeft))
	if w.sum < 0 {
		n.do("LEAQ", mem(at(rowsStep, 0).indexed(rowsStep, 4)), gp(rowsStep5))
	} else {
		n.do("MOVQ", ofFrame(framePtr, w.sum), gp(rowsSum))
		n.do("MOVQ", ofFrame(frameStep, w.sum), gp(rowsSumStep))
		n.do("LEAQ", mem(at(rowsSumStep, 0).indexed(rowsSumStep, 2)), gp(rowsSumStep3))
	}
	n.do("MOVQ", gp(cols), gp(rowsLast))
	n.do("SUBQ", imm(int64(n.lanes())), gp(rowsLast))
}

// vectorsTogether writes the loop over the vectors of a block, the last of which may overlap the one before it. moving lists the
// pointers that it moves, with their steps from row to row.
func (n *nest) vectorsTogether(moving [][2]int) {
	n.do("XORQ", gp(index), gp(index))
	n.do("PCALIGN", imm(32))
	n.here("vector", "each vector of its columns")
	n.inBlock = true
	n.insts(n.together.insts)
	n.inBlock = false
	for _, p := range moving {
		n.do("ADDQ", imm(int64(n.m.Width)), gp(p[0]))
	}
	n.do("ADDQ", imm(int64(n.lanes())), gp(index))
	n.do("CMPQ", gp(index), gp(rowsLast))
	n.do("JLE", label("vector"))
	n.do("CMPQ", gp(index), gp(cols))
	n.do("JGE", label("below"))
	n.do("SUBQ", gp(rowsLast), gp(index)) // back to the last whole vector
	n.do("NEGQ", gp(index))
	for _, p := range moving {
		n.do("LEAQ", mem(at(p[0], 0).indexed(index, ir.Float32.Size())), gp(p[0]))
	}
	n.do("MOVQ", gp(rowsLast), gp(index))
	n.do("JMP", label("vector"))
	n.here("below", "the block is done")
}

// nextBlock jumps to done if no rows are left. Otherwise it moves the pointers to the next block, which may overlap this one.
func (n *nest) nextBlock(moving [][2]int) {
	rows := int64(n.together.rows)
	n.do("SUBQ", imm(rows), gp(rowsLeft))
	n.do("JLE", label("done"))
	n.do("MOVQ", imm32(rows), gp(index))
	n.do("CMPQ", gp(rowsLeft), gp(index))
	n.do("CMOVQLT", gp(rowsLeft), gp(index)) // distance to the next block
	n.do("MOVQ", imm32(rows), gp(cx))
	n.do("CMPQ", gp(rowsLeft), gp(cx))
	n.do("CMOVQLT", gp(cx), gp(rowsLeft))
	for _, p := range moving {
		n.do("MOVQ", gp(p[1]), gp(cx))
		n.do("IMULQ", gp(index), gp(cx))
		n.do("ADDQ", gp(cx), gp(p[0]))
		n.do("MOVQ", gp(cols), gp(cx))
		n.do("SHLQ", imm(2), gp(cx))
		n.do("SUBQ", gp(cx), gp(p[0]))
	}
}

// Each test of a frame checks a condition of the loops. If it fails, it jumps to row, where rows are computed one by one.

// unless jumps to row by the given jump.
func (n *nest) unless(jump string) { n.do(jump, label("row")) }

// testExtents checks that there are enough rows and columns for a block, that its lines are adjacent, and that splats are the
// same for all rows. It leaves the step from line to line in dx.
func (n *nest) testExtents() {
	w, k := n.together, n.b.Graph.Kernel
	n.do("CMPQ", mem(at(cx, frameRows)), imm(int64(w.rows)))
	n.unless("JLT")
	n.do("CMPQ", gp(cols), imm(int64(n.lanes())))
	n.unless("JLT")
	n.do("MOVQ", ofFrame(frameStep, w.taps[0]), gp(dx))
	n.do("CMPQ", ofFrame(frameStep, len(k.In)), imm(0))
	n.unless("JLE")
	n.do("TESTQ", gp(dx), gp(dx))
	n.unless("JLE")
	for i, in := range k.In {
		switch {
		case in.Splat:
			n.do("CMPQ", ofFrame(frameStep, i), imm(0))
			n.unless("JNE")
		case i != w.taps[0] && i != w.sum:
			n.do("CMPQ", gp(dx), ofFrame(frameStep, i))
			n.unless("JNE")
		}
	}
}

// testTaps checks that the taps are neighbours in the lines of one array. It leaves the last element of the first window in ax.
func (n *nest) testTaps() {
	w, size := n.together, int64(ir.Float32.Size())
	n.do("MOVQ", ofFrame(framePtr, w.taps[0]), gp(ax))
	for i, operand := range w.taps[1:] {
		if (i+1)%w.width == 0 { // the next line
			n.do("ADDQ", gp(dx), gp(ax))
			n.do("SUBQ", imm(size*int64(w.width-1)), gp(ax))
		} else {
			n.do("ADDQ", imm(size), gp(ax))
		}
		n.do("CMPQ", gp(ax), ofFrame(framePtr, operand))
		n.unless("JNE")
	}
}

// testApart checks that the output does not overlap the lines, which end behind the last window, and that it does not overlap the
// sums or has their place.
func (n *nest) testApart() {
	w, out := n.together, len(n.b.Graph.Kernel.In)
	n.testDistance(w.taps[0], "lines0")
	if w.sum < 0 {
		return
	}
	n.do("CMPQ", ofFrame(frameStep, w.sum), imm(0))
	n.unless("JLE")
	n.do("MOVQ", ofFrame(framePtr, w.sum), gp(ax))
	n.do("CMPQ", gp(ax), ofFrame(framePtr, out))
	n.do("JEQ", label("inPlace"))
	n.testDistance(w.sum, "sums")
	n.do("JMP", label("tested"))
	n.here("inPlace", "the sums are overwritten by the results") // if nothing is computed a second time
	n.do("MOVQ", ofFrame(frameStep, w.sum), gp(ax))
	n.do("CMPQ", gp(ax), ofFrame(frameStep, out))
	n.unless("JNE")
	n.do("TESTQ", imm32(int64(n.lanes()-1)), gp(cols))
	n.unless("JNE")
	n.do("MOVQ", mem(at(cx, frameRows)), gp(ax))
	if w.rows != mostTogether {
		panic("BUG: codegen/amd64: rows are counted by a mask")
	}
	n.do("TESTQ", imm32(mostTogether-1), gp(ax))
	n.unless("JNE")
	n.here("tested")
}

// testDistance checks that the output lies before or behind an operand; ax has the last element of its first window.
func (n *nest) testDistance(operand int, apart string) {
	out := len(n.b.Graph.Kernel.In)
	n.reach(operand)
	n.do("ADDQ", gp(ax), gp(dx))
	n.do("CMPQ", gp(dx), ofFrame(framePtr, out))
	n.do("JLS", label(apart))
	n.reach(out)
	n.do("ADDQ", ofFrame(framePtr, out), gp(dx))
	n.do("CMPQ", gp(dx), ofFrame(framePtr, operand))
	n.unless("JHI")
	n.here(apart)
}

// reach sets dx to the distance, in bytes, from the first element of an operand's first row to the end of its last element.
func (n *nest) reach(operand int) {
	n.do("MOVQ", mem(at(cx, frameRows)), gp(dx))
	n.do("DECQ", gp(dx))
	n.do("IMULQ", ofFrame(frameStep, operand), gp(dx))
	n.do("LEAQ", mem(at(dx, 0).indexed(cols, ir.Float32.Size())), gp(dx))
}

package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// The loops over rows that are computed together, and the test whether a frame has such rows.

// address returns where a vector of a block is.
func (w *together) address(p machine.Place) memory {
	steps := func(base, step, step3, step5, i int) memory {
		switch m := at(base, p.Disp); i {
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
	switch i := p.Operand % ofLine; p.Operand - i {
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
	n.here("together")
	n.testFrame()
	n.insts(n.b.Head)
	n.pinRow()
	n.do("MOVQ", frameArg(), gp(cx))
	out, size := len(n.b.Graph.Kernel.In), ir.Float32.Size()
	field := func(offset, operand int) arg { return mem(at(cx, offset+8*operand)) }
	n.do("MOVQ", field(codegen.FramePtr, w.taps[0]), gp(rowsLine))
	n.do("MOVQ", field(codegen.FrameStep, w.taps[0]), gp(rowsStep))
	n.do("LEAQ", mem(at(rowsStep, 0).indexed(rowsStep, 2)), gp(rowsStep3))
	n.do("MOVQ", field(codegen.FramePtr, out), gp(rowsOut))
	n.do("MOVQ", field(codegen.FrameStep, out), gp(rowsOutStep))
	n.do("LEAQ", mem(at(rowsOutStep, 0).indexed(rowsOutStep, 2)), gp(rowsOutStep3))
	n.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(rowsLeft))
	if w.sum < 0 {
		n.do("LEAQ", mem(at(rowsStep, 0).indexed(rowsStep, 4)), gp(rowsStep5))
	} else {
		n.do("MOVQ", field(codegen.FramePtr, w.sum), gp(rowsSum))
		n.do("MOVQ", field(codegen.FrameStep, w.sum), gp(rowsSumStep))
		n.do("LEAQ", mem(at(rowsSumStep, 0).indexed(rowsSumStep, 2)), gp(rowsSumStep3))
	}
	n.do("MOVQ", gp(cols), gp(rowsLast))
	n.do("SUBQ", imm(int64(n.lanes())), gp(rowsLast))
	moving := [][2]int{{rowsLine, rowsStep}, {rowsOut, rowsOutStep}}
	if w.sum >= 0 {
		moving = append(moving, [2]int{rowsSum, rowsSumStep})
	}

	n.here("block")
	n.do("XORQ", gp(index), gp(index))
	n.do("PCALIGN", imm(32))
	n.here("vector")
	n.inBlock = true
	n.insts(w.insts)
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
		n.do("LEAQ", mem(at(p[0], 0).indexed(index, size)), gp(p[0]))
	}
	n.do("MOVQ", gp(rowsLast), gp(index))
	n.do("JMP", label("vector"))

	n.here("below")
	n.do("SUBQ", imm(int64(w.rows)), gp(rowsLeft))
	n.do("JLE", label("done"))
	n.do("MOVQ", imm32(int64(w.rows)), gp(index))
	n.do("CMPQ", gp(rowsLeft), gp(index))
	n.do("CMOVQLT", gp(rowsLeft), gp(index)) // how far the next block is
	n.do("MOVQ", imm32(int64(w.rows)), gp(cx))
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
	n.do("JMP", label("block"))
}

// testFrame goes to row unless the frame has rows and columns for a block, lines of one array
// and splats for all rows, and the output is apart from what is read.
func (n *nest) testFrame() {
	w, k := n.together, n.b.Graph.Kernel
	size := int64(ir.Float32.Size())
	n.do("MOVQ", frameArg(), gp(cx))
	field := func(offset, operand int) arg { return mem(at(cx, offset+8*operand)) }
	unless := func(jump string) { n.do(jump, label("row")) }
	n.do("CMPQ", mem(at(cx, codegen.FrameRows)), imm(int64(w.rows)))
	unless("JLT")
	n.do("CMPQ", gp(cols), imm(int64(n.lanes())))
	unless("JLT")
	n.do("MOVQ", field(codegen.FrameStep, w.taps[0]), gp(dx)) // from line to line
	n.do("CMPQ", field(codegen.FrameStep, len(k.In)), imm(0))
	unless("JLE")
	n.do("TESTQ", gp(dx), gp(dx))
	unless("JLE")
	for i, in := range k.In {
		switch {
		case in.Splat:
			n.do("CMPQ", field(codegen.FrameStep, i), imm(0))
			unless("JNE")
		case i != w.taps[0] && i != w.sum:
			n.do("CMPQ", gp(dx), field(codegen.FrameStep, i))
			unless("JNE")
		}
	}
	n.do("MOVQ", field(codegen.FramePtr, w.taps[0]), gp(ax))
	for i, operand := range w.taps[1:] {
		if (i+1)%w.width == 0 { // the next line
			n.do("ADDQ", gp(dx), gp(ax))
			n.do("SUBQ", imm(size*int64(w.width-1)), gp(ax))
		} else {
			n.do("ADDQ", imm(size), gp(ax))
		}
		n.do("CMPQ", gp(ax), field(codegen.FramePtr, operand))
		unless("JNE")
	}
	// ax has the last element of the first window. The lines end behind that of the last one.
	reach := func(step arg) { // dx: bytes from the first element of the first row to behind the last one
		n.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(dx))
		n.do("DECQ", gp(dx))
		n.do("IMULQ", step, gp(dx))
		n.do("LEAQ", mem(at(dx, 0).indexed(cols, int(size))), gp(dx))
	}
	apart := func(first int, last arg, name string) {
		reach(field(codegen.FrameStep, first))
		n.do("ADDQ", last, gp(dx))
		n.do("CMPQ", gp(dx), field(codegen.FramePtr, len(k.In)))
		n.do("JLS", label(name))
		reach(field(codegen.FrameStep, len(k.In)))
		n.do("ADDQ", field(codegen.FramePtr, len(k.In)), gp(dx))
		n.do("CMPQ", gp(dx), field(codegen.FramePtr, first))
		unless("JHI")
		n.here(name)
	}
	apart(w.taps[0], gp(ax), "lines0")
	if w.sum >= 0 {
		n.do("CMPQ", field(codegen.FrameStep, w.sum), imm(0))
		unless("JLE")
		n.do("MOVQ", field(codegen.FramePtr, w.sum), gp(ax))
		n.do("CMPQ", gp(ax), field(codegen.FramePtr, len(k.In)))
		n.do("JEQ", label("inPlace"))
		apart(w.sum, gp(ax), "sums")
		n.do("JMP", label("tested"))
		n.here("inPlace") // if nothing is computed a second time
		n.do("MOVQ", field(codegen.FrameStep, w.sum), gp(ax))
		n.do("CMPQ", gp(ax), field(codegen.FrameStep, len(k.In)))
		unless("JNE")
		n.do("TESTQ", imm32(int64(n.lanes()-1)), gp(cols))
		unless("JNE")
		n.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(ax))
		if w.rows != mostTogether {
			panic("BUG: codegen/avo: rows are counted by a mask")
		}
		n.do("TESTQ", imm32(mostTogether-1), gp(ax))
		unless("JNE")
		n.here("tested")
	}
}

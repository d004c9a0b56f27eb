package avo

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Rows of a convolution of single channels, computed together.
//
// A kernel whose body is a chain of products, each of a unit operand and a splat (codegen/taps.go),
// finds its operands in several lines of one array if the elements of the chain are those of a
// window. The row below reads the same lines but one. So several rows are computed at a time, vector
// by vector: a vector of a line is loaded once for all of them, and the splats are for the whole call.
//
// That the operands are such lines is seen in the frame alone: pointers and steps say so. Otherwise,
// and if there are too few rows or columns, the call is computed row by row. The elements have
// the same bits, as each is the sum of the same products in the same order.
//
//	together: tests the frame, and goes to row if it is another case
//	block:    some rows; those of the last block may be computed a second time
//	vector:   a vector of each; the last one may be computed a second time
//
// Nothing may be computed a second time of what was overwritten, so the output must be apart from
// the lines. It may be the sums that the products are added to, if there are only whole blocks of whole vectors.

// window says which operands of a body are the elements of a window.
type window struct {
	lines, width int
	taps         []int // unit operands, line by line
	sum          int   // the unit operand that the products are added to, or -1
}

// windowShapes are the lines and the widths of the windows, by the number of elements: a window
// of 3x3, one or two lines of one of 5x5, and one of 7x7.
var windowShapes = map[int][2]int{9: {3, 3}, 5: {1, 5}, 10: {2, 5}, 7: {1, 7}}

// mostTogether is how many rows are computed together at most.
const mostTogether = 4

// windowOf returns the window of a body of float32 with one output, nil if it has none. All other
// operands of the body are splats.
func windowOf(k *kernel.Kernel) *window {
	w := &window{sum: -1}
	unit := func(r kernel.Ref) bool { return int(r) < len(k.In) && !k.In[r].Splat }
	isSplat := func(r kernel.Ref) bool { return int(r) < len(k.In) && k.In[r].Splat }
	chain := 0
	for j := range k.Body {
		in := &k.Body[j]
		last := kernel.Ref(len(k.In) + j - 1)
		a := in.Args
		switch {
		case in.DType != ir.Float32 || !unit(a[0]) || !isSplat(a[1]) || slices.Contains(w.taps, int(a[0])):
		case j == 0 && in.Op == ir.OpMul, j > 0 && in.Op == ir.OpFMA && a[2] == last:
			chain++
		case j == 0 && in.Op == ir.OpFMA && unit(a[2]):
			w.sum = int(a[2])
			chain++
		}
		if chain == j+1 {
			w.taps = append(w.taps, int(a[0]))
		}
	}
	shape, ok := windowShapes[chain]
	if k.HasChannels() {
		return nil
	}
	units := 0
	for _, in := range k.In {
		if !in.Splat {
			units++
		}
	}
	if w.sum >= 0 {
		units--
	}
	if !ok || units != chain || slices.Contains(w.taps, w.sum) || len(k.Out) != 1 || k.OutType(0) != ir.Float32 {
		return nil
	}
	for _, in := range k.Body[chain:] { // the sum is read by the next one alone, and no operand but splats
		for _, r := range in.Args[:in.Arity()] {
			if unit(r) {
				return nil
			}
		}
	}
	w.lines, w.width = shape[0], shape[1]
	return w
}

// The general registers of a block of rows.
const (
	rowsLine    = firstFree + iota // the first line
	rowsStep                       // from one line to the next
	rowsStep3                      // three times that
	rowsStep5                      // five times, or the step of sums
	rowsOut                        // the first row of the output
	rowsOutStep                    // from one to the next
	rowsOutStep3
	rowsLeft
	rowsSum
	rowsSumStep  = rowsStep5
	rowsSumStep3 = dx
	rowsLast     = ax // the last index at which a vector begins
)

// together is the instructions of a block.
type together struct {
	*window
	rows  int
	insts []machine.Inst
}

// The places of vectors of a block: line i, row i of the output, row i of the sums.
const (
	ofLine = 100 * (1 + iota)
	ofOut
	ofSum
)

// newTogether returns the block that has the fewest instructions for a row; nil if the body has no
// window.
func newTogether(b *machine.Body) *together {
	w := windowOf(b.Graph.Kernel)
	if w == nil || b.Graph.Target != machine.Target(avx2) || len(b.Exits()) > 0 {
		return nil
	}
	var best *together
	for rows := mostTogether; rows > 1; rows-- {
		insts := w.block(b, rows)
		if insts != nil && (best == nil || len(insts)*best.rows < len(best.insts)*rows) {
			best = &together{w, rows, insts}
		}
	}
	return best
}

// block returns the instructions of a vector of some rows, nil if there are too few registers.
func (w *window) block(b *machine.Body, rows int) []machine.Inst {
	k, g := b.Graph.Kernel, &graph{b.Graph}
	c := &machine.Copy{Graph: b.Graph}
	l := lowerTo(c)
	bytes := g.Machine().Width
	vector := func(operand, disp int) ref {
		place := machine.Place{Operand: operand, Size: ir.Float32.Size(), Disp: disp, Bytes: bytes}
		return g.op("VMOVUPS", g.inPlace(place))
	}
	var order []ref
	sum := make([]ref, rows)
	if w.sum >= 0 {
		for r := range sum {
			sum[r] = vector(ofSum+r, 0)
			order = append(order, sum[r])
		}
	}
	for line := range w.lines + rows - 1 {
		for i := range w.width {
			x := vector(ofLine+line, i*ir.Float32.Size())
			order = append(order, x)
			for r := range rows {
				if line < r || line-r >= w.lines {
					continue
				}
				in := k.Body[(line-r)*w.width+i]
				args := [3]value{one(x), l.splat(int(in.Args[1]), ir.Float32), one(sum[r])}
				sum[r] = b.Graph.Apply(c, in, args).Part[0]
				order = append(order, sum[r])
			}
		}
	}
	for r := range rows {
		c.Values = make([]value, len(k.In)+len(k.Body))
		for i := range k.In {
			if k.In[i].Splat {
				c.Values[i] = l.splat(i, ir.Float32)
			}
		}
		chain := len(w.taps)
		c.Values[len(k.In)+chain-1] = one(sum[r])
		for j, in := range k.Body[chain:] {
			var a [3]value
			for i, arg := range in.Args[:in.Arity()] {
				a[i] = c.Values[arg]
			}
			c.Values[len(k.In)+chain+j] = b.Graph.Apply(c, in, a)
		}
		out := c.Values[k.Out[0]].Part[0]
		place := machine.Place{Operand: ofOut + r, Size: ir.Float32.Size(), Bytes: bytes}
		order = append(order, b.Graph.Schedule([]ref{g.placed("STORE", place, out)}, func(v ref) bool {
			return b.Graph.Invariant(v) || slices.Contains(order, v)
		})...)
	}
	return b.Allocate(order)
}

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

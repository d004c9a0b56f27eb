package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Positions of the least or greatest elements of rows of floats, and those elements themselves. A
// loop over blocks of four vectors keeps the best element of each lane and the block that it is
// in, so one comparison and one selection do for four vectors. At the end of the row the first of the blocks with
// the best element is searched for it. A row with a NaN, of which the loop keeps no more
// than that there is one, is searched for the first.
//
// The last block of a row overlaps the one before it: what is seen twice precedes nothing. Rows of less
// than a block go vector by vector, with the last one under a mask.

// argExtreme writes the function of such a kernel.
type argExtreme struct {
	program
	d     ir.DType
	by    ir.Op  // OpMin or OpMax
	keep  string // the instruction that keeps the better of two elements,
	signs string // and that which combines the signs of all
	best  bool   // the elements are stored too
}

// newArgExtreme returns the writer of a kernel, or nil if it is none of these.
func newArgExtreme(body *kernel.Kernel, combine []ir.Op) *argExtreme {
	if len(combine) == 0 || !combine[0].IsArgReduction() || len(body.In) != 1 || len(body.Body) > 0 || body.In[0].Splat {
		return nil
	}
	a := &argExtreme{d: body.In[0].DType, by: combine[0].Info().By, keep: "VMAX", signs: "VANDPS", best: len(combine) == 2}
	if a.d != ir.Float32 && a.d != ir.Float64 || len(combine) > 2 || a.best && combine[1] != a.by {
		return nil
	}
	if a.by == ir.OpMin {
		a.keep, a.signs = "VMIN", "VORPS"
	}
	return a
}

// General registers, besides ax, dx, and cx with the address of the abi.Frame; cols has the columns.
const (
	bestAt     = index         // pointer to the present block or vector
	bestLast   = firstFree     // pointer to the last whole block, or to the end of a short row
	bestRows   = firstFree + 1 // how many rows are left
	bestFrom   = firstFree + 2 // pointer to the row
	bestTo     = firstFree + 3 // pointer to its position
	bestStored = firstFree + 4 // pointer to its best element
	bestStart  = firstFree + 5 // where the block begins that has the best element
)

// Vector registers. Those below are scratch.
const (
	bestElement = 6 + iota // what is stored
	bestMask               // of a masked vector
	bestLanes              // the best element of each lane
	bestBlocks             // where the block begins that it is in
	bestNaN                // not zero where there was a NaN
	bestBlock              // where the present block begins
	bestStep               // how far the blocks are apart
	bestSigns              // the signs of all elements, combined
	bestNone               // what any element precedes
)

// bestVectors is how many vectors a block has.
const bestVectors = 4

func (a *argExtreme) lanes() int { return vectorBytes(1) / a.d.Size() }
func (a *argExtreme) block() int { return bestVectors * a.lanes() }

// float, scalar and int return the name of an instruction on lanes as wide as an element.
func (a *argExtreme) float(name string) string { return widthOf(name, a.d) }
func (a *argExtreme) scalar(name string) string {
	return name + map[int]string{4: "SS", 8: "SD"}[a.d.Size()]
}
func (a *argExtreme) int(name string) string {
	return name + map[int]string{4: "D", 8: "Q"}[a.d.Size()]
}

// constant loads a constant into all lanes.
func (a *argExtreme) constant(bits uint64, to int) {
	if a.d == ir.Float32 {
		bits |= bits << 32
	}
	a.do("VMOVUPS", mem(symbol(constantName(bits))), y(to))
}

// write returns the function.
func (a *argExtreme) write() *program {
	a.do("MOVQ", frameArg(), gp(cx))
	a.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(bestRows))
	a.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(cols))
	for _, r := range []int{bestRows, cols} {
		a.do("TESTQ", gp(r), gp(r))
		a.do("JLE", label("done"))
	}
	for i, r := range a.pointers() {
		a.do("MOVQ", mem(at(cx, codegen.FramePtr+8*i)), gp(r))
	}
	worst, _ := a.by.Info().Identity(a.d)
	a.constant(worst, bestNone)
	a.constant(uint64(a.block()), bestStep)
	a.here("row")
	a.startRow()
	a.do("CMPQ", gp(cols), imm32(int64(a.block())))
	a.do("JLT", label("short"))
	a.blocks()
	a.here("combine")
	a.do("VPTEST", y(bestNaN), y(bestNaN))
	a.do("JNE", label("nan"))
	a.combine()
	a.search()
	a.here("store")
	a.store()
	for i, r := range a.pointers() {
		a.do("ADDQ", mem(at(cx, codegen.FrameStep+8*i)), gp(r))
	}
	a.do("DECQ", gp(bestRows))
	a.do("JNE", label("row"))
	a.here("done")
	a.do("VZEROUPPER")
	a.do("RET")
	a.shortRow()
	a.firstNaN()
	return &a.program
}

// pointers returns the registers of the arguments.
func (a *argExtreme) pointers() []int {
	if a.best {
		return []int{bestFrom, bestTo, bestStored}
	}
	return []int{bestFrom, bestTo}
}

// startRow makes the lanes those of no element.
func (a *argExtreme) startRow() {
	a.do("VMOVAPS", y(bestNone), y(bestLanes))
	for _, r := range []int{bestBlocks, bestNaN, bestBlock} {
		a.do("VPXOR", y(r), y(r), y(r))
	}
	if a.best {
		a.do("VMOVAPS", y(bestNone), y(bestSigns))
	}
	a.do("MOVQ", gp(bestFrom), gp(bestAt))
}

// blocks goes over a row of a block at least.
func (a *argExtreme) blocks() {
	bytes := int64(vectorBytes(bestVectors))
	a.do("LEAQ", mem(at(bestFrom, -int(bytes)).indexed(cols, a.d.Size())), gp(bestLast))
	a.do("PCALIGN", imm(64))
	a.here("loop")
	a.step(bestVectors)
	a.do(a.int("VPADD"), y(bestStep), y(bestBlock), y(bestBlock))
	a.do("ADDQ", imm32(bytes), gp(bestAt))
	a.do("CMPQ", gp(bestAt), gp(bestLast))
	a.do("JLS", label("loop"))
	a.do("SUBQ", imm32(bytes), gp(bestAt))
	a.do("CMPQ", gp(bestAt), gp(bestLast))
	a.do("JEQ", label("combine"))
	a.do("LEAQ", mem(at(cols, -a.block())), gp(ax))
	a.do("VMOVQ", gp(ax), x(bestBlock))
	a.do(a.int("VPBROADCAST"), x(bestBlock), y(bestBlock))
	a.do("MOVQ", gp(bestLast), gp(bestAt))
	a.step(bestVectors)
}

// step compares n vectors with the best elements. Each is loaded into a register of its own.
func (a *argExtreme) step(n int) {
	for v := range n {
		a.do("VMOVUPS", mem(at(bestAt, vectorBytes(v))), y(v))
	}
	a.compare(n)
}

// compare compares the vectors in the first n registers with the best elements.
func (a *argExtreme) compare(n int) {
	const nan, precedes = 4, 5
	for v := 0; v < n; v += 2 { // a comparison finds the NaN of two vectors
		a.do(a.float("VCMP"), imm(3), y(v), y(min(v+1, n-1)), y(nan))
		a.do("VORPS", y(nan), y(bestNaN), y(bestNaN))
	}
	if a.best {
		for v := range n {
			a.do(a.signs, y(v), y(bestSigns), y(bestSigns))
		}
	}
	for apart := 1; apart < n; apart *= 2 {
		for v := 0; v < n; v += 2 * apart {
			a.better(v+apart, v)
		}
	}
	less, greater := y(bestLanes), y(0)
	if a.by == ir.OpMin {
		less, greater = greater, less
	}
	a.do(a.float("VCMP"), imm(0x11), greater, less, y(precedes))
	a.better(0, bestLanes)
	a.do("VBLENDVPS", y(precedes), y(bestBlock), y(bestBlocks), y(bestBlocks))
}

// better makes the elements of a register the better of them and others.
func (a *argExtreme) better(from, to int) {
	a.do(a.float(a.keep), y(from), y(to), y(to))
}

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
// than a block go vector by vector, with the last one under a mask. A kernel of two rows reads them side by side. An
// Emerald Rapids with two threads takes 0.5 of the time of the general code for rows of 4096 float32 from memory.

// argExtreme writes the function of such a kernel.
type argExtreme struct {
	program
	d     ir.DType
	by    ir.Op  // OpMin or OpMax
	keep  string // the instruction that keeps the better of two elements,
	signs string // and that which combines the signs of all
	rows  int    // that are read together, one or two
	best  bool   // the elements are stored too
}

// newArgExtreme returns the writer of a kernel, or nil if it is none of these.
func newArgExtreme(body *kernel.Kernel, combine []ir.Op) *argExtreme {
	rows := len(body.In)
	if len(combine) == 0 || !combine[0].IsArgReduction() || len(body.Body) > 0 || rows > 2 || len(combine)%rows > 0 || len(combine) > 2*rows {
		return nil
	}
	a := &argExtreme{d: body.In[0].DType, by: combine[0].Info().By, keep: "VMAX", signs: "VANDPS", rows: rows, best: len(combine) > rows}
	if a.d != ir.Float32 && a.d != ir.Float64 {
		return nil
	}
	for _, in := range body.In {
		if in.Splat || in.DType != a.d {
			return nil
		}
	}
	for i, by := range combine {
		want := combine[0]
		if i >= rows {
			want = a.by
		}
		if by != want || int(body.Out[i]) != i%rows {
			return nil
		}
	}
	if a.by == ir.OpMin {
		a.keep, a.signs = "VMIN", "VORPS"
	}
	return a
}

// General registers, besides ax, dx, and cx with the address of the abi.Frame; cols has the columns. Of two rows, cx has how
// far the second one is from the first one, then its position.
const (
	bestAt      = index         // pointer to the present block or vector
	bestLast    = firstFree     // pointer to the last whole block, or to the end of a short row
	bestRows    = firstFree + 1 // how many rows are left
	bestStart   = firstFree + 2 // where the block begins that has the best element
	bestPointer = firstFree + 3 // pointer to the row; those of other arguments follow
)

// Vector registers. Those below are scratch.
const (
	bestMask    = 5 + iota // of a masked vector, which is scratch too
	bestElement            // what is stored; that of a second row follows
	bestBlock              // where the present block begins
	bestLanes              // the best element of each lane
	bestBlocks             // where the block begins that it is in
	bestNaN                // not zero where there was a NaN
	bestSigns              // the signs of all elements, combined
	bestOfRow   = bestSigns + 1 - bestLanes
)

// bestVectors is how many vectors a block has.
const bestVectors = 4

func (a *argExtreme) lanes() int { return vectorBytes(1) / a.d.Size() }
func (a *argExtreme) block() int { return bestVectors * a.lanes() }

// lanesOf, blocksOf, nanOf and signsOf return the registers of a row, startOf that of its position.
func lanesOf(row int) int  { return bestLanes + row*bestOfRow }
func blocksOf(row int) int { return bestBlocks + row*bestOfRow }
func nanOf(row int) int    { return bestNaN + row*bestOfRow }
func signsOf(row int) int  { return bestSigns + row*bestOfRow }

func startOf(row int) int { return []int{bestStart, cx}[row] }

// from, to and stored return the pointers to a row, to its position and to its best element.
func (a *argExtreme) from(row int) int   { return bestPointer + row }
func (a *argExtreme) to(row int) int     { return bestPointer + a.rows + row }
func (a *argExtreme) stored(row int) int { return bestPointer + 2*a.rows + row }

// float, scalar and int return the name of an instruction on lanes as wide as an element.
func (a *argExtreme) float(name string) string { return widthOf(name, a.d) }
func (a *argExtreme) scalar(name string) string {
	return name + map[int]string{4: "SS", 8: "SD"}[a.d.Size()]
}
func (a *argExtreme) int(name string) string {
	return name + map[int]string{4: "D", 8: "Q"}[a.d.Size()]
}

// lanesWith returns where a constant is in all lanes, and constant loads it.
func (a *argExtreme) lanesWith(bits uint64) arg {
	if a.d == ir.Float32 {
		bits |= bits << 32
	}
	return mem(symbol(constantName(bits)))
}

func (a *argExtreme) constant(bits uint64, to int) { a.do("VMOVUPS", a.lanesWith(bits), y(to)) }

// none is what any element precedes.
func (a *argExtreme) none() uint64 {
	bits, _ := a.by.Info().Identity(a.d)
	return bits
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
	pointers := a.rows * (2 + map[bool]int{true: 1}[a.best])
	for i := range pointers {
		a.do("MOVQ", mem(at(cx, codegen.FramePtr+8*i)), gp(bestPointer+i))
	}
	a.here("row")
	a.startRow()
	a.do("CMPQ", gp(cols), imm32(int64(a.block())))
	a.do("JLT", label("short"))
	a.blocks()
	a.here("combine")
	for r := range a.rows {
		a.do("VPTEST", y(nanOf(r)), y(nanOf(r)))
		a.do("JNE", label("nan"+itoa(r)))
		a.combine(r)
		a.search(r)
		a.here("found" + itoa(r))
	}
	a.store()
	for i := range pointers {
		a.do("ADDQ", mem(at(cx, codegen.FrameStep+8*i)), gp(bestPointer+i))
	}
	a.do("DECQ", gp(bestRows))
	a.do("JNE", label("row"))
	a.here("done")
	a.do("VZEROUPPER")
	a.do("RET")
	a.shortRow()
	for r := range a.rows {
		a.searchShort(r)
		a.firstNaN(r)
	}
	return &a.program
}

// startRow makes the lanes those of no element.
func (a *argExtreme) startRow() {
	a.do("VPXOR", y(bestBlock), y(bestBlock), y(bestBlock))
	for r := range a.rows {
		a.constant(a.none(), lanesOf(r))
		for _, v := range []int{blocksOf(r), nanOf(r)} {
			a.do("VPXOR", y(v), y(v), y(v))
		}
		if a.best {
			a.do("VMOVAPS", y(lanesOf(r)), y(signsOf(r)))
		}
	}
	a.do("MOVQ", gp(a.from(0)), gp(bestAt))
	if a.rows == 2 {
		a.do("MOVQ", gp(a.from(1)), gp(cx))
		a.do("SUBQ", gp(a.from(0)), gp(cx))
	}
}

// vector returns where a vector of a row is, from bestAt on.
func (a *argExtreme) vector(row, v int) arg {
	m := at(bestAt, vectorBytes(v))
	if row == 1 {
		m = m.indexed(cx, 1)
	}
	return mem(m)
}

// blocks goes over a row of a block at least.
func (a *argExtreme) blocks() {
	bytes := int64(vectorBytes(bestVectors))
	a.do("LEAQ", mem(at(a.from(0), -int(bytes)).indexed(cols, a.d.Size())), gp(bestLast))
	a.do("PCALIGN", imm(64))
	a.here("loop")
	a.step(bestVectors)
	a.do(a.int("VPADD"), a.lanesWith(uint64(a.block())), y(bestBlock), y(bestBlock))
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

// step compares n vectors of each row with its best elements. Each is loaded into a register of its own.
func (a *argExtreme) step(n int) {
	for r := range a.rows {
		for v := range n {
			a.do("VMOVUPS", a.vector(r, v), y(v))
		}
		a.compare(r, n)
	}
}

// compare compares the vectors in the first n registers with the best elements of a row.
func (a *argExtreme) compare(row, n int) {
	const nan, precedes = 4, 5
	lanes, blocks := lanesOf(row), blocksOf(row)
	for v := 0; v < n; v += 2 { // a comparison finds the NaN of two vectors
		a.do(a.float("VCMP"), imm(cmpUnord), y(v), y(min(v+1, n-1)), y(nan))
		a.do("VORPS", y(nan), y(nanOf(row)), y(nanOf(row)))
	}
	if a.best {
		for v := range n {
			a.do(a.signs, y(v), y(signsOf(row)), y(signsOf(row)))
		}
	}
	for apart := 1; apart < n; apart *= 2 {
		for v := 0; v < n; v += 2 * apart {
			a.better(v+apart, v)
		}
	}
	less, greater := y(lanes), y(0)
	if a.by == ir.OpMin {
		less, greater = greater, less
	}
	a.do(a.float("VCMP"), imm(cmpLt), greater, less, y(precedes))
	a.better(0, lanes)
	a.do("VBLENDVPS", y(precedes), y(bestBlock), y(blocks), y(blocks))
}

// better makes the elements of a register the better of them and others.
func (a *argExtreme) better(from, to int) {
	a.do(a.float(a.keep), y(from), y(to), y(to))
}

package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Arg-minima and arg-maxima of rows of floats, and the minima and maxima themselves. A loop over blocks of four
// vectors keeps the best element of each lane and the block that holds it, so one comparison and one selection serve
// four vectors. At the end of a row, the first block that holds the best element is searched for it. A row with a NaN is
// searched for its first NaN: the loop only records that there is one.
//
// The last block of a row overlaps the one before it, which does no harm: an element seen twice does not precede itself.
// Rows shorter than a block go vector by vector, the last one under a mask. A kernel of two rows reads them side by side:
// for rows of 4096 float32 from memory, an Emerald Rapids with two threads takes 0.5 of the time of the general code.

// argExtreme writes the function of an arg-minimum or arg-maximum.
type argExtreme struct {
	Program
	d     ir.DType
	by    ir.Op  // OpMin or OpMax
	keep  string // the instruction that keeps the better of two elements
	signs string // the instruction that combines the signs of all elements
	rows  int    // rows read together, one or two
	best  bool   // the elements are stored too
}

// newArgExtreme returns the writer of a kernel, or nil if the kernel is not such a reduction.
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

// General registers, besides ax, dx, and cx with the address of the abi.Frame; cols has the number of columns. With two rows,
// cx has the distance from the first row to the second, and later the position of the second.
const (
	bestAt      = index         // pointer to the present block or vector
	bestLast    = firstFree     // pointer to the last whole block, or to the end of a short row
	bestRows    = firstFree + 1 // how many rows are left
	bestStart   = firstFree + 2 // start of the block that holds the best element
	bestPointer = firstFree + 3 // pointer to the row; those of other arguments follow
)

// Vector registers. Those below are scratch.
const (
	bestMask    = 5 + iota // of a masked vector, which is scratch too
	bestElement            // what is stored; that of a second row follows
	bestBlock              // where the present block begins
	bestLanes              // the best element of each lane
	bestBlocks             // start of the block that holds the best element of each lane
	bestNaN                // nonzero in lanes that have seen a NaN
	bestSigns              // the signs of all elements, combined
	bestOfRow   = bestSigns + 1 - bestLanes
)

// bestVectors is the number of vectors of a block.
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

// lanesWith returns the address of a constant in all lanes. constant loads it into a register.
func (a *argExtreme) lanesWith(bits uint64) Arg {
	if a.d == ir.Float32 {
		bits |= bits << 32
	}
	return mem(symbol(constant(constBytes, bits)))
}

func (a *argExtreme) constant(bits uint64, to int) { a.do("VMOVUPS", a.lanesWith(bits), y(to)) }

// none returns the bits of a value that every element precedes.
func (a *argExtreme) none() uint64 {
	bits, _ := a.by.Info().Identity(a.d)
	return bits
}

// write returns the function.
func (a *argExtreme) write() *Program {
	a.do("MOVQ", frameArg(), gp(cx))
	a.do("MOVQ", mem(at(cx, frameRows)), gp(bestRows))
	a.do("MOVQ", mem(at(cx, frameCols)), gp(cols))
	for _, r := range []int{bestRows, cols} {
		a.do("TESTQ", gp(r), gp(r))
		a.do("JLE", label("done"))
	}
	pointers := a.rows * (2 + map[bool]int{true: 1}[a.best])
	for i := range pointers {
		a.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(bestPointer+i))
	}
	a.here("row", "each row, or rows together")
	a.startRow()
	a.do("CMPQ", gp(cols), imm32(int64(a.block())))
	a.do("JLT", label("short"))
	a.blocks()
	a.here("combine", "the best element of all lanes")
	for r := range a.rows {
		a.do("VPTEST", y(nanOf(r)), y(nanOf(r)))
		a.do("JNE", label("nan"+itoa(r)))
		a.combine(r)
		a.search(r)
		a.here("found"+itoa(r), "its place in the row")
	}
	a.store()
	for i := range pointers {
		a.do("ADDQ", mem(at(cx, frameStep+8*i)), gp(bestPointer+i))
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
	return &a.Program
}

// startRow initializes the lanes to the value that every element precedes.
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

// vector returns the address of vector v of a row, counted from bestAt.
func (a *argExtreme) vector(row, v int) Arg {
	m := at(bestAt, vectorBytes(v))
	if row == 1 {
		m = m.indexed(cx, 1)
	}
	return mem(m)
}

// blocks writes the loop over a row of at least one block.
func (a *argExtreme) blocks() {
	bytes := int64(vectorBytes(bestVectors))
	a.do("LEAQ", mem(at(a.from(0), -int(bytes)).indexed(cols, a.d.Size())), gp(bestLast))
	a.do("PCALIGN", imm(64))
	a.here("loop", "blocks of vectors: the best one of each lane, and its block")
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

// step compares n vectors of each row with its best elements. Each vector is loaded into a register of its own.
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

// better replaces the elements of register to by those of register from where these are better.
func (a *argExtreme) better(from, to int) {
	a.do(a.float(a.keep), y(from), y(to), y(to))
}

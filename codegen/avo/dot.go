package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Blocks of matrix products. A tile of rows of the product stays in registers
// while all pairs go past; for each pair a row of B is loaded, and each of the
// tile's elements of A is broadcast and multiplied by it.
//
// Where the numbers come from:
//
//   - A fused multiply-add takes 4 cycles and two begin in each, so 8 sums or
//     more must be under way at once, 10 where it takes 5.
//   - Two loads begin in a cycle as well. A tile of R rows and V vectors has R+V
//     loads for R*V multiplications, so neither may be 1. Of 16 registers 6x2
//     takes 12 for sums, 2 for B and 1 for A, which is 8 loads for 12.
//   - That is 22 instructions a pair, in the 6 cycles of 12 multiplications:
//     machines that take in 4 instructions a cycle have room for 24. So the loop
//     has four pairs, to share what counts them, and rows of A are reached from
//     one pointer by multiples of the step, which leaves an addition a pair.
//   - Two vectors are 64 bytes, a cache line, as wide as DotColumns; DotChunk
//     rows of them are 16 KiB: half of a first-level cache, where the other
//     half is for A going past.
//   - The low half of a product of int64 is made of two instructions that each
//     have a sum of their own: twice the registers for sums, half the rows.
//
// The last rows, fewer than two tiles, are shared evenly: 7 rows as 4 and 3, as
// a tile of one row has too few sums under way.

// General registers of dots: all there are.
const (
	dotCount  = iota // pairs that are left; else scratch
	dotA             // the tile's element of A in its first row
	dotB             // the row of B
	dotTop           // the tile's row of A
	dotC             // the tile's row of the product
	dotRows          // rows that are left
	dotMask          // where in the table of masks the last columns' mask is
	dotAcross        // steps: across a row of A
	dotStepA         // to the next row of A
	dotStepA3        // three of them
	dotStepA5        // five
	dotStepB
	dotStepB3
	dotStepC
)

// Vector registers of dots; those before hold the sums.
const (
	dotSums    = 12
	dotRow     = 12 // of B, two vectors
	dotElement = 14 // of A, in all lanes
	dotScratch = 15
)

// dotUnroll is how many pairs the loop has.
const dotUnroll = 4

// dotArith is how products of a type are added up.
type dotArith struct {
	rows      int    // of a whole tile
	parts     int    // registers for a sum
	broadcast string //
	add       string // to what the block holds
	multiply  func(t *dotTile, row int)
	finish    func(t *dotTile, low, high int) // one sum of two parts, or nil
}

var dotAriths = map[ir.DType]dotArith{
	ir.Float32: {6, 1, "VBROADCASTSS", "VADDPS", fuse("VFMADD231PS"), nil},
	ir.Float64: {6, 1, "VBROADCASTSD", "VADDPD", fuse("VFMADD231PD"), nil},
	ir.Int32:   {6, 1, "VPBROADCASTD", "VPADDD", mulAdd32, nil},
	ir.Int64:   {3, 2, "VPBROADCASTQ", "VPADDQ", mulAdd64, finish64},
}

func fuse(name string) func(t *dotTile, row int) {
	return func(t *dotTile, row int) {
		for v := range t.vectors {
			t.do(name, y(dotRow+v), y(dotElement), y(t.sum(row, v, 0)))
		}
	}
}

func mulAdd32(t *dotTile, row int) {
	for v := range t.vectors {
		t.do("VPMULLD", y(dotRow+v), y(dotElement), y(dotScratch))
		t.do("VPADDD", y(dotScratch), y(t.sum(row, v, 0)), y(t.sum(row, v, 0)))
	}
}

// mulAdd64 adds the 64 bits of the lower halves' product to one sum, and the
// lower 32 bits of both products of a lower and an upper half to another, side
// by side.
func mulAdd64(t *dotTile, row int) {
	for part, op := range [][2]string{{"VPMULUDQ", "VPADDQ"}, {"VPMULLD", "VPADDD"}} {
		if part == 1 {
			t.do("VPSHUFD", imm(0xb1), y(dotElement), y(dotElement))
		}
		for v := range t.vectors {
			t.do(op[0], y(dotRow+v), y(dotElement), y(dotScratch))
			t.do(op[1], y(dotScratch), y(t.sum(row, v, part)), y(t.sum(row, v, part)))
		}
	}
}

// finish64 adds both halves of high to the upper half of low.
func finish64(t *dotTile, low, high int) {
	t.do("VPSLLQ", imm(32), y(high), y(dotScratch))
	t.do("VPADDQ", y(dotScratch), y(low), y(low))
	t.do("VPSRLQ", imm(32), y(high), y(high))
	t.do("VPSLLQ", imm(32), y(high), y(high))
	t.do("VPADDQ", y(high), y(low), y(low))
}

// dotter writes the function of a dot kernel.
type dotter struct {
	program
	micro *kernel.Micro
	dotArith
	d     ir.DType
	lanes int
	next  int // in the frame: what of B a tile asks for ahead
}

// aheadLines is how many cache lines of the next panel a whole tile asks for: some
// twenty tiles have all of it in the second-level cache when its turn comes.
const aheadLines = 8

// dotForm is a number of vectors that the columns take.
type dotForm struct {
	name    string
	vectors int
	masked  bool // the last of them
}

// compileDot returns the function of a dot kernel.
func compileDot(m *kernel.Micro) *program {
	d := m.Type
	w := &dotter{micro: m, dotArith: dotAriths[d], d: d, lanes: vectorBytes(1) / d.Size()}
	w.begin()
	w.do("CMPQ", gp(dotMask), imm(int64(2*w.lanes)))
	w.do("JGE", label("two"))
	w.do("SUBQ", imm(int64(w.lanes)), gp(dotMask))
	w.do("JGT", label("more"))
	w.do("ADDQ", imm(int64(w.lanes)), gp(dotMask))
	w.form(dotForm{"one", 1, true})
	w.here("more")
	w.form(dotForm{"more", 2, true})
	w.here("two")
	w.form(dotForm{"two", 2, false})
	w.here("done")
	w.do("VZEROUPPER")
	w.do("RET")
	return &w.program
}

// begin reads the frame, the columns into dotMask.
func (w *dotter) begin() {
	w.do("MOVQ", frameArg(), gp(dotCount))
	for _, n := range [][2]int{{codegen.FrameRows, dotRows}, {codegen.FrameCols, dotMask}} {
		w.do("MOVQ", mem(at(dotCount, n[0])), gp(n[1]))
		w.do("TESTQ", gp(n[1]), gp(n[1]))
		w.do("JLE", label("done"))
	}
	for _, n := range [][2]int{
		{codegen.FramePtr, dotTop}, {codegen.FramePtr + 2*8, dotC}, {codegen.FrameStep, dotStepA}, {codegen.FrameStep + 8, dotStepB},
		{codegen.FrameStep + 2*8, dotStepC}, {w.field(kernel.DotAcross), dotAcross},
	} {
		w.do("MOVQ", mem(at(dotCount, n[0])), gp(n[1]))
	}
	w.next = w.local(8)
	w.do("MOVQ", mem(at(dotCount, codegen.FramePtr+8)), gp(dotB))
	w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotNext))), gp(dotA))
	w.do("ADDQ", gp(dotA), gp(dotB))
	w.do("MOVQ", gp(dotB), mem(stack(w.next)))
	w.do("LEAQ", mem(at(dotStepA, 0).indexed(dotStepA, 2)), gp(dotStepA3))
	w.do("LEAQ", mem(at(dotStepA, 0).indexed(dotStepA, 4)), gp(dotStepA5))
	w.do("LEAQ", mem(at(dotStepB, 0).indexed(dotStepB, 2)), gp(dotStepB3))
}

// field returns where in the frame a field is.
func (w *dotter) field(i int) int { return codegen.FrameStep + 8*w.micro.FieldAt(i) }

// form writes the loop over tiles of a form.
func (w *dotter) form(f dotForm) {
	if f.masked {
		w.do("NEGQ", gp(dotMask))
		w.do("LEAQ", mem(symbol(maskTable).at(vectorBytes(2))), gp(dotCount))
		w.do("LEAQ", mem(at(dotCount, 0).indexed(dotMask, w.d.Size())), gp(dotMask))
	}
	tile := func(rows int) *dotTile { return &dotTile{w, f, rows, f.name + itoa(rows)} }
	w.here(f.name + "Tiles")
	w.do("MOVQ", gp(dotRows), gp(dotCount))
	w.do("CMPQ", gp(dotRows), imm(int64(w.rows)))
	w.do("JLE", label(f.name+"Take"))
	w.do("CMPQ", gp(dotRows), imm(int64(2*w.rows-1)))
	w.do("JGE", label(tile(w.rows).name))
	w.do("INCQ", gp(dotCount))
	w.do("SHRQ", imm(1), gp(dotCount))
	w.here(f.name + "Take")
	for rows := 1; rows < w.rows; rows++ {
		w.do("CMPQ", gp(dotCount), imm(int64(rows)))
		w.do("JEQ", label(tile(rows).name))
	}
	for rows := w.rows; rows > 0; rows-- {
		tile(rows).write()
	}
}

// dotTile writes a tile of so many rows.
type dotTile struct {
	*dotter
	dotForm
	rows int
	name string
}

// sum returns the register of a part of a sum.
func (t *dotTile) sum(row, vector, part int) int { return (row*t.vectors+vector)*t.parts + part }

func (t *dotTile) write() {
	t.here(t.name)
	t.start()
	t.pairs()
	t.total()
	t.do("SUBQ", imm(int64(t.rows)), gp(dotRows))
	t.do("JGT", label(t.dotForm.name+"Tiles"))
	t.do("JMP", label("done"))
}

// start clears the sums, and asks for the rows of the product: they are far away
// when a whole product is computed, and needed when the pairs are done. Asking for
// rows of A ahead gained nothing: machines see those coming.
func (t *dotTile) start() {
	t.do("MOVQ", gp(dotC), gp(dotA))
	for row := range t.rows {
		t.do("PREFETCHT0", mem(at(dotA, 0)))
		if row < t.rows-1 {
			t.do("ADDQ", gp(dotStepC), gp(dotA))
		}
	}
	if t.rows == t.dotter.rows && t.vectors == 2 && !t.masked {
		t.do("MOVQ", mem(stack(t.next)), gp(dotA))
		for i := range aheadLines {
			t.do("PREFETCHT1", mem(at(dotA, 64*i)))
		}
		t.do("LEAQ", mem(at(dotA, 64*aheadLines)), gp(dotA))
		t.do("MOVQ", gp(dotA), mem(stack(t.next)))
	}
	t.do("MOVQ", frameArg(), gp(dotCount))
	t.do("MOVQ", gp(dotTop), gp(dotA))
	t.do("MOVQ", mem(at(dotCount, codegen.FramePtr+8)), gp(dotB))
	t.do("MOVQ", mem(at(dotCount, t.field(kernel.DotPairs))), gp(dotCount))
	for r := range t.sum(t.rows, 0, 0) {
		t.do("VXORPS", y(r), y(r), y(r))
	}
}

// pairs adds up the products: where all columns are there, in a loop of four pairs
// and one of what is left. The edge of a product is not worth a third more code.
func (t *dotTile) pairs() {
	if !t.masked {
		t.unrolled()
	}
	t.do("PCALIGN", imm(32))
	t.here(t.name + "Pair")
	t.pair(0)
	t.do("ADDQ", gp(dotStepB), gp(dotB))
	t.do("DECQ", gp(dotCount))
	t.do("JNE", label(t.name+"Pair"))
	t.here(t.name + "Total")
}

func (t *dotTile) unrolled() {
	t.do("SUBQ", imm(dotUnroll), gp(dotCount))
	t.do("JLT", label(t.name+"Few"))
	t.do("PCALIGN", imm(32))
	t.here(t.name + "Loop")
	for k := range dotUnroll {
		t.pair(k)
	}
	t.do("LEAQ", mem(at(dotB, 0).indexed(dotStepB, dotUnroll)), gp(dotB))
	t.do("SUBQ", imm(dotUnroll), gp(dotCount))
	t.do("JGE", label(t.name+"Loop"))
	t.here(t.name + "Few")
	t.do("ADDQ", imm(dotUnroll), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
}

// pair adds the products of a column of A and row k of B from dotB on.
func (t *dotTile) pair(k int) {
	from := [dotUnroll]memory{at(dotB, 0), at(dotB, 0).indexed(dotStepB, 1), at(dotB, 0).indexed(dotStepB, 2), at(dotB, 0).indexed(dotStepB3, 1)}[k]
	for v := range t.vectors {
		t.load(v, from.at(vectorBytes(v)), dotRow+v)
	}
	of := []memory{at(dotA, 0), at(dotA, 0).indexed(dotStepA, 1), at(dotA, 0).indexed(dotStepA, 2),
		at(dotA, 0).indexed(dotStepA3, 1), at(dotA, 0).indexed(dotStepA, 4), at(dotA, 0).indexed(dotStepA5, 1)}
	for row := range t.rows {
		t.do(t.broadcast, mem(of[row]), y(dotElement))
		t.multiply(t, row)
	}
	t.do("ADDQ", gp(dotAcross), gp(dotA))
}

// load reads a vector of a row, the last one under its mask. The mask is read
// again for each: no register is left for it, and loads are not short.
func (t *dotTile) load(vector int, from memory, to int) {
	if !t.masks(vector) {
		t.do("VMOVUPS", mem(from), y(to))
		return
	}
	t.do("VMOVUPS", mem(at(dotMask, 0)), y(to))
	t.do(widthOf("VMASKMOV", t.d), mem(from), y(to), y(to))
}

func (t *dotTile) masks(vector int) bool { return t.masked && vector == t.vectors-1 }

// total stores the sums, or adds them to what is stored, and goes on to the next
// tile.
func (t *dotTile) total() {
	t.do("MOVQ", frameArg(), gp(dotCount))
	t.do("CMPQ", mem(at(dotCount, t.field(kernel.DotAdds))), imm(0))
	if t.finish != nil {
		for r := 0; r < t.sum(t.rows, 0, 0); r += t.parts {
			t.finish(t, r, r+1)
		}
	}
	t.do("JEQ", label(t.name+"Store"))
	t.do("MOVQ", gp(dotC), gp(dotA))
	t.each(func(row, v int) {
		t.load(v, at(dotA, vectorBytes(v)), dotScratch)
		t.do(t.add, y(dotScratch), y(t.sum(row, v, 0)), y(t.sum(row, v, 0)))
	}, dotA, dotStepC)
	t.here(t.name + "Store")
	if t.masked {
		t.do("VMOVUPS", mem(at(dotMask, 0)), y(dotScratch))
	}
	t.each(func(row, v int) {
		to := mem(at(dotC, vectorBytes(v)))
		if t.masks(v) {
			t.do(widthOf("VMASKMOV", t.d), y(t.sum(row, v, 0)), y(dotScratch), to)
		} else {
			t.do("VMOVUPS", y(t.sum(row, v, 0)), to)
		}
	}, dotC, dotStepC)
	for range t.rows {
		t.do("ADDQ", gp(dotStepA), gp(dotTop))
	}
}

// each calls for every vector of the tile, and adds a step after each row.
func (t *dotTile) each(do func(row, vector int), pointer, step int) {
	for row := range t.rows {
		for v := range t.vectors {
			do(row, v)
		}
		t.do("ADDQ", gp(step), gp(pointer))
	}
}

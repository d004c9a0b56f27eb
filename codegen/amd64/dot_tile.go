package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// One tile of a matrix product: the sums start at 0, the loop over pairs adds products, and
// the end stores the sums.

// dotTile writes the instructions of a tile.
type dotTile struct {
	*dotWriter
	dotForm
	rows  int    // at most dotArith.rows, or dotForm.tall
	name  string // of its labels
	lines int    // 2 if the second half of the rows are windows of the next line, else 1
	// transposed says that blocks of its rows are transposed in registers: see dot_transposed.go.
	transposed bool
}

// isTall reports whether the tile has the form's tall number of rows.
func (t *dotTile) isTall() bool { return t.rows == t.tall }

// isWide reports whether a row of the tile spans two cache lines.
func (t *dotTile) isWide() bool { return t.cacheLines() > 1 }

// cacheLines returns the number of cache lines of a row of the tile.
func (t *dotTile) cacheLines() int { return max(1, t.vectors*t.width/cacheLine) }

// sum returns the vector register of a part of a sum.
func (t *dotTile) sum(row, vector, part int) int { return (row*t.vectors+vector)*t.parts + part }

func (t *dotTile) write() {
	t.here(t.name, "a tile of "+counted(t.rows, "row"))
	t.start()
	t.pairs()
	t.total()
	if t.isTall() {
		t.do("MOVQ", mem(stack(t.held)), gp(dotMask))
	}
	t.do("SUBQ", imm(int64(t.rows/t.lines)), gp(dotRows))
	t.do("JGT", label(t.dotForm.name+"Tiles"))
	t.do("JMP", label(t.after()))
}

// after returns the label behind the last tile, or nothing if the tiles cover all columns of the call.
func (t *dotTile) after() string {
	switch {
	case t.lines == 2:
		return "bothDone"
	case t.isWide():
		return "end"
	}
	return "done"
}

// start sets the sums to 0 and prefetches the rows of the product, which are in memory or
// in a distant cache, and are needed after the last pair. A whole tile also prefetches a
// part of the next panel of B. Prefetching A gained nothing: hardware prefetchers do it.
func (t *dotTile) start() {
	t.do("MOVQ", gp(dotC), gp(dotA))
	t.each(func(int) {
		for line := range t.cacheLines() {
			t.do("PREFETCHT0", mem(at(dotA, cacheLine*line)))
		}
	}, dotA, dotStepC)
	if n := t.ahead(); n > 0 {
		t.do("MOVQ", mem(stack(t.next)), gp(dotA))
		for i := range n {
			t.do("PREFETCHT1", mem(at(dotA, 64*i)))
		}
		t.do("LEAQ", mem(at(dotA, 64*n)), gp(dotA))
		t.do("MOVQ", gp(dotA), mem(stack(t.next)))
	}
	t.do("MOVQ", frameArg(), gp(dotCount))
	t.do("MOVQ", gp(dotTop), gp(dotA))
	if t.isTall() {
		t.do("VMOVUPS", mem(at(dotMask, 0)), t.vec(dotHeldMask))
		t.do("MOVQ", gp(dotMask), mem(stack(t.held)))
	}
	switch {
	case t.lines == 2:
		t.do("MOVQ", mem(stack(t.windows.lineStep)), gp(dotMask))
		t.do("ADDQ", gp(dotA), gp(dotMask))
	case t.rows > dotAddressed:
		t.do("LEAQ", mem(at(dotA, 0).indexed(dotStepA3, 2)), gp(dotMask))
		t.do("ADDQ", gp(dotStepA), gp(dotMask))
	}
	if t.left() {
		t.do("MOVQ", mem(at(dotCount, framePtr+8)), gp(dotB))
	} else {
		t.do("MOVQ", mem(stack(t.first)), gp(dotB))
	}
	if t.windows != nil {
		t.startWindows()
	}
	t.do("MOVQ", mem(at(dotCount, t.field(kernel.DotPairs))), gp(dotCount))
	for r := range t.sum(t.rows, 0, 0) {
		t.do("VXORPS", t.vec(r), t.vec(r), t.vec(r))
	}
}

// ahead returns the number of cache lines of B that the start of a tile prefetches.
func (t *dotTile) ahead() int {
	switch {
	case t.masked:
		return 0
	case t.left():
		return t.aheadLines
	case t.windows == nil && t.rows == t.dotWriter.rows:
		return prefetchLines
	}
	return 0
}

// pairs adds up the products: a loop of dotUnroll pairs, and a loop of one pair for the rest. Masked forms have the second
// loop only: the first would add a third to the code, and only the last columns of a product are masked. Wide forms do
// not unroll either: beside the 24 products of a pair, counting takes no time.
func (t *dotTile) pairs() {
	switch {
	case t.windows != nil:
		t.windowPairs()
		return
	case t.transposed:
		t.transposedPairs()
		return
	case t.isWide() && t.rows == t.dotWriter.rows:
		t.packedPairs()
	case !t.masked && !t.isWide() || t.few:
		t.unrolled()
	}
	t.onePair(dotStepB)
	t.do("JNE", label(t.name+"Pair"))
	t.here(t.name+"Total", "the sums are complete")
}

// packedPairs writes a loop of two pairs for packed rows of A, whose distance is a constant. Each iteration also prefetches a
// line of the next panel of B, which dotMask points to, so that four tiles prefetch all of it. Skylake-SP, 48 rows and 1.7 MB of
// panels: 0.98 of the time without these prefetches.
func (t *dotTile) packedPairs() {
	size := t.d.Size()
	step := kernel.DotPackedStep(t.d) * size
	t.do("CMPQ", gp(dotStepA), imm32(int64(step)))
	t.do("JNE", label(t.name+"Pair"))
	t.do("CMPQ", gp(dotAcross), imm(int64(size)))
	t.do("JNE", label(t.name+"Pair"))
	t.do("SUBQ", imm(2), gp(dotCount))
	t.do("JLT", label(t.name+"Rest"))
	t.do("MOVQ", mem(stack(t.next)), gp(dotMask))
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Loop", "several pairs at a time")
	t.do("PREFETCHT1", mem(at(dotMask, 0)))
	t.do("ADDQ", imm(cacheLine), gp(dotMask))
	for k := range 2 {
		t.rowOfPanel()
		for row := range t.rows {
			t.twoLines(t, at(dotA, step*row+size*k), row)
		}
		t.do("ADDQ", gp(dotStepB), gp(dotB))
	}
	t.do("ADDQ", imm(int64(2*size)), gp(dotA))
	t.do("SUBQ", imm(2), gp(dotCount))
	t.do("JGE", label(t.name+"Loop"))
	t.do("MOVQ", gp(dotMask), mem(stack(t.next)))
	t.here(t.name+"Rest", "the last pairs")
	t.do("ADDQ", imm(2), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
	t.do("LEAQ", mem(at(dotA, dotAddressed*step)), gp(dotMask))
}

// rowOfPanel loads the present row of B, and prefetches a later one.
func (t *dotTile) rowOfPanel() {
	for v := range t.vectors {
		t.loadOfB(v, at(dotB, 0))
	}
	t.laterRows(1)
}

// laterRows prefetches rows of B that are 24 rows further on, if they are packed. A chunk of rows of two lines fills a
// first-level cache of 32 KiB, so each tile reads it from the second level: Skylake-SP, 0.98 of the time, and 0.96 from the
// third level; with 8 or 12 rows the same. A panel from memory is one stream, but the prefetchers of a CPU stop at the end of a
// page, which is 32 rows: 16 rows and layers of 384x384 to 384x1536 take 0.7 of the time.
func (t *dotTile) laterRows(rows int) {
	for line := 0; line < rows*t.cacheLines()*t.bytesOfB(); line += cacheLine {
		t.do("PREFETCHT0", mem(at(dotB, line).indexed(dotStepB3, 8)))
	}
}

// onePair writes one pair of a loop, whose label is Pair, and counts it. The next pair is step bytes further in the right
// operand.
func (t *dotTile) onePair(step int) {
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Pair", "each pair: a column of A, a row of B")
	if t.left() && t.aheadLines == 0 {
		t.do("PREFETCHT1", mem(at(dotB, ir.DotChunk*dotBytes)))
	}
	t.pair(0)
	t.do("ADDQ", gp(step), gp(dotB))
	t.do("DECQ", gp(dotCount))
}

// unrolled writes the loop of dotUnroll pairs.
func (t *dotTile) unrolled() {
	t.do("SUBQ", imm(dotUnroll), gp(dotCount))
	t.do("JLT", label(t.name+"Rest"))
	t.do("PCALIGN", imm(32))
	t.here(t.name+"Loop", "several pairs at a time")
	t.laterRows(dotUnroll)
	for k := range dotUnroll {
		t.pair(k)
	}
	t.do("LEAQ", mem(at(dotB, 0).indexed(dotStepB, dotUnroll)), gp(dotB))
	t.do("SUBQ", imm(dotUnroll), gp(dotCount))
	t.do("JGE", label(t.name+"Loop"))
	t.here(t.name+"Rest", "the last pairs")
	t.do("ADDQ", imm(dotUnroll), gp(dotCount))
	t.do("JEQ", label(t.name+"Total"))
}

// pair adds the products of the present column of A and row k of B, counted from dotB, and advances to the next column.
func (t *dotTile) pair(k int) {
	t.products([dotUnroll]Memory{at(dotB, 0), at(dotB, 0).indexed(dotStepB, 1), at(dotB, 0).indexed(dotStepB, 2), at(dotB, 0).indexed(dotStepB3, 1)}[k])
	t.across()
}

// across advances to the next column of A.
func (t *dotTile) across() {
	t.do("ADDQ", gp(dotAcross), gp(dotA))
	if t.rows > t.addressed() {
		t.do("ADDQ", gp(dotAcross), gp(dotMask))
	}
}

// products adds the products of the present column of A and a row of B.
func (t *dotTile) products(from Memory) { t.productsAt(from, 0) }

// productsAt adds the products of a row of B and the column of A that is the given bytes behind the present one.
func (t *dotTile) productsAt(from Memory, behind int) {
	switch {
	case t.few:
		t.fewProducts(from)
		return
	case t.isWide():
		t.rowOfPanel()
	default:
		for v := range t.vectors {
			t.loadOfB(v, from)
		}
	}
	for row := range t.rows {
		if t.isWide() {
			t.twoLines(t, t.element(row).at(behind), row)
		} else {
			t.multiply(t, t.element(row).at(behind), row)
		}
	}
}

// dotAddressed is the greatest number of rows of A that one pointer addresses. If a tile has more, dotMask points to the
// next row after those.
const dotAddressed = 7

// addressed returns the number of rows addressed from dotA.
func (t *dotTile) addressed() int {
	if t.lines == 2 {
		return t.rows / 2
	}
	return dotAddressed
}

// element returns the address of the element of A in a row of the tile.
func (t *dotTile) element(row int) Memory {
	from := at([]int{dotA, dotMask}[row/t.addressed()], 0)
	return []Memory{from, from.indexed(dotStepA, 1), from.indexed(dotStepA, 2),
		from.indexed(dotStepA3, 1), from.indexed(dotStepA, 4), from.indexed(dotStepA5, 1), from.indexed(dotStepA3, 2)}[row%t.addressed()]
}

// loadOfB reads a vector of a row of B. Elements that are bytes are never masked: the row of a panel is whole.
func (t *dotTile) loadOfB(vector int, from Memory) {
	if t.ofBytes() {
		t.do("VPMOVSXBW", mem(from.at(t.width/2*vector)), t.vec(t.rowOfB+vector))
		return
	}
	t.load(vector, from.at(t.width*vector), t.rowOfB+vector)
}

// load reads a vector of a row, under the mask if it is the last one of a masked form.
func (t *dotTile) load(vector int, from Memory, to int) {
	if t.masks(vector) {
		t.loadMasked(t, from, to)
	} else {
		t.do("VMOVUPS", mem(from), t.vec(to))
	}
}

// masks reports whether a vector of a row is partial.
func (t *dotTile) masks(vector int) bool { return t.masked && vector == t.vectors-1 }

// total stores the sums, or adds them to the elements that are stored, and advances the
// pointers to the next tile.
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
	t.each(func(row int) {
		for v := range t.vectors {
			t.load(v, at(dotA, t.width*v), t.scratch)
			t.do(t.add, t.vec(t.scratch), t.vec(t.sum(row, v, 0)), t.vec(t.sum(row, v, 0)))
		}
	}, dotA, dotStepC)
	t.here(t.name+"Store", "sums are stored")
	if t.masked {
		t.beforeStores(t)
	}
	t.each(func(row int) {
		for v := range t.vectors {
			to := at(dotC, t.width*v)
			if t.masks(v) {
				t.storeMasked(t, t.sum(row, v, 0), to)
			} else {
				t.do("VMOVUPS", t.vec(t.sum(row, v, 0)), mem(to))
			}
		}
	}, dotC, dotStepC)
	for range t.rows / t.lines {
		t.do("ADDQ", gp(dotStepA), gp(dotTop))
	}
}

// each calls do for every row of the tile, and advances a pointer by step after each. Rows of the next line are a whole line
// of rows behind those of the present one. At the end the pointer is behind the rows of the present line.
func (t *dotTile) each(do func(row int), pointer, step int) {
	for row := range t.rows {
		if t.lines == 2 && row == t.rows/2 {
			t.do("ADDQ", mem(stack(t.windows.lineC)), gp(pointer))
			for range row {
				t.do("SUBQ", gp(step), gp(pointer))
			}
		}
		do(row)
		t.do("ADDQ", gp(step), gp(pointer))
	}
	if t.lines == 2 {
		t.do("SUBQ", mem(stack(t.windows.lineC)), gp(pointer))
	}
}

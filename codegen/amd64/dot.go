package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Matrix products (micro-kernel Dot). A tile of the product stays in vector registers
// while the loop runs over all pairs of a column of A and a row of B. For each pair the
// loop loads a row of B, broadcasts each of the tile's elements of the column of A, and
// adds the products to the sums.
//
// The size of the tile:
//
//   - A fused multiply-add has a latency of 4 or 5 cycles and a throughput of two a cycle,
//     so 8 to 10 sums have to be independent.
//   - A CPU loads two vectors a cycle. A tile of R rows and V vectors has R+V loads for
//     R*V multiplications, so both have to be at least 2. A tile of 6x2 has 8 loads for 12
//     multiplications, and takes 15 of the 16 registers: 12 sums, 2 of B, 1 of A.
//   - It has 23 instructions for each pair, one of which prefetches a row of B. They take the 6 cycles
//     of the 12 multiplications; a CPU that decodes 4 instructions a cycle has room for 24. So the
//     loop is unrolled by four pairs, to share the counter, and the rows of A are addressed
//     from one pointer with multiples of the step, to have one addition for each pair.
//   - Two vectors are 64 bytes, the width of DotColumns and of a cache line. DotChunk rows
//     of them are 16 KiB, half of a first-level data cache; the other half is for A.
//   - A product of int64 is computed in two parts with a sum each: twice the registers for
//     sums, half the rows.
//   - With AVX-512, 64 bytes are one vector, and there are 32 registers. A tile of floats is 12x2, over two panels of
//     64 bytes: 14 loads for 24 multiplications. If the columns fill one vector only, a multiplication broadcasts the
//     element of A itself: a tile of 12x1 has 13 loads for 12 multiplications. An Emerald Rapids executes two of
//     each in a cycle; products of 64x64 take 0.9 of the time with 12x2. Windows of an image have tiles of 14x1, as
//     most lines have 7, 14, 28 or 56 windows. Columns of up to half a vector use vectors of half the width: a CPU
//     with 32-byte units multiplies two of them in the time of a whole one.
//
//   - If a row of B is one vector of two, a tile has twice the rows and as many sums. The exception is an A whose rows
//     share one set of the first-level cache, which holds 8 to 12 of them.
//
//   - With AVX-512, products of float32 with few columns use tiles of 16 transposed rows: see dot_transposed.go.
//
// If fewer than two tiles of rows are left, they are divided evenly: 7 rows into 4 and 3. A
// tile of a single row would have too few independent sums.

// The general registers of matrix products.
const (
	dotCount  = iota // how many pairs are left; scratch outside of the loop over pairs
	dotA             // pointer to the element of A in the tile's first row
	dotB             // pointer to the row of B
	dotTop           // pointer to the tile's first row of A
	dotC             // pointer to the tile's row of the product
	dotRows          // how many rows are left
	dotMask          // how many columns there are, then what dotStyle.mask makes of it
	dotAcross        // bytes from one element of a row of A to the next
	dotStepA         // bytes from one row of A to the next
	dotStepA3        // 3*dotStepA
	dotStepA5        // 5*dotStepA
	dotStepB         // bytes from one row of B to the next
	dotStepB3        // 3*dotStepB
	dotStepC         // bytes from one row of the product to the next
)

// dotBytes is the size of DotColumns elements. waySize is the distance of addresses that share a set of a first-level
// data cache.
const (
	dotBytes = 64
	waySize  = 4096
)

// dotUnroll is how many pairs an iteration of the loop has.
const dotUnroll = 4

// prefetchLines is the number of cache lines of the next panel of B that a whole tile prefetches. Some twenty tiles prefetch
// the panel of a cache line's columns. Twice as many gained nothing for panels of two.
const prefetchLines = 8

// dotWriter writes the function of a matrix product.
type dotWriter struct {
	Program
	micro *kernel.Micro
	*dotStyle
	dotArith
	d     ir.DType
	lanes int
	// Offsets in the stack frame: next has the pointer to the part of B that is prefetched next, held has dotMask while a
	// tall tile uses that register otherwise.
	next, held int
	// Offsets for the present panel: its first row of B, its product, and the number of columns from it on. If windows are
	// the left operand, first and rest describe the present line: its first row of A, and the number of rows from it on.
	first, out, rest int
	kept             [3]int // and of registers that a transposed tile uses

	windows *dotWindows // nil for products of matrices
}

// dotForm says how many vectors the columns take.
type dotForm struct {
	name    string // of its labels
	vectors int
	masked  bool // the last vector is partial and moved under a mask
	half    bool // the only vector is used in its first half
	tall    int  // rows of a tile that is used first, while as many rows are left; 0 for none
	few     bool // tiles of few rows and a panel of bytes: see dot_few.go
}

// vec returns a vector register in the width that the form uses.
func (f dotForm) vec(r int) Arg {
	if f.half {
		return half(r)
	}
	return y(r)
}

// compileDot returns the function of a matrix product: a loop over tiles for each form.
func compileDot(s *dotStyle, m *kernel.Micro) *Program {
	d := m.Type
	w := &dotWriter{micro: m, dotStyle: s, dotArith: s.arith(m), d: d, lanes: s.width / d.Size()}
	vectors := dotBytes / s.width
	narrow := dotForm{name: "narrow", vectors: 1, masked: true, half: vectors == 1}
	if vectors > 1 {
		narrow.tall, w.held = 2*w.rows, w.local(8)
	}
	wide := dotForm{name: "wide", vectors: 2 * vectors}
	masked, full := dotForm{name: "masked", vectors: vectors, masked: true}, dotForm{name: "full", vectors: vectors}
	w.first, w.out, w.rest = w.local(8), w.local(8), w.local(8)
	if w.transposes(narrow) {
		w.kept = [...]int{w.local(8), w.local(8), w.local(8)}
	}
	w.begin()
	if w.twoLines != nil {
		w.do("CMPQ", gp(dotMask), imm(int64(wide.vectors*w.lanes)))
		w.do("JGE", label(wide.name))
	}
	short, isShort := w.fewForm()
	if isShort {
		w.do("CMPQ", gp(dotRows), imm(fewRows))
		w.do("JGT", label("many"))
		w.do("CMPQ", gp(dotMask), imm(kernel.DotBytesWidth))
		w.do("JEQ", label(short.name+"Tiles"))
		w.here("many")
	}
	w.do("CMPQ", gp(dotMask), imm(int64(vectors*w.lanes)))
	pairs := w.left() && vectors > 1
	if pairs {
		w.do("JGE", label("lines"))
	} else {
		w.do("JGE", label(full.name))
	}
	few := int64(dotBytes / 2 / d.Size())
	w.do("SUBQ", imm(few), gp(dotMask))
	w.do("JGT", label(masked.name))
	w.do("ADDQ", imm(few), gp(dotMask))
	w.form(narrow)
	w.here(masked.name, "the last vector of a row is partial")
	if vectors == 1 { // else the first vector is whole
		w.do("ADDQ", imm(few), gp(dotMask))
	}
	w.form(masked)
	if pairs {
		w.linePairs(dotForm{name: "both", vectors: vectors}, full)
	}
	w.here(full.name, "rows of a cache line")
	w.form(full)
	if w.twoLines != nil {
		w.do("JMP", label("done"))
		w.here(wide.name, "rows of two cache lines")
		w.form(wide)
		w.do("JMP", label("end"))
	}
	if isShort {
		w.do("JMP", label("done"))
		w.fewTiles(short)
	}
	w.here("done")
	if w.left() {
		w.nextLine()
	} else {
		w.nextPanel()
	}
	w.do("VZEROUPPER")
	w.do("RET")
	return &w.Program
}

// begin reads the frame. It leaves the number of columns in dotMask.
func (w *dotWriter) begin() {
	w.do("MOVQ", frameArg(), gp(dotCount))
	for _, n := range [][2]int{{frameRows, dotRows}, {frameCols, dotMask}} {
		w.do("MOVQ", mem(at(dotCount, n[0])), gp(n[1]))
		w.do("TESTQ", gp(n[1]), gp(n[1]))
		w.do("JLE", label("end"))
	}
	for _, n := range [][2]int{
		{framePtr, dotTop}, {framePtr + 2*8, dotC}, {frameStep, dotStepA}, {frameStep + 8, dotStepB},
		{frameStep + 2*8, dotStepC}, {w.field(kernel.DotAcross), dotAcross},
	} {
		w.do("MOVQ", mem(at(dotCount, n[0])), gp(n[1]))
	}
	if w.left() {
		w.bytes(kernel.DotStep, dotStepA)
	}
	w.do("LEAQ", mem(at(dotStepA, 0).indexed(dotStepA, 2)), gp(dotStepA3))
	w.do("LEAQ", mem(at(dotStepA, 0).indexed(dotStepA, 4)), gp(dotStepA5))
	w.beginNext()
	if w.micro.Kind == kernel.DotWindows || w.left() {
		w.beginWindows()
		return
	}
	w.do("LEAQ", mem(at(dotStepB, 0).indexed(dotStepB, 2)), gp(dotStepB3))
	w.do("MOVQ", mem(at(dotCount, framePtr+8)), gp(dotB))
	w.beginPanels()
}

// beginNext sets the pointer to the part of B that tiles prefetch, if they prefetch. dotCount has the address of the frame.
func (w *dotWriter) beginNext() {
	switch {
	case w.micro.Kind != kernel.DotWindows && !w.left():
		w.do("MOVQ", mem(at(dotCount, w.field(kernel.DotNext))), gp(dotB))
	case w.left() && w.aheadLines > 0:
		w.do("MOVQ", imm32(ir.DotChunk*dotBytes), gp(dotB))
	default:
		return
	}
	w.next = w.local(8)
	w.do("ADDQ", mem(at(dotCount, framePtr+8)), gp(dotB))
	w.do("MOVQ", gp(dotB), mem(stack(w.next)))
}

// ofBytes reports whether the elements of B are two bytes, which a load extends to the two halves of an element.
func (w *dotWriter) ofBytes() bool { return w.micro.Kind == kernel.DotBytes }

// bytesOfB returns the size of DotColumns elements of a row of B.
func (w *dotWriter) bytesOfB() int {
	if w.ofBytes() {
		return dotBytes / 2
	}
	return dotBytes
}

// field returns the offset of a field in the frame.
func (w *dotWriter) field(i int) int { return frameStep + 8*w.micro.FieldAt(i) }

// form writes the loop over the tiles of a form.
func (w *dotWriter) form(f dotForm) {
	if f.masked {
		w.mask(w)
	}
	tile := func(rows int) *dotTile { return &dotTile{w, f, rows, f.name + itoa(rows), 1, false} }
	w.here(f.name+"Tiles", "the rows that are left, a tile at a time")
	if f.tall > 0 {
		w.do("CMPQ", gp(dotRows), imm(int64(f.tall)))
		w.do("JLT", label(f.name+"Few"))
		w.do("TESTQ", imm32(waySize-1), gp(dotStepA))
		w.do("JNE", label(tile(f.tall).name))
		w.here(f.name + "Few")
	}
	if w.transposes(f) {
		w.transposed(f, f.name+"Others")
		w.here(f.name + "Others")
	}
	w.do("MOVQ", gp(dotRows), gp(dotCount))
	w.do("CMPQ", gp(dotRows), imm(int64(w.rows)))
	w.do("JLE", label(f.name+"Select"))
	w.do("CMPQ", gp(dotRows), imm(int64(2*w.rows-1)))
	w.do("JGE", label(tile(w.rows).name))
	w.do("INCQ", gp(dotCount))
	w.do("SHRQ", imm(1), gp(dotCount))
	w.here(f.name+"Select", "selects a tile by the rows that are left")
	for rows := 1; rows < w.rows; rows++ {
		w.do("CMPQ", gp(dotCount), imm(int64(rows)))
		w.do("JEQ", label(tile(rows).name))
	}
	for rows := w.rows; rows > 0; rows-- {
		tile(rows).write() // the first one follows the selection
	}
	if f.tall > 0 {
		tile(f.tall).write()
	}
}

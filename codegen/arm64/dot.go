package arm64

import (
	mathbits "math/bits"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Matrix products (micro-kernels Dot, DotHalves, DotBytes, DotWindows, DotLeftWindows and DotBatch). The columns of a product are divided into
// panels of four vectors, then two, one, and the elements that are left. For each panel there is a loop over tiles of rows. The sums of
// a tile stay in 24 registers while a loop runs over all pairs of a column of A and a row of B. For each pair, the loop loads the row
// of B, and for each row of the tile the element of A, which the multiplications take from the first lane of a register.
//
// A tile of 6x4 vectors has 24 multiplications, 6 loads of elements and 2 of pairs of vectors, and 4 other instructions: a
// processor that decodes 4 instructions a cycle and multiplies 2 vectors takes 12 cycles, which are those of the multiplications.
//
// Rows of a tile have a pointer each, so windows of an image may be rows wherever they begin: see dot_taps.go.

// The general registers of products.
const (
	dotRow    = iota      // the first of the pointers to the rows of A, then of the product
	dotAt     = iota + 11 // bytes from a pointer to its present element
	dotB                  // pointer to the row of B
	dotCount              // how many pairs are left
	dotC                  // pointer to the tile's first row of the product
	dotStepC              // bytes from one row of the product to the next
	dotStepA              // bytes from one row of A to the next
	dotAcross = iota + 12 // bytes from one element of a row of A to the next
	dotStepB              // bytes from one row of B to the next
	dotTop                // pointer to the tile's first row of A
	dotRows               // how many rows are left
	dotPanel              // pointer to the first row of B in the panel
	dotLine               // pointer to the first window of the line
	dotOfLine             // how many windows of it are left
	dotScratch
)

// The vector registers of products, besides 24 sums.
const (
	dotSums      = 24
	dotRowOfB    = 24
	dotNarrowOfB = 26 // the lower halves of the elements of B
	dotOfA       = 28 // the first of four
)

// dotMostRows is the number of rows of a tile that pointers are reserved for. If windows need registers, there are half as many.
const dotMostRows = 12

// dotWriter writes the function of a product.
type dotWriter struct {
	Program
	dotArith
	micro *kernel.Micro
	d     ir.DType
	lanes int
	// The stack frame has the columns that are left, the pointers to the first row of A, and to the first row of the product in the panel,
	// and the number of rows. For DotBatch also what has to be added to pointers for the next matrix, and how many are left.
	cols, left, out, rows      Memory
	nextA, nextB, nextC, count Memory
}

// dotForm says how many elements of each row a panel has: vectors, or some elements of one.
type dotForm struct {
	name    string // of its labels
	vectors int
	some    int // elements of the only vector; 0 for all
}

// compileDot returns the function of a product, or an error if there is no multiplication for the type.
func compileDot(m *kernel.Micro) (*Program, error) {
	a, ok := dotAriths[m.Type]
	if m.Kind == kernel.DotHalves || m.Kind == kernel.DotBytes {
		a, ok = dotOfHalves, true
	}
	if !ok {
		return nil, noMicro(m.Kind.String(), m.Type)
	}
	w := &dotWriter{dotArith: a, micro: m, d: m.Type, lanes: 16 / m.Type.Size()}
	for _, place := range []*Memory{&w.cols, &w.left, &w.out, &w.rows, &w.nextA, &w.nextB, &w.nextC, &w.count} {
		*place = w.local(8)
	}
	w.begin()
	w.here("columns")
	w.do("LDR", x(dotScratch), mem(w.cols))
	forms := w.forms()
	for _, f := range forms {
		if f.some > 0 {
			w.do("CMP", x(dotScratch), imm(f.some))
			w.do("BEQ", label(f.name))
		} else {
			w.do("CMP", x(dotScratch), imm(f.vectors*w.lanes))
			w.do("BGE", label(f.name))
		}
	}
	w.end()
	for _, f := range forms {
		w.form(f)
	}
	return &w.Program, nil
}

// forms returns the panels, the widest first.
func (w *dotWriter) forms() []dotForm {
	var all []dotForm
	for vectors := w.vectors; vectors > 0; vectors /= 2 {
		all = append(all, dotForm{name: "by" + itoa(vectors), vectors: vectors})
	}
	for some := w.lanes - 1; some > 0; some-- {
		all = append(all, dotForm{"some" + itoa(some), 1, some})
	}
	return all
}

// read loads a number of the frame.
func (w *dotWriter) read(to, offset int) {
	w.do(OpFrame, x(dotScratch))
	w.do("LDR", x(to), mem(at(dotScratch, offset)))
}

// readBytes loads a number of elements as bytes.
func (w *dotWriter) readBytes(to, offset int) {
	w.read(to, offset)
	w.do("LSL", x(to), x(to), imm(mathbits.TrailingZeros(uint(w.d.Size()))))
}

// keep copies a number of the frame to the stack.
func (w *dotWriter) keep(to Memory, offset int) {
	w.read(dotScratch, offset)
	w.do("STR", x(dotScratch), mem(to))
}

// ofBytes reports whether the elements of B are two bytes, which a load extends to the two halves of an element.
func (w *dotWriter) ofBytes() bool { return w.micro.Kind == kernel.DotBytes }

// field returns the offset of a field in the frame.
func (w *dotWriter) field(i int) int { return frameStep + 8*w.micro.FieldAt(i) }

// begin reads the frame.
func (w *dotWriter) begin() {
	for _, extent := range []int{frameRows, frameCols} {
		w.read(dotRows, extent)
		w.do("CMP", x(dotRows), imm(0))
		w.do("BLE", label("end"))
	}
	if w.micro.Kind == kernel.DotBatch {
		w.beginBatch()
		return
	}
	w.keep(w.rows, frameRows)
	w.keep(w.cols, frameCols)
	w.keep(w.left, framePtr)
	w.keep(w.out, framePtr+2*8)
	w.read(dotPanel, framePtr+8)
	w.read(dotStepC, frameStep+2*8)
	switch w.micro.Kind {
	case kernel.DotWindows:
		w.read(dotStepA, frameStep)
		w.read(dotAcross, w.field(kernel.DotAcross))
		w.beginWindows(dotStepB, frameStep+8)
		w.do("ADD", x(dotPanel), x(dotPanel), x(dotScratch))
	case kernel.DotLeftWindows:
		w.readBytes(dotStepA, w.field(kernel.DotStep))
		w.read(dotStepB, frameStep+8)
		w.beginWindows(dotAcross, frameStep)
		w.do("LDR", x(dotRow), mem(w.left))
		w.do("ADD", x(dotRow), x(dotRow), x(dotScratch))
		w.do("STR", x(dotRow), mem(w.left))
	default:
		w.read(dotStepA, frameStep)
		w.read(dotStepB, frameStep+8)
		w.read(dotAcross, w.field(kernel.DotAcross))
	}
}

// end writes what follows the last column.
func (w *dotWriter) end() {
	if w.micro.Kind == kernel.DotBatch {
		w.nextMatrix()
	}
	w.here("end")
	w.do("RET")
}

// form writes the loop over the tiles of a panel. It continues with the next panel.
func (w *dotWriter) form(f dotForm) {
	bytes := f.vectors * 16
	if f.some > 0 {
		bytes = f.some * w.d.Size()
	}
	w.here(f.name)
	w.do("LDR", x(dotTop), mem(w.left))
	w.do("LDR", x(dotRows), mem(w.rows))
	w.do("LDR", x(dotC), mem(w.out))
	if w.micro.Kind == kernel.DotLeftWindows {
		w.do("MOV", x(dotLine), x(dotTop))
		w.read(dotOfLine, w.field(kernel.DotLine))
	}
	w.here(f.name + "Tiles")
	sizes := w.tileRows(f)
	if most := sizes[0]; len(sizes) == most { // two tiles that are left have as many rows each
		w.do("CMP", x(dotRows), imm(2*most-1))
		w.do("BGE", label(f.name+"x"+itoa(most)))
		w.do("MOV", x(dotScratch), x(dotRows))
		w.do("CMP", x(dotRows), imm(most))
		w.do("BLE", label(f.name+"Even"))
		w.do("ADD", x(dotScratch), x(dotRows), imm(1))
		w.do("LSR", x(dotScratch), x(dotScratch), imm(1))
		w.here(f.name + "Even")
	} else {
		w.do("MOV", x(dotScratch), x(dotRows))
	}
	for _, rows := range sizes {
		w.do("CMP", x(dotScratch), imm(rows))
		w.do("BGE", label(f.name+"x"+itoa(rows)))
	}
	w.do("LDR", x(dotScratch), mem(w.out))
	w.do("ADD", x(dotScratch), x(dotScratch), imm(bytes))
	w.do("STR", x(dotScratch), mem(w.out))
	if w.ofBytes() {
		w.do("ADD", x(dotPanel), x(dotPanel), imm(bytes/2))
	} else {
		w.do("ADD", x(dotPanel), x(dotPanel), imm(bytes))
	}
	w.do("LDR", x(dotScratch), mem(w.cols))
	w.do("SUB", x(dotScratch), x(dotScratch), imm(bytes/w.d.Size()))
	w.do("STR", x(dotScratch), mem(w.cols))
	w.do("B", label("columns"))
	for _, rows := range sizes {
		t := &dotTile{w, f, rows, f.name + "x" + itoa(rows)}
		t.write()
	}
}

// tileRows returns the numbers of rows that tiles have, the greatest first. The last is 1.
func (w *dotWriter) tileRows(f dotForm) []int {
	most := dotMostRows
	if w.windows() {
		most /= 2
	}
	most = min(most, dotSums/(w.parts*f.vectors))
	if f.vectors == w.vectors {
		var all []int
		for rows := most; rows > 0; rows-- {
			all = append(all, rows)
		}
		return all
	}
	var all []int
	for _, rows := range []int{12, 6, 3, 2, 1} {
		if rows <= most {
			all = append(all, rows)
		}
	}
	return all
}

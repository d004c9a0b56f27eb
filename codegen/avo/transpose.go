package avo

import (
	"github.com/stridefuse/stridefuse/codegen"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Blocks whose rows and columns are exchanged, square by square in registers. The
// loop takes as many rows of the input as a square has, and goes along them: so
// many lines fit the ways of a cache even where they fall into one set. At the
// ends the last square is moved back, and stores again what the one before it has
// stored. Blocks that are less than a square high or wide, or whose input rows are
// not contiguous, go element by element.

// transposer writes the function of a kernel that transposes.
type transposer struct {
	squarer
	size     int // of an element
	from, to squareMem
}

// General registers of transposers, besides ax, dx and those of from and to.
const (
	transposeRows = index                // that are left
	transposeCols = cols                 // the same
	transposeFrom = generalRegisters - 1 // where the input rows begin
	transposeTo   = cx                   // where the output columns do
)

// compileTranspose returns the function of a kernel that transposes.
func compileTranspose(m *kernel.Micro) *program {
	t := &transposer{size: m.Type.Size()}
	t.lanes, t.free = min(8, vectorBytes(1)/t.size), allVectors()
	t.from = squareMem{firstFree, firstFree + 1, firstFree + 2, firstFree + 3}
	t.to = squareMem{firstFree + 4, firstFree + 5, firstFree + 6, firstFree + 7}
	t.begin(m)
	if t.size != 2 { // there is no square of two bytes
		t.squares()
	}
	t.here("elements")
	t.elements()
	t.here("done")
	t.do("VZEROUPPER")
	t.do("RET")
	return &t.program
}

// begin reads the frame.
func (t *transposer) begin(micro *kernel.Micro) {
	t.do("MOVQ", frameArg(), gp(ax))
	for _, count := range []struct{ at, reg int }{{codegen.FrameCols, transposeCols}, {codegen.FrameRows, transposeRows}} {
		t.do("MOVQ", mem(at(ax, count.at)), gp(count.reg))
		t.do("TESTQ", gp(count.reg), gp(count.reg))
		t.do("JLE", label("done"))
	}
	for i, m := range []squareMem{t.from, t.to} {
		t.do("MOVQ", mem(at(ax, codegen.FramePtr+8*i)), gp([]int{transposeFrom, transposeTo}[i]))
		t.do("MOVQ", mem(at(ax, codegen.FrameStep+8*i)), gp(m.step))
		t.do("LEAQ", mem(at(m.step, 0).indexed(m.step, 2)), gp(m.three))
	}
	t.do("MOVQ", mem(at(ax, codegen.FrameStep+8*micro.FieldAt(0))), gp(dx))
}

// squares writes the loops over squares: columns of the output, within them rows.
func (t *transposer) squares() {
	lanes := int64(t.lanes)
	t.do("CMPQ", gp(dx), imm(int64(t.size)))
	t.do("JNE", label("elements"))
	for _, left := range []int{transposeRows, transposeCols} {
		t.do("CMPQ", gp(left), imm(lanes))
		t.do("JLT", label("elements"))
	}
	t.here("columns")
	t.do("MOVQ", frameArg(), gp(ax))
	t.do("MOVQ", mem(at(ax, codegen.FrameRows)), gp(transposeRows))
	for i, m := range []squareMem{t.from, t.to} {
		t.do("MOVQ", gp([]int{transposeFrom, transposeTo}[i]), gp(m.a))
		t.do("LEAQ", mem(at(m.a, 0).indexed(m.step, 4)), gp(m.b))
	}
	t.do("PCALIGN", imm(32))
	t.here("loop")
	t.square()
	for _, r := range []int{t.from.a, t.from.b} {
		t.do("ADDQ", imm(lanes*int64(t.size)), gp(r))
	}
	for _, r := range []int{t.to.a, t.to.b} {
		t.do("LEAQ", mem(at(r, 0).indexed(t.to.step, t.lanes)), gp(r))
	}
	t.do("SUBQ", imm(lanes), gp(transposeRows))
	t.do("CMPQ", gp(transposeRows), imm(lanes))
	t.do("JGE", label("loop"))
	t.do("TESTQ", gp(transposeRows), gp(transposeRows))
	t.do("JEQ", label("next"))
	t.back(transposeRows, []int{t.from.a, t.from.b}, []int{t.to.a, t.to.b}, t.to.step)
	t.do("JMP", label("loop"))

	t.here("next")
	t.do("LEAQ", mem(at(transposeFrom, 0).indexed(t.from.step, t.lanes)), gp(transposeFrom))
	t.do("ADDQ", imm(lanes*int64(t.size)), gp(transposeTo))
	t.do("SUBQ", imm(lanes), gp(transposeCols))
	t.do("CMPQ", gp(transposeCols), imm(lanes))
	t.do("JGE", label("columns"))
	t.do("TESTQ", gp(transposeCols), gp(transposeCols))
	t.do("JEQ", label("done"))
	t.back(transposeCols, []int{transposeTo}, []int{transposeFrom}, t.from.step)
	t.do("JMP", label("columns"))
}

// back makes what is left of rows or columns a whole square: it moves pointers back
// by as many elements as it lacks, and others by as many steps.
func (t *transposer) back(left int, elements, steps []int, step int) {
	t.do("SUBQ", imm(int64(t.lanes)), gp(left)) // minus the elements that lack
	t.do("MOVQ", gp(left), gp(dx))
	t.do("IMULQ", gp(step), gp(dx))
	for _, r := range elements {
		t.do("LEAQ", mem(at(r, 0).indexed(left, t.size)), gp(r))
	}
	for _, r := range steps {
		t.do("ADDQ", gp(dx), gp(r))
	}
	t.do("MOVQ", imm32(int64(t.lanes)), gp(left))
}

// square copies a square.
func (t *transposer) square() {
	switch t.size {
	case 1:
		t.byteSquare()
	case 2:
		t.wordSquare()
	default:
		t.store(t.to, t.transpose(t.load(t.from, unmasked)), unmasked)
	}
}

// wordSquare copies 8x8 elements of two bytes. Each of three rounds interleaves the
// upper half of the square with the lower: it rotates the bits of an element's place,
// row then column, by one, and three exchange them.
func (t *transposer) wordSquare() {
	v := make([]int, 8)
	for i := range v {
		v[i] = t.take()
		t.do("VMOVDQU", mem(t.from.rowOf(i, 8)), x(v[i]))
	}
	for range 3 {
		w := make([]int, 8)
		for i := range 4 {
			for high, name := range []string{"VPUNPCKLWD", "VPUNPCKHWD"} {
				w[2*i+high] = t.take()
				t.do(name, x(v[i+4]), x(v[i]), x(w[2*i+high]))
			}
			t.give(v[i], v[i+4])
		}
		v = w
	}
	for i, r := range v {
		t.do("VMOVDQU", x(r), mem(t.to.rowOf(i, 8)))
	}
	t.give(v...)
}

// byteSquare copies 8x8 bytes.
func (t *transposer) byteSquare() {
	op := func(name string, a, b int) int {
		dst := t.take()
		t.do(name, x(b), x(a), x(dst))
		return dst
	}
	v := make([]int, 8)
	for i := range v {
		v[i] = t.take()
		t.do("VMOVQ", mem(t.from.rowOf(i, 8)), x(v[i]))
	}
	var two [4]int // rows 2i and 2i+1, byte by byte
	for i := range two {
		two[i] = op("VPUNPCKLBW", v[2*i], v[2*i+1])
	}
	t.give(v...)
	var four [4]int // columns 0 to 3 and 4 to 7 of the upper rows, then of the lower
	for i := range four {
		four[i] = op([]string{"VPUNPCKLWD", "VPUNPCKHWD"}[i%2], two[i/2*2], two[i/2*2+1])
	}
	t.give(two[:]...)
	for i := range 4 { // two columns
		w := op([]string{"VUNPCKLPS", "VUNPCKHPS"}[i%2], four[i/2], four[i/2+2])
		t.do("VMOVQ", x(w), mem(t.to.rowOf(2*i, 8)))
		t.do("VMOVHPS", x(w), mem(t.to.rowOf(2*i+1, 8)))
		t.give(w)
	}
	t.give(four[:]...)
}

// elements writes the loop over single elements, whose step in the input is in dx.
// It goes along the rows of the input.
func (t *transposer) elements() {
	left, from, to := t.from.b, t.from.a, t.to.a
	t.here("element")
	t.do("MOVQ", gp(transposeFrom), gp(from))
	t.do("MOVQ", gp(transposeTo), gp(to))
	t.do("MOVQ", gp(transposeRows), gp(left))
	t.here("one")
	t.element(t.size, at(from, 0), at(to, 0))
	t.do("ADDQ", gp(dx), gp(from))
	t.do("ADDQ", gp(t.to.step), gp(to))
	t.do("DECQ", gp(left))
	t.do("JNE", label("one"))
	t.do("ADDQ", gp(t.from.step), gp(transposeFrom))
	t.do("ADDQ", imm(int64(t.size)), gp(transposeTo))
	t.do("DECQ", gp(transposeCols))
	t.do("JNE", label("element"))
}

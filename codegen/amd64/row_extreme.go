package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Minima and maxima of rows of integers, and their first positions. A row is read in vectors of elements as narrow as in
// memory: first for the best element, in two accumulators, then up to the first vector that holds it. The last vector of a
// row overlaps the one before it, which does no harm: an element seen twice does not precede itself. A row of half a vector or
// more, but less than a vector, is read as two overlapping halves; shorter rows go element by element.

// rowExtreme writes the function of such a minimum or maximum.
type rowExtreme struct {
	Program
	d     ir.DType // of the elements in memory
	by    ir.Op    // OpMin or OpMax
	place bool     // the position is stored
	best  ir.DType // the type in which the element is stored, or Invalid if it is not stored
}

// newRowExtreme returns the writer of a kernel, or nil if the kernel is not such a reduction. For elements of 4 or 8 bytes the
// general code is as good, except for chunks of rows: it finds positions in short rows sooner.
func newRowExtreme(body *kernel.Kernel, combine []ir.Op) *rowExtreme {
	if len(combine) == 0 || len(body.In) != 1 || body.In[0].Splat || len(body.Body) > 1 {
		return nil
	}
	e := &rowExtreme{d: body.In[0].DType, by: combine[0], place: combine[0].IsArgReduction()}
	if e.place {
		e.by = e.by.Info().By
	}
	element := []ir.Op{e.by}
	if by, is := extremeOfBools[e.by]; is && e.d == ir.Bool { // they are the bytes 0 and 1
		e.d, e.by = ir.Uint8, by
	}
	switch {
	case len(combine) == 1 && e.d.Size() > 2, !ir.Ints.Has(e.d), e.d == ir.Uint64, e.by != ir.OpMin && e.by != ir.OpMax,
		len(body.Body) == 1 && (body.Body[0].Op != ir.OpCast || e.d.Native() || body.Body[0].DType != e.d.Compute()),
		e.place && len(combine) > 1 && !slices.Equal(combine[1:], element), !e.place && !slices.Equal(combine, element):
		return nil
	}
	if len(combine) > 1 || !e.place {
		e.best = e.d.Compute()
	}
	return e
}

// extremeOfBools maps reductions of bools to the op that gives the same result on their bytes.
var extremeOfBools = map[ir.Op]ir.Op{ir.OpAnd: ir.OpMin, ir.OpOr: ir.OpMax}

// General registers, besides ax, dx, and cx with the address of the abi.Frame; cols has the columns.
const (
	extremeAt     = index         // pointer to the present vectors, later the position
	extremeRows   = firstFree     // how many rows are left
	extremeFrom   = firstFree + 1 // pointer to the row
	extremeLast   = firstFree + 2 // pointer to its last vector
	extremeBlock  = firstFree + 3 // pointer to its last block
	extremeOutput = firstFree + 4 // pointer to its result; that of the second one follows
)

// extremeVectors is the number of vectors of a block. Registers below it are scratch.
const extremeVectors = 4

// Vector registers.
const (
	extremeBest  = extremeVectors     // the best elements of each lane
	extremeOther = extremeVectors + 1 // the same, of other vectors
)

// pointers returns the registers of the arguments.
func (e *rowExtreme) pointers() []int {
	out := []int{extremeFrom, extremeOutput, extremeOutput + 1}
	if !e.place || e.best == ir.Invalid {
		return out[:2]
	}
	return out
}

// lanes returns the name of an instruction on lanes as wide as an element.
func (e *rowExtreme) lanes(name string) string {
	return name + map[int]string{1: "B", 2: "W", 4: "D", 8: "Q"}[e.d.Size()]
}

// write returns the function.
func (e *rowExtreme) write() *Program {
	e.do("MOVQ", frameArg(), gp(cx))
	e.do("MOVQ", mem(at(cx, frameRows)), gp(extremeRows))
	e.do("MOVQ", mem(at(cx, frameCols)), gp(cols))
	for _, r := range []int{extremeRows, cols} {
		e.do("TESTQ", gp(r), gp(r))
		e.do("JLE", label("done"))
	}
	for i, r := range e.pointers() {
		e.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(r))
	}
	e.here("row", "each row")
	e.do("MOVQ", gp(extremeFrom), gp(extremeAt))
	e.do("CMPQ", gp(cols), imm32(int64(vectorBytes(1)/e.d.Size())))
	e.do("JLT", label("short"))
	e.element()
	if e.place {
		e.search()
	}
	e.here("store")
	e.store()
	for i, r := range e.pointers() {
		e.do("ADDQ", mem(at(cx, frameStep+8*i)), gp(r))
	}
	e.do("DECQ", gp(extremeRows))
	e.do("JNE", label("row"))
	e.here("done")
	e.do("VZEROUPPER")
	e.do("RET")
	e.short()
	return &e.Program
}

// element finds the best element of a row, and puts it into all lanes of extremeBest and into ax.
func (e *rowExtreme) element() {
	e.do("LEAQ", mem(at(extremeFrom, -vectorBytes(1)).indexed(cols, e.d.Size())), gp(extremeLast))
	e.do("LEAQ", mem(at(extremeLast, -vectorBytes(extremeVectors-1))), gp(extremeBlock))
	e.do("VMOVUPS", mem(at(extremeFrom, 0)), y(extremeBest))
	e.do("VMOVUPS", mem(at(extremeLast, 0)), y(extremeOther))
	e.do("JMP", label("best"))
	e.do("PCALIGN", imm(32))
	e.here("bestblock", "blocks of vectors: the best one of each lane")
	for v := range extremeVectors {
		e.better(mem(at(extremeAt, vectorBytes(v))), extremeBest+v%2)
	}
	e.advance(extremeVectors)
	e.here("best")
	e.do("CMPQ", gp(extremeAt), gp(extremeBlock))
	e.do("JLS", label("bestblock"))
	e.do("JMP", label("bestend"))
	e.here("bestvector", "single vectors")
	e.better(mem(at(extremeAt, 0)), extremeBest)
	e.advance(1)
	e.here("bestend", "the last vector, which ends with the row; then the best of all lanes")
	e.do("CMPQ", gp(extremeLast), gp(extremeAt))
	e.do("JHI", label("bestvector"))
	e.better(y(extremeOther), extremeBest)
	e.do("VEXTRACTF128", imm(1), y(extremeBest), x(extremeOther))
	e.here("half")
	e.fold()
}

// fold combines the two halves of a vector: see element.
func (e *rowExtreme) fold() {
	e.better(y(extremeOther), extremeBest)
	for bytes := 8; bytes >= e.d.Size(); bytes /= 2 {
		e.do("VPSRLDQ", imm(int64(bytes)), y(extremeBest), y(extremeOther))
		e.better(y(extremeOther), extremeBest)
	}
	e.do("VMOVQ", x(extremeBest), gp(ax))
	if e.place {
		e.do(e.lanes("VPBROADCAST"), x(extremeBest), y(extremeBest))
	}
	if e.best.Size() > e.d.Size() {
		e.do(readsOne(e.d), map[int]Arg{1: byteOf(ax), 2: wordOf(ax)}[e.d.Size()], gp(ax))
	}
}

// better replaces the elements of register r by those of other where these are better.
func (e *rowExtreme) better(other Arg, r int) {
	const element, is = 0, 1
	if e.d.Size() < 8 {
		name := map[ir.Op]string{ir.OpMin: "VPMIN", ir.OpMax: "VPMAX"}[e.by]
		if ir.Signed.Has(e.d) {
			name += "S"
		} else {
			name += "U"
		}
		e.do(e.lanes(name), other, y(r), y(r))
		return
	}
	e.do("VMOVUPS", other, y(element))
	less, greater := y(r), y(element)
	if e.by == ir.OpMin {
		less, greater = greater, less
	}
	e.do("VPCMPGTQ", less, greater, y(is))
	e.do("VBLENDVPS", y(is), y(element), y(r), y(r))
}

// load loads one element, extended to 64 bits.
func (e *rowExtreme) load(from Memory, to int) {
	switch {
	case e.d.Size() < 4:
		e.do(readsOne(e.d), mem(from), gp(to))
	case e.d == ir.Int32:
		e.do("MOVLQSX", mem(from), gp(to))
	case e.d == ir.Uint32:
		e.do("MOVL", mem(from), lowOf(to))
	default:
		e.do("MOVQ", mem(from), gp(to))
	}
}

// advance moves extremeAt by a number of vectors.
func (e *rowExtreme) advance(vectors int) {
	e.do("ADDQ", imm32(int64(vectorBytes(vectors))), gp(extremeAt))
}

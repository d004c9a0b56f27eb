package amd64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Products of dense square matrices whose rows are half or a quarter of a vector: 4x4 and 2x2 of 4-byte elements, 2x2 of
// 8-byte elements. A vector holds several rows of A, and of the product; a permutation broadcasts an element of A
// to the lanes of its row. So each vector and pair takes one multiplication and one load.

// squares writes the loops of squares and the tests of the fields that choose them. Other matrices, and one that is left over,
// continue at the label "matrices".
func (w *batchWriter) squares() {
	if w.size == 4 {
		w.quarters()
	}
	side := xBytes / w.size
	w.square(side, "matrices")
	w.do("MOVQ", mem(stack(w.count)), gp(ax))
	steps := []int{batchStepA3, batchStepC3, batchLimit} // which are free here
	for i, r := range steps {
		w.do("MOVQ", mem(at(cx, frameStep+8*i)), gp(r))
	}
	w.do("PCALIGN", imm(32))
	w.here("square", "each square product: its right matrix")
	for j := range side {
		w.do("VBROADCASTF128", mem(at(batchB, xBytes*j)), y(batchRowB+j))
	}
	w.here("sameB", "the products that follow with the same right matrix")
	for v := range side * xBytes / vectorBytes(1) {
		w.do("VMOVUPS", mem(at(batchTop, vectorBytes(v))), y(squareRows))
		w.do("VXORPS", y(v), y(v), y(v))
		for j := range side {
			w.spread(j)
			w.multiply(batchRowB+j, squareElement, v)
		}
		w.do("VMOVUPS", y(v), mem(at(batchC, vectorBytes(v))))
	}
	w.do("ADDQ", gp(steps[0]), gp(batchTop))
	w.do("ADDQ", gp(steps[2]), gp(batchC))
	w.do("DECQ", gp(ax))
	w.do("JEQ", label("done"))
	w.do("TESTQ", gp(steps[1]), gp(steps[1]))
	w.do("JEQ", label("sameB"))
	w.do("ADDQ", gp(steps[1]), gp(batchB))
	w.do("JMP", label("square"))
}

// xBytes is the size of half a vector.
const xBytes = 16

// The vector registers of the loops of squares, besides sums and rows of B.
const (
	squareRows    = batchRowB + 4 // rows of A
	squareElement = batchRowB + 5 // an element of each of them
)

// square writes a jump to label other unless the matrices are dense squares with sides of the given length.
func (w *batchWriter) square(side int, other string) {
	row := int64(side * w.size)
	for _, n := range []struct {
		of    Memory
		value int64
	}{{w.field(kernel.DotBatchPairs), int64(side)}, {w.field(kernel.DotBatchCols), int64(side)}, {stack(w.rows), int64(side)}} {
		w.do("CMPQ", mem(n.of), imm(n.value))
		w.do("JNE", label(other))
	}
	for _, n := range []equal{{batchStepA, row}, {batchStepB, row}, {batchAcross, int64(w.size)}} {
		w.do("CMPQ", gp(n.reg), imm(n.value))
		w.do("JNE", label(other))
	}
}

// spread broadcasts element j of each row of half a vector within that row.
func (w *batchWriter) spread(j int) {
	if w.size == 4 {
		w.do("VPERMILPS", imm(int64(0x55*j)), y(squareRows), y(squareElement))
	} else {
		w.do("VPERMILPD", imm(int64(0xf*j)), y(squareRows), y(squareElement))
	}
}

// quarters writes the loop over contiguous 2x2 matrices of 4-byte elements: two in a vector.
func (w *batchWriter) quarters() {
	w.square(2, "halves")
	for i := range 3 {
		w.do("CMPQ", mem(at(cx, frameStep+8*i)), imm(xBytes))
		w.do("JNE", label("matrices"))
	}
	w.do("MOVQ", mem(stack(w.count)), gp(ax))
	w.do("SUBQ", imm(2), gp(ax))
	w.do("JLT", label("matrices"))
	w.do("MOVQ", imm32(0), gp(dx))
	w.do("PCALIGN", imm(32))
	w.here("quarters", "two products at a time")
	now := func(pointer int) Arg { return mem(at(pointer, 0).indexed(dx, 1)) }
	w.do("VXORPS", y(0), y(0), y(0))
	for j := range 2 {
		w.do("VPERMILPS", imm([]int64{0xa0, 0xf5}[j]), now(batchTop), y(squareElement))
		w.do("VPERMILPD", imm(int64(0xf*j)), now(batchB), y(batchRowB))
		w.multiply(batchRowB, squareElement, 0)
	}
	w.do("VMOVUPS", y(0), now(batchC))
	w.do("ADDQ", imm(int64(vectorBytes(1))), gp(dx))
	w.do("SUBQ", imm(2), gp(ax))
	w.do("JGE", label("quarters"))
	w.do("ADDQ", imm(2), gp(ax))
	w.do("JEQ", label("done"))
	w.do("MOVQ", gp(ax), mem(stack(w.count)))
	for _, r := range []int{batchTop, batchB, batchC} {
		w.do("ADDQ", gp(dx), gp(r))
	}
	w.do("JMP", label("matrices"))
	w.here("halves")
}

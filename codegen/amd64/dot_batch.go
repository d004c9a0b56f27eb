package amd64

import (
	"math/bits"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Products of small matrices (micro-kernel DotBatch), one after another in a call. A row of a product is one vector, or two
// of eight 8-byte elements. Tiles of up to four rows, or of eight, are computed as in Dot: the loop over pairs loads a row of the
// right matrix, broadcasts the elements of the left one, and adds to the rows' sums. While the sums of one tile wait for
// each other, the CPU executes the next tile or matrix.
//
// A masked store takes some ten cycles on a Zen 3. So a row is stored as whole vectors if the elements behind it belong to
// rows that are stored later. At the end of a call it is stored under a mask.
//
// If two rows fill a vector, 2x2 and 4x4 matrices have loops of their own: see dot_square.go.

// The general registers, besides ax, cx and dx: the number of pairs that are left, and pointers to the present elements of A
// and B. Before the loops cx has the address of the abi.Frame.
const (
	batchC     = index     // pointer to the tile's first row of the product
	batchRows  = cols      // how many rows are left
	batchTop   = firstFree // pointer to the tile's first row of A
	batchStepA = iota + 3  // bytes from one row of A to the next
	batchStepA3
	batchAcross // bytes from one column of A to the next
	batchStepB  // bytes from one row of B to the next
	batchStepC  // bytes from one row of the product to the next
	batchStepC3
	batchLimit // the last address where a whole row of vectors may be stored
	batchB     // pointer to the matrix B
)

// The vector registers besides the sums of a tile, up to eight.
const (
	batchRowB    = 8 // of one or two vectors
	batchElement = 10
	batchMask    = 15
)

// A tile has up to batchRowsMost rows, or batchTall rows of one vector. That is as many sums as it takes for none to wait for another.
const (
	batchRowsMost = 4
	batchTall     = 2 * batchRowsMost
)

// batchWriter writes the function of products of small matrices.
type batchWriter struct {
	Program
	micro *kernel.Micro
	d     ir.DType
	size  int
	// Offsets in the stack frame: the number of matrices left, the rows of each, the pairs, and the bytes from the end of one
	// matrix to the next (for B from its beginning); held has batchRows while a tall tile uses that register otherwise.
	count, rows, pairs, nextA, nextB, nextC, held int
}

// compileDotBatch returns the function of products of small matrices.
func compileDotBatch(m *kernel.Micro) *Program {
	w := &batchWriter{micro: m, d: m.Type, size: m.Type.Size()}
	for _, at := range []*int{&w.count, &w.rows, &w.pairs, &w.nextA, &w.nextB, &w.nextC, &w.held} {
		*at = w.local(8)
	}
	w.begin()
	w.squares()
	w.here("matrices", "matrices tile by tile")
	if most := int64(vectorBytes(1) / w.size); most < kernel.DotBatchColumns {
		w.do("CMPQ", gp(batchStepC), imm(int64(vectorBytes(1))))
		w.do("JGT", label("wideForm"))
		w.form("", 1)
		w.form("wide", 2)
	} else {
		w.form("", 1)
	}
	w.here("done")
	w.do("VZEROUPPER")
	w.do("RET")
	return &w.Program
}

// field returns the address of a field in the frame.
func (w *batchWriter) field(i int) Memory { return at(cx, frameStep+8*w.micro.FieldAt(i)) }

// begin reads the frame.
func (w *batchWriter) begin() {
	w.do("MOVQ", frameArg(), gp(cx))
	w.do("MOVQ", mem(at(cx, frameRows)), gp(ax))
	w.do("TESTQ", gp(ax), gp(ax))
	w.do("JLE", label("done"))
	w.do("MOVQ", gp(ax), mem(stack(w.count)))
	w.do("MOVQ", mem(w.field(kernel.DotBatchCols)), gp(batchStepC))
	w.do("MOVQ", mem(at(cx, frameCols)), gp(ax))
	w.do("CQO")
	w.do("IDIVQ", gp(batchStepC))
	w.do("TESTQ", gp(ax), gp(ax))
	w.do("JLE", label("done"))
	w.do("MOVQ", gp(ax), gp(batchRows))
	w.do("MOVQ", gp(ax), mem(stack(w.rows)))
	w.do("MOVQ", mem(w.field(kernel.DotBatchPairs)), gp(ax))
	w.do("MOVQ", gp(ax), mem(stack(w.pairs)))
	for i, r := range []int{batchTop, batchB, batchC} {
		w.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(r))
	}
	for _, n := range [][2]int{{kernel.DotBatchLeftRow, batchStepA}, {kernel.DotBatchLeftPair, batchAcross}, {kernel.DotBatchRightRow, batchStepB}} {
		w.do("MOVQ", mem(w.field(n[0])), gp(n[1]))
	}
	for _, r := range []int{batchStepA, batchAcross, batchStepB, batchStepC} {
		w.do("SHLQ", imm(int64(bits.Len(uint(w.size))-1)), gp(r))
	}
	w.do("LEAQ", mem(at(batchStepA, 0).indexed(batchStepA, 2)), gp(batchStepA3))
	w.do("LEAQ", mem(at(batchStepC, 0).indexed(batchStepC, 2)), gp(batchStepC3))
	for _, n := range []struct{ to, arg, step int }{{w.nextA, 0, batchStepA}, {w.nextC, 2, batchStepC}, {w.nextB, 1, -1}} {
		w.do("MOVQ", mem(at(cx, frameStep+8*n.arg)), gp(ax))
		if n.step >= 0 {
			w.do("MOVQ", gp(batchRows), gp(dx))
			w.do("IMULQ", gp(n.step), gp(dx))
			w.do("SUBQ", gp(dx), gp(ax))
		}
		w.do("MOVQ", gp(ax), mem(stack(n.to)))
	}
}

// form writes the loops over the matrices and over their tiles. A row of a tile has the given number of vectors.
func (w *batchWriter) form(name string, vectors int) {
	w.here(name+"Form", "rows of "+counted(vectors, "vector"))
	w.limit(name, vectorBytes(vectors))
	w.do("MOVQ", gp(batchStepC), gp(ax))
	if vectors > 1 {
		w.do("SUBQ", imm(int64(vectorBytes(vectors-1))), gp(ax))
	}
	w.do("NEGQ", gp(ax))
	w.do("LEAQ", mem(maskMiddle(avx2Machine)), gp(dx))
	w.do("VMOVUPS", mem(at(dx, 0).indexed(ax, 1)), y(batchMask))
	w.do("PCALIGN", imm(32))
	w.here(name+"Matrix", "each product")
	w.do("MOVQ", mem(stack(w.rows)), gp(batchRows))
	w.here(name+"Tiles", "the rows that are left, a tile at a time")
	tile := func(rows int) *batchTile { return &batchTile{w, name, rows, vectors} }
	if vectors == 1 {
		w.do("CMPQ", gp(batchRows), imm(batchTall))
		w.do("JGE", label(tile(batchTall).label()))
	}
	w.do("CMPQ", gp(batchRows), imm(5)) // 3 and 2
	w.do("JEQ", label(tile(3).label()))
	w.do("CMPQ", gp(batchRows), imm(batchRowsMost))
	w.do("JGE", label(tile(4).label()))
	w.do("CMPQ", gp(batchRows), imm(2))
	w.do("JGT", label(tile(3).label()))
	w.do("JEQ", label(tile(2).label()))
	for rows := 1; rows <= batchRowsMost; rows++ {
		tile(rows).write()
	}
	if vectors == 1 {
		tile(batchTall).write()
	}
	w.here(name+"Next", "the next product")
	w.do("ADDQ", mem(stack(w.nextA)), gp(batchTop))
	w.do("ADDQ", mem(stack(w.nextB)), gp(batchB))
	w.do("ADDQ", mem(stack(w.nextC)), gp(batchC))
	w.do("DECQ", mem(stack(w.count)))
	w.do("JNE", label(name+"Matrix"))
	w.do("JMP", label("done"))
}

// limit sets batchLimit for rows whose vectors have the given number of bytes. Whole vectors need no limit. If the matrices
// are not contiguous, no row is stored as whole vectors.
func (w *batchWriter) limit(name string, bytes int) {
	w.do("MOVQ", imm32(-1), gp(batchLimit))
	w.do("CMPQ", gp(batchStepC), imm(int64(bytes)))
	w.do("JEQ", label(name+"Limited"))
	w.do("MOVQ", imm32(0), gp(batchLimit))
	w.do("CMPQ", mem(stack(w.nextC)), imm(0))
	w.do("JNE", label(name+"Limited"))
	w.do("MOVQ", mem(stack(w.rows)), gp(batchLimit))
	w.do("IMULQ", mem(stack(w.count)), gp(batchLimit))
	w.do("IMULQ", gp(batchStepC), gp(batchLimit))
	w.do("LEAQ", mem(at(batchLimit, -bytes).indexed(batchC, 1)), gp(batchLimit))
	w.here(name + "Limited")
}

package amd64

// Transposes of four to seven rows or columns of elements of at most four bytes. A line shorter than a tile of eight is read as
// its first four and its last four elements, which overlap. So a tile still has eight lines or elements, and nothing
// behind a line is read or written.

// leastNarrow is the least number of lines of such a block.
const leastNarrow = 4

// narrowOffset has the bytes from the first four elements of a line to the last four.
const narrowOffset = ax

// narrow jumps to the loop for narrow blocks if the block is one, and writes the two loops behind that test.
func (t *transposer) narrow() {
	if t.lanes < 8 {
		return
	}
	t.do("CMPQ", gp(dx), imm(int64(t.size)))
	t.do("JNE", label("elements"))
	for _, lines := range []int{transposeRows, transposeCols} {
		t.do("CMPQ", gp(lines), imm(leastNarrow))
		t.do("JLT", label("elements"))
	}
	t.do("CMPQ", gp(transposeRows), imm(int64(t.lanes)))
	t.do("JGE", label("narrowColumns"))
	t.do("CMPQ", gp(transposeCols), imm(int64(t.lanes)))
	t.do("JLT", label("elements"))
	t.narrowLoop("narrowRowsLoop", transposeRows, transposeCols, t.to, t.from, false)
	t.here("narrowColumns", "few columns")
	t.narrowLoop("narrowColumnsLoop", transposeCols, transposeRows, t.from, t.to, true)
}

// narrowLoop writes a loop over tiles. few is the number of lines of one side, and left the number of their elements, which
// are the lines of the other side.
func (t *transposer) narrowLoop(name string, few, left int, lines, others tileMem, back bool) {
	t.do("MOVQ", gp(transposeFrom), gp(t.from.a))
	t.do("MOVQ", gp(transposeTo), gp(t.to.a))
	t.do("LEAQ", mem(at(others.a, 0).indexed(others.step, 4)), gp(others.b))
	t.do("LEAQ", mem(at(few, -leastNarrow)), gp(narrowOffset))
	t.do("MOVQ", gp(narrowOffset), gp(lines.b))
	t.do("IMULQ", gp(lines.step), gp(lines.b))
	t.do("ADDQ", gp(lines.a), gp(lines.b))
	if t.size > 1 {
		t.do("SHLQ", imm(int64(t.size/2)), gp(narrowOffset))
	}
	t.do("PCALIGN", imm(32))
	t.here(name)
	t.narrowTile(back)
	for _, r := range []int{lines.a, lines.b} {
		t.do("ADDQ", imm(int64(t.lanes*t.size)), gp(r))
	}
	for _, r := range []int{others.a, others.b} {
		t.do("LEAQ", mem(at(r, 0).indexed(others.step, t.lanes)), gp(r))
	}
	t.do("SUBQ", imm(int64(t.lanes)), gp(left))
	t.do("CMPQ", gp(left), imm(int64(t.lanes)))
	t.do("JGE", label(name))
	t.do("TESTQ", gp(left), gp(left))
	t.do("JEQ", label("done"))
	t.moveBack(left, []int{lines.a, lines.b}, []int{others.a, others.b}, others.step)
	t.do("JMP", label(name))
}

// narrowTile copies a tile. The lines of the input or, if back, of the output are two halves each.
func (t *transposer) narrowTile(back bool) {
	var v []int
	if back {
		v = t.loadRows()
	} else {
		for range 8 {
			v = append(v, t.alloc())
		}
		t.halves(t.from, func(half int) { t.loadHalves(v, half) })
	}
	v = t.transposed(v)
	if back {
		t.halves(t.to, func(half int) { t.storeHalves(v, half) })
	} else {
		t.storeRows(v)
	}
	t.release(v...)
}

// halves calls part for the first halves of the lines of a tile, then for the second ones, which have the same addresses by
// then.
func (t *transposer) halves(m tileMem, part func(half int)) {
	part(0)
	t.do("ADDQ", gp(narrowOffset), gp(m.a))
	t.do("ADDQ", gp(narrowOffset), gp(m.b))
	part(1)
	t.do("SUBQ", gp(narrowOffset), gp(m.a))
	t.do("SUBQ", gp(narrowOffset), gp(m.b))
}

// loadHalves loads halves of the rows of a tile.
func (t *transposer) loadHalves(v []int, half int) {
	for i := range 8 {
		from := mem(t.from.rowOf(i, 8))
		switch {
		case t.size > 2 && i < 4: // see load
			t.do("VMOVUPS", from, x(v[i+4*half]))
		case t.size > 2:
			r := v[i-4+4*half]
			t.do("VINSERTF128", imm(1), from, y(r), y(r))
		case t.size == 2 && half == 1:
			t.do("VMOVHPS", from, x(v[i]), x(v[i]))
		case t.size == 2:
			t.do("VMOVQ", from, x(v[i]))
		case half == 1:
			t.do("VPINSRD", imm(1), from, x(v[i]), x(v[i]))
		default:
			t.do("VMOVD", from, x(v[i]))
		}
	}
}

// storeHalves stores halves of the rows of a tile.
func (t *transposer) storeHalves(v []int, half int) {
	for i := range 8 {
		to := mem(t.to.rowOf(i, 8))
		switch {
		case t.size > 2 && half == 1:
			t.do("VEXTRACTF128", imm(1), y(v[i]), to)
		case t.size > 2:
			t.do("VMOVUPS", x(v[i]), to)
		case t.size == 2 && half == 1:
			t.do("VMOVHPS", x(v[i]), to)
		case t.size == 2:
			t.do("VMOVQ", x(v[i]), to)
		default:
			t.do("VEXTRACTPS", imm(int64(2*(i%2)+half)), x(v[i/2]), to)
		}
	}
}

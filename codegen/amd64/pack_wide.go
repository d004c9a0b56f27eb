package amd64

// Packing of rows that are whole vectors: see pack_rows.go.

// by writes the loop over rows of at least w bytes, in vectors of w bytes: exactly two of them, or more if w is the longest
// vector. Vectors of 32 bytes are loaded in two halves.
func (p *packer) by(w int) {
	const last, half = packAcross, rowStep        // where the last vector of a row begins, and from a load to the next one of a vector
	const rowNextA, rowNextB = rowOrder, rowBytes // from row to row
	name, piece := "by"+itoa(w), min(w, pieceBytes)
	p.here(name, "rows of two vectors of "+itoa(w)+" bytes, or more")
	p.lowest(packNextA)
	p.do("MOVQ", imm32(int64(piece)), gp(last))
	p.mask(last)
	p.do("LEAQ", mem(at(rowBytes, -w)), gp(last))
	p.do("LEAQ", mem(at(rowBytes, -piece)), gp(rowFirst))
	p.do("MOVQ", imm32(int64(w-piece)), gp(rowLast))
	p.do("MOVQ", imm32(int64(-piece)), gp(half))
	p.do("TESTQ", gp(rowOrder), gp(rowOrder))
	p.do("JLT", label(name+"Back"))
	p.do("XORQ", gp(rowFirst), gp(rowFirst))
	p.do("MOVQ", gp(last), gp(rowLast))
	p.do("NEGQ", gp(half))
	p.here(name + "Back")
	p.do("MOVQ", mem(at(cx, frameStep)), gp(rowNextA))
	if w == 32 {
		p.do("CMPQ", gp(rowBytes), imm(int64(2*w)))
		p.do("JGT", label("long"))
	}
	p.do("MOVQ", mem(at(cx, frameStep+8)), gp(rowNextB))
	p.do("PCALIGN", imm(32))
	p.here(name+"Row", "each row: its first vector and its last, which may overlap")
	p.move(w, half, rowFirst, at(packNextB, 0))
	p.move(w, half, rowLast, at(packNextB, 0).indexed(last, 1))
	p.do("ADDQ", gp(rowNextA), gp(packNextA))
	p.do("ADDQ", gp(rowNextB), gp(packNextB))
	p.do("DECQ", gp(packRows))
	p.do("JNE", label(name+"Row"))
	p.do("JMP", label("done"))
	if w < 32 {
		return
	}
	const present = packLeft
	p.here("long", "rows of more than two vectors")
	p.do("MOVQ", gp(packNextA), gp(packFrom))
	p.do("XORQ", gp(present), gp(present))
	p.do("PCALIGN", imm(32))
	p.here("vector", "each vector; the last one ends with the row")
	p.move(w, half, rowFirst, at(packNextB, 0).indexed(present, 1))
	p.do("LEAQ", mem(at(packNextA, 0).indexed(half, w/piece)), gp(packNextA))
	p.do("ADDQ", imm(int64(w)), gp(present))
	p.do("CMPQ", gp(present), gp(last))
	p.do("JLT", label("vector"))
	p.do("MOVQ", gp(packFrom), gp(packNextA))
	p.move(w, half, rowLast, at(packNextB, 0).indexed(last, 1))
	p.do("ADDQ", gp(rowNextA), gp(packNextA))
	p.do("ADDQ", mem(at(cx, frameStep+8)), gp(packNextB))
	p.do("DECQ", gp(packRows))
	p.do("JNE", label("long"))
	p.do("JMP", label("done"))
}

// move copies a vector of w bytes that is from bytes behind packNextA. The second half of 32 bytes is half bytes behind packNextA.
func (p *packer) move(w, half, from int, to Memory) {
	load := map[int]string{4: "VMOVD", 8: "VMOVQ", 16: "VMOVDQU", 32: "VMOVDQU"}[w]
	v, mask := x(rowVector), x(rowMask)
	p.do(load, mem(at(packNextA, 0).indexed(from, 1)), v)
	if w == 32 {
		p.do("LEAQ", mem(at(packNextA, 0).indexed(half, 1)), gp(ax))
		v, mask = y(rowVector), y(rowMask)
		p.do("VINSERTF128", imm(1), mem(at(ax, 0).indexed(from, 1)), v, v)
	}
	p.do("VPSHUFB", mask, v, v)
	p.do(load, v, mem(to))
}

package amd64

// Packing of rows whose elements are contiguous, reversed, or one short element repeated. All use the same loops: VPSHUFB moves
// bytes by a mask, which is made for each call, and the vectors follow one another forwards or backwards. The last vector of a
// row ends where the row ends, so some elements may be stored twice. A vector holds several rows of at most 16 bytes:
//
//	input   b g r x | b g r x | b g r x | ...   rows of three bytes in reverse order, four bytes apart
//	output  r g b | r g b | r g b | ...
//
// The bytes behind the rows of such a vector are stored too, and the next vector overwrites them. The last rows are
// therefore copied element by element.

// General registers of this part, besides those of packing.
const (
	rowBytes  = firstFree + 4 // of a row
	rowOrder  = firstFree + 5 // -1 if elements are reversed, 1 if they are one element, and else 0
	rowStep   = firstFree + 6 // bytes from a row of the input to the next
	rowFirst  = firstFree + 7 // from the row's lowest byte to its first vector
	rowLast   = firstFree + 8 // and to its last one
	rowVector = 0             // vector register
	rowMask   = 15
)

// acrossRows lists the distances, in bytes, of the elements of such rows.
func (p *packer) acrossRows() []int {
	if p.size > 2 { // a few long elements are repeated by transposes as fast
		return []int{p.size, -p.size}
	}
	return []int{p.size, -p.size, 0}
}

// contiguous writes the loops over such rows.
func (p *packer) contiguous() {
	const read = packFrom // bytes of a row of the input
	p.room = p.local(pieceBytes)
	p.here("rows", "contiguous rows")
	p.do("MOVQ", gp(packLeft), gp(rowBytes))
	p.scaled(rowBytes)
	p.do("MOVQ", gp(rowBytes), gp(read))
	p.do("XORQ", gp(rowOrder), gp(rowOrder))
	p.do("TESTQ", gp(packAcross), gp(packAcross))
	p.do("JGT", label("ordered"))
	p.do("DECQ", gp(rowOrder))
	p.do("TESTQ", gp(packAcross), gp(packAcross))
	p.do("JNE", label("ordered"))
	p.do("NEGQ", gp(rowOrder))
	p.do("MOVQ", imm32(int64(p.size)), gp(read))
	p.here("ordered")
	p.do("MOVQ", mem(at(cx, frameStep)), gp(rowStep))
	p.do("CMPQ", gp(rowBytes), imm(pieceBytes))
	p.do("JGT", label("wide"))
	p.do("CMPQ", gp(rowStep), gp(read))
	p.do("JLT", label("wide"))
	p.do("CMPQ", gp(rowBytes), mem(at(cx, frameStep+8)))
	p.do("JNE", label("wide"))
	p.periods(read)
	p.here("wide", "rows of whole vectors")
	p.do("TESTQ", gp(rowOrder), gp(rowOrder))
	p.do("JGT", label("row"))
	for w := 32; w >= max(4, p.size); w /= 2 {
		p.do("CMPQ", gp(rowBytes), imm(int64(w)))
		p.do("JGE", label("by"+itoa(w)))
	}
	p.do("JMP", label("row"))
	for w := 32; w >= max(4, p.size); w /= 2 {
		p.by(w)
	}
}

// scaled converts a register from elements to bytes.
func (p *packer) scaled(r int) {
	for size := 1; size < p.size; size *= 2 {
		p.do("ADDQ", gp(r), gp(r))
	}
}

// lowest moves a pointer to the first element of a row to its lowest byte.
func (p *packer) lowest(r int) { p.toLowest("SUBQ", r) }

// first moves a pointer from the lowest byte of a row back to its first element.
func (p *packer) first(r int) { p.toLowest("ADDQ", r) }

func (p *packer) toLowest(by string, r int) {
	forwards := p.fresh("forwards")
	p.do("TESTQ", gp(rowOrder), gp(rowOrder))
	p.do("JGE", label(forwards))
	p.do("LEAQ", mem(at(rowBytes, -p.size)), gp(ax))
	p.do(by, gp(ax), gp(r))
	p.here(forwards)
}

// periods writes the loop over vectors that hold several rows, two vectors in each iteration.
func (p *packer) periods(read int) {
	const each, bound, acrossA, acrossB = packAcross, packLeft, rowFirst, rowLast
	// The number of rows of a vector: as many as fit whole, both of the input and of the output.
	p.do("XORQ", gp(each), gp(each))
	p.do("XORQ", gp(acrossA), gp(acrossA))
	p.do("XORQ", gp(acrossB), gp(acrossB))
	p.here("another", "how many rows fit a vector")
	p.do("INCQ", gp(each))
	p.do("ADDQ", gp(rowStep), gp(acrossA))
	p.do("ADDQ", gp(rowBytes), gp(acrossB))
	for _, vector := range [][2]int{{acrossA, read}, {acrossB, rowBytes}} {
		p.do("LEAQ", mem(at(vector[0], 0).indexed(vector[1], 1)), gp(ax))
		p.do("CMPQ", gp(ax), imm(pieceBytes))
		p.do("JGT", label("full"))
	}
	p.do("JMP", label("another"))
	p.here("full")
	// Another vector may follow while the rows left have as many bytes as it loads.
	p.do("MOVQ", gp(each), gp(bound))
	p.do("MOVQ", imm32(pieceBytes), gp(ax))
	p.here("more", "how many vectors may load that many rows")
	p.do("INCQ", gp(bound))
	p.do("SUBQ", gp(read), gp(ax))
	p.do("JGT", label("more"))
	p.do("CMPQ", gp(packRows), gp(bound))
	p.do("JLT", label("few"))
	p.mask(rowBytes)
	p.lowest(packNextA)
	const twiceA, twiceB = packFrom, packTo
	for _, r := range [][2]int{{each, each}, {acrossA, twiceA}, {acrossB, twiceB}} {
		p.do("LEAQ", mem(at(r[0], 0).indexed(r[0], 1)), gp(r[1]))
	}
	p.do("SUBQ", gp(bound), gp(packRows))
	p.do("CMPQ", gp(acrossB), imm(pieceBytes))
	p.do("JEQ", label("whole"))
	loop := func(name string, store func()) {
		p.do("PCALIGN", imm(32))
		p.here(name, "each vector of rows")
		p.do("VMOVDQU", mem(at(packNextA, 0)), x(rowVector))
		p.do("VINSERTF128", imm(1), mem(at(packNextA, 0).indexed(acrossA, 1)), y(rowVector), y(rowVector))
		p.do("VPSHUFB", y(rowMask), y(rowVector), y(rowVector))
		store()
		p.do("ADDQ", gp(twiceA), gp(packNextA))
		p.do("ADDQ", gp(twiceB), gp(packNextB))
		p.do("SUBQ", gp(each), gp(packRows))
		p.do("JGE", label(name))
	}
	loop("parts", func() {
		p.do("VMOVDQU", x(rowVector), mem(at(packNextB, 0)))
		p.do("VEXTRACTF128", imm(1), y(rowVector), mem(at(packNextB, 0).indexed(acrossB, 1)))
	})
	p.do("JMP", label("left"))
	loop("whole", func() { p.do("VMOVDQU", y(rowVector), mem(at(packNextB, 0))) })
	p.here("left", "the rows that are left")
	p.do("ADDQ", gp(bound), gp(packRows))
	p.do("TESTQ", gp(packRows), gp(packRows))
	p.do("JEQ", label("done"))
	p.first(packNextA)
	p.here("few", "each of them")
	p.do("MOVQ", mem(p.across), gp(packAcross))
	p.do("JMP", label("row"))
}

// mask makes and loads the mask for rows of the given number of bytes. It overwrites two registers and reloads the frame's address.
func (p *packer) mask(bytes int) {
	const to, within, from = packFrom, packTo, cx // a byte of the mask, its place in its row, and where the row begins
	name := p.fresh("mask")
	room := stack(p.room)
	p.do("XORQ", gp(to), gp(to))
	p.do("XORQ", gp(within), gp(within))
	p.do("XORQ", gp(from), gp(from))
	p.here(name, "each vector of rows")
	p.do("XORQ", gp(ax), gp(ax))
	p.do("TESTQ", gp(rowOrder), gp(rowOrder))
	p.do("JEQ", label(name+"There"))
	p.do("MOVQ", gp(within), gp(ax)) // from the first element
	p.do("ANDQ", imm32(int64(-p.size)), gp(ax))
	p.do("NEGQ", gp(ax))
	p.do("TESTQ", gp(rowOrder), gp(rowOrder))
	p.do("JGT", label(name+"There"))
	p.do("LEAQ", mem(at(bytes, -p.size).indexed(ax, 2)), gp(ax)) // from the one that is as far from the end of the row
	p.here(name + "There")
	p.do("ADDQ", gp(within), gp(ax))
	p.do("ADDQ", gp(from), gp(ax))
	p.do("MOVB", byteOf(ax), mem(room.indexed(to, 1)))
	p.do("INCQ", gp(within))
	p.do("CMPQ", gp(within), gp(bytes))
	p.do("JNE", label(name+"Same"))
	p.do("XORQ", gp(within), gp(within))
	p.do("ADDQ", gp(rowStep), gp(from))
	p.here(name + "Same")
	p.do("INCQ", gp(to))
	p.do("CMPQ", gp(to), imm(pieceBytes))
	p.do("JNE", label(name))
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("VBROADCASTF128", mem(room), y(rowMask))
}

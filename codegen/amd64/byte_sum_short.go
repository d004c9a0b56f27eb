package amd64

// Sums of short rows of 1-byte or 2-byte elements, four rows at a time. A step loads 8, 16 or 32 bytes of each row, and a mask
// removes the bytes of later rows. The last rows are added one by one, because the bytes behind them may not exist.

const (
	shortRows   = 4  // of a step
	shortBehind = 3  // rows behind a step's that its last load reads bytes of: three, if rows have two bytes
	leastShort  = 2  // the least number of bytes of a row
	mostShort   = 32 // the greatest
)

// Vector registers of short rows, besides those of byteSum: the mask of a row's bytes, and the excess of signed elements.
const (
	shortMask = sumMask + 1 + iota
	shortBias
)

// short adds short rows if they are contiguous and their sums are too.
func (p *byteSum) short() {
	unless := func(jump string) { p.do(jump, label("row")) }
	p.do("CMPQ", gp(sumRows), imm(shortRows+shortBehind))
	unless("JLT")
	p.do("MOVQ", gp(sumLeft), gp(dx))
	p.do("SHLQ", imm(int64(p.size-1)), gp(dx))
	p.do("CMPQ", gp(dx), imm(leastShort))
	unless("JLT")
	p.do("CMPQ", gp(dx), imm(mostShort))
	unless("JGT")
	p.do("MOVQ", mem(at(cx, frameStep)), gp(sumStep))
	p.do("CMPQ", gp(sumStep), gp(dx))
	unless("JLT")
	p.do("MOVQ", mem(at(cx, frameStep+8)), gp(ax))
	p.do("CMPQ", gp(ax), imm(int64(p.out)))
	unless("JNE")
	p.do("LEAQ", mem(at(sumStep, 0).indexed(sumStep, 2)), gp(sumStep3))
	if p.signed() {
		p.do("SHLQ", imm(int64(8*p.size-1)), gp(sumLeft))
		p.do("VMOVQ", gp(sumLeft), x(shortBias))
		p.do("VPBROADCASTQ", x(shortBias), y(shortBias))
	}
	p.do("CMPQ", gp(dx), imm(8))
	p.do("JGT", label("over8"))
	p.shortMask(8)
	p.shortLoop("rowsOf8", func(rows [shortRows]Memory) {
		for i := range 2 {
			p.do("VMOVQ", mem(rows[2*i]), x(i))
			p.do("VMOVHPS", mem(rows[2*i+1]), x(i), x(i))
		}
		p.do("VINSERTF128", imm(1), x(1), y(0), y(0))
		p.shortSums(0)
	})
	p.here("over8", "rows of 9 to 16 bytes")
	p.do("CMPQ", gp(dx), imm(16))
	p.do("JGT", label("over16"))
	p.shortMask(16)
	p.shortLoop("rowsOf16", func(rows [shortRows]Memory) {
		for i := range 2 {
			p.do("VMOVDQU", mem(rows[i]), x(i))
			p.do("VINSERTF128", imm(1), mem(rows[i+2]), y(i), y(i))
			p.shortSums(i)
		}
		p.addHalves(0, 1)
	})
	p.here("over16", "rows of 17 to 32 bytes")
	p.do("SUBQ", imm(16), gp(dx))
	p.shortMask(16)
	p.do("VPCMPEQD", y(0), y(0), y(0))
	p.do("VINSERTF128", imm(1), x(shortMask), y(0), y(shortMask))
	p.shortLoop("rowsOf32", func(rows [shortRows]Memory) {
		for i := range shortRows {
			p.do("VMOVDQU", mem(rows[i]), y(i))
			p.shortSums(i)
		}
		p.addHalves(0, 1)
		p.addHalves(2, 3)
		p.do("VPERM2F128", imm(0x20), y(2), y(0), y(1))
		p.do("VPERM2F128", imm(0x31), y(2), y(0), y(0))
		p.do("VPADDQ", y(1), y(0), y(0))
	})
}

// shortMask makes the mask of the first dx of every bytes bytes.
func (p *byteSum) shortMask(bytes int) {
	var place shuffleMask // of each byte in its row
	for i := range place {
		place[i] = byte(i % bytes)
	}
	p.do("VMOVQ", gp(dx), x(shortMask))
	p.do("VPBROADCASTB", x(shortMask), y(shortMask))
	p.do("VPCMPGTB", mem(place.symbol()), y(shortMask), y(shortMask))
}

// addHalves replaces a by the sums of the two lanes in each half of a, and of those in each half of b.
func (p *byteSum) addHalves(a, b int) {
	p.do("VSHUFPS", imm(0x44), y(b), y(a), y(sumLow))
	p.do("VSHUFPS", imm(0xee), y(b), y(a), y(a))
	p.do("VPADDQ", y(sumLow), y(a), y(a))
}

// shortLoop writes a loop over short rows. sums puts those of four of them into the first register.
func (p *byteSum) shortLoop(name string, sums func(rows [shortRows]Memory)) {
	p.do("PCALIGN", imm(32))
	p.here(name, "rows four at a time")
	first := at(sumNext, 0)
	sums([shortRows]Memory{first, first.indexed(sumStep, 1), first.indexed(sumStep, 2), first.indexed(sumStep3, 1)})
	if p.signed() {
		p.do("VPSUBQ", y(shortBias), y(0), y(0))
	}
	if p.out == 8 {
		p.do("VMOVUPS", y(0), mem(at(sumTo, 0)))
	} else {
		p.do("VEXTRACTF128", imm(1), y(0), x(1))
		p.do("VSHUFPS", imm(0x88), x(1), x(0), x(0))
		p.do("VMOVUPS", x(0), mem(at(sumTo, 0)))
	}
	p.do("LEAQ", mem(first.indexed(sumStep, shortRows)), gp(sumNext))
	p.do("ADDQ", imm(int64(shortRows*p.out)), gp(sumTo))
	p.do("SUBQ", imm(shortRows), gp(sumRows))
	p.do("CMPQ", gp(sumRows), imm(shortRows+shortBehind))
	p.do("JGE", label(name))
	p.do("JMP", label("row"))
}

// shortSums replaces the elements of a vector by the sum of those in each of its lanes of 64 bits.
func (p *byteSum) shortSums(v int) {
	low, high := y(v), y(sumHigh)
	if p.signed() {
		p.do("VPXOR", y(sumSign), low, low)
	}
	p.do("VPAND", y(shortMask), low, low)
	if p.size == 1 {
		p.do("VPSADBW", y(sumZero), low, low)
		return
	}
	p.do("VPSRLW", imm(8), low, high)
	p.do("VPAND", y(sumMask), low, low)
	p.do("VPSADBW", y(sumZero), low, low)
	p.do("VPSADBW", y(sumZero), high, high)
	p.do("VPSLLQ", imm(8), high, high)
	p.do("VPADDQ", high, low, low)
}

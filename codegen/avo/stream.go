package avo

import "github.com/stridefuse/stridefuse/codegen"

// Copies past the caches. Whole lines of the destination are written by
// non-temporal stores: a line that is filled at one go is not read from memory
// first. What is before the first whole line and after the last goes by ordinary
// stores, as the other part of such a line may have been written so before. A
// fence after each call would wait until all is in memory, and took a sixth of the
// time of an addition in tiles of 8 KiB; so it has a call of its own, for no rows.

// General registers of streams, besides ax and cx.
const (
	streamLeft  = dx    // bytes of the row that are left
	streamRows  = index // rows that are left
	streamFrom  = cols
	streamTo    = firstFree
	streamNextF = firstFree + 1 // the next row
	streamNextT = firstFree + 2
	streamFew   = firstFree + 3 // bytes to be copied by ordinary stores
)

const (
	cacheLine   = 64
	streamLines = 4 // of a turn of the loop
)

// compileStream returns the function of the stream kernel.
func compileStream() *program {
	p := &program{}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, codegen.FrameRows)), gp(streamRows))
	p.do("TESTQ", gp(streamRows), gp(streamRows))
	p.do("JLE", label("fence"))
	p.do("MOVQ", mem(at(cx, codegen.FramePtr)), gp(streamNextF))
	p.do("MOVQ", mem(at(cx, codegen.FramePtr+8)), gp(streamNextT))
	p.here("row")
	p.do("MOVQ", gp(streamNextF), gp(streamFrom))
	p.do("MOVQ", gp(streamNextT), gp(streamTo))
	p.do("ADDQ", mem(at(cx, codegen.FrameStep)), gp(streamNextF))
	p.do("ADDQ", mem(at(cx, codegen.FrameStep+8)), gp(streamNextT))
	p.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(streamLeft))
	p.toLine()
	p.lines64()
	p.do("MOVQ", gp(streamLeft), gp(streamFew))
	p.few("tail")
	p.do("DECQ", gp(streamRows))
	p.do("JNE", label("row"))
	p.do("VZEROUPPER")
	p.do("RET")
	p.here("fence")
	p.do("SFENCE")
	p.do("RET")
	return p
}

// toLine copies the bytes before the first whole line, or all of a short row.
func (p *program) toLine() {
	p.do("MOVQ", gp(streamTo), gp(streamFew))
	p.do("NEGQ", gp(streamFew))
	p.do("ANDQ", imm(cacheLine-1), gp(streamFew))
	p.do("CMPQ", gp(streamFew), gp(streamLeft))
	p.do("JGT", label("short"))
	p.do("SUBQ", gp(streamFew), gp(streamLeft))
	p.few("head")
	p.do("JMP", label("aligned"))
	p.here("short")
	p.do("MOVQ", gp(streamLeft), gp(streamFew))
	p.do("XORQ", gp(streamLeft), gp(streamLeft))
	p.few("all")
	p.here("aligned")
}

// lines64 copies whole lines.
func (p *program) lines64() {
	for _, lines := range []int{streamLines, 1} {
		bytes, loop, end := int64(lines*cacheLine), p.fresh("lines"), p.fresh("end")
		p.do("SUBQ", imm32(bytes), gp(streamLeft))
		p.do("JLT", label(end))
		p.do("PCALIGN", imm(32))
		p.here(loop)
		for v := range lines * cacheLine / vectorBytes(1) {
			p.do("VMOVDQU", mem(at(streamFrom, vectorBytes(v))), y(v))
		}
		for v := range lines * cacheLine / vectorBytes(1) {
			p.do("VMOVNTDQ", y(v), mem(at(streamTo, vectorBytes(v))))
		}
		p.do("ADDQ", imm32(bytes), gp(streamFrom))
		p.do("ADDQ", imm32(bytes), gp(streamTo))
		p.do("SUBQ", imm32(bytes), gp(streamLeft))
		p.do("JGE", label(loop))
		p.here(end)
		p.do("ADDQ", imm32(bytes), gp(streamLeft))
	}
}

// few copies less than a line by ordinary stores.
func (p *program) few(name string) {
	for _, n := range []int{32, 16, 8} {
		skip := name + itoa(n)
		p.do("TESTQ", imm32(int64(n)), gp(streamFew))
		p.do("JEQ", label(skip))
		switch n {
		case 32:
			p.do("VMOVUPS", mem(at(streamFrom, 0)), y(0))
			p.do("VMOVUPS", y(0), mem(at(streamTo, 0)))
		case 16:
			p.do("VMOVUPS", mem(at(streamFrom, 0)), x(0))
			p.do("VMOVUPS", x(0), mem(at(streamTo, 0)))
		case 8:
			p.do("MOVQ", mem(at(streamFrom, 0)), gp(ax))
			p.do("MOVQ", gp(ax), mem(at(streamTo, 0)))
		}
		p.do("ADDQ", imm(int64(n)), gp(streamFrom))
		p.do("ADDQ", imm(int64(n)), gp(streamTo))
		p.here(skip)
	}
	p.do("ANDQ", imm(7), gp(streamFew))
	p.do("JEQ", label(name+"End"))
	p.here(name + "Byte")
	p.do("MOVBQZX", mem(at(streamFrom, 0)), gp(ax))
	p.do("MOVB", byteOf(ax), mem(at(streamTo, 0)))
	p.do("INCQ", gp(streamFrom))
	p.do("INCQ", gp(streamTo))
	p.do("DECQ", gp(streamFew))
	p.do("JNE", label(name+"Byte"))
	p.here(name + "End")
}

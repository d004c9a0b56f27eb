package amd64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Non-temporal copies (micro-kernel StoreNT). Whole cache lines of the destination are
// written by non-temporal stores: a line whose bytes are all written in sequence is not
// read from memory first. Bytes before the first whole line and after the last one are
// written by ordinary stores, because other calls may write the rest of those lines.
//
// A fence makes the stores visible to other processors. It waits for memory: one for each
// call took a sixth of the time of an addition in tiles of 8 KiB. So a call with no rows is
// the fence, and the schedule calls it once.

// General registers of non-temporal copies, besides ax and cx.
const (
	ntLeft     = dx    // how many bytes of the row are left
	ntRows     = index // how many rows are left
	ntFrom     = cols
	ntTo       = firstFree
	ntNextFrom = firstFree + 1 // the next row
	ntNextTo   = firstFree + 2
	ntFew      = firstFree + 3 // how many bytes the next ordinary stores copy
)

const (
	cacheLine = kernel.CacheLine
	ntLines   = 4 // of an iteration of the main loop
)

// compileStoreNT returns the function of non-temporal copies.
func compileStoreNT() *Program {
	p := &Program{}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, frameRows)), gp(ntRows))
	p.do("TESTQ", gp(ntRows), gp(ntRows))
	p.do("JLE", label("fence"))
	p.do("MOVQ", mem(at(cx, framePtr)), gp(ntNextFrom))
	p.do("MOVQ", mem(at(cx, framePtr+8)), gp(ntNextTo))
	p.here("row", "each row")
	p.do("MOVQ", gp(ntNextFrom), gp(ntFrom))
	p.do("MOVQ", gp(ntNextTo), gp(ntTo))
	p.do("ADDQ", mem(at(cx, frameStep)), gp(ntNextFrom))
	p.do("ADDQ", mem(at(cx, frameStep+8)), gp(ntNextTo))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(ntLeft))
	p.toLine()
	p.wholeLines()
	p.do("MOVQ", gp(ntLeft), gp(ntFew))
	p.few("tail")
	p.do("DECQ", gp(ntRows))
	p.do("JNE", label("row"))
	p.do("VZEROUPPER")
	p.do("RET")
	p.here("fence")
	p.do("SFENCE")
	p.do("RET")
	return p
}

// toLine copies the bytes before the first whole line, or all bytes of a short row.
func (p *Program) toLine() {
	p.do("MOVQ", gp(ntTo), gp(ntFew))
	p.do("NEGQ", gp(ntFew))
	p.do("ANDQ", imm(cacheLine-1), gp(ntFew))
	p.do("CMPQ", gp(ntFew), gp(ntLeft))
	p.do("JGT", label("short"))
	p.do("SUBQ", gp(ntFew), gp(ntLeft))
	p.few("head")
	p.do("JMP", label("aligned"))
	p.here("short", "a row that ends before a cache line begins")
	p.do("MOVQ", gp(ntLeft), gp(ntFew))
	p.do("XORQ", gp(ntLeft), gp(ntLeft))
	p.few("all")
	p.here("aligned", "whole cache lines, stored past the caches")
}

// wholeLines copies whole lines.
func (p *Program) wholeLines() {
	for _, lines := range []int{ntLines, 1} {
		bytes, loop, end := int64(lines*cacheLine), p.fresh("lines"), p.fresh("end")
		p.do("SUBQ", imm32(bytes), gp(ntLeft))
		p.do("JLT", label(end))
		p.do("PCALIGN", imm(32))
		p.here(loop, counted(lines, "cache line")+" at a time")
		for v := range 2 * lines {
			p.do("VMOVDQU", mem(at(ntFrom, 32*v)), y(v))
		}
		for v := range 2 * lines {
			p.do("VMOVNTDQ", y(v), mem(at(ntTo, 32*v)))
		}
		p.do("ADDQ", imm32(bytes), gp(ntFrom))
		p.do("ADDQ", imm32(bytes), gp(ntTo))
		p.do("SUBQ", imm32(bytes), gp(ntLeft))
		p.do("JGE", label(loop))
		p.here(end)
		p.do("ADDQ", imm32(bytes), gp(ntLeft))
	}
}

// few copies ntFew bytes, fewer than a line, by ordinary stores. name begins its labels.
func (p *Program) few(name string) {
	for _, n := range []int{32, 16, 8} {
		skip := name + itoa(n)
		p.do("TESTQ", imm32(int64(n)), gp(ntFew))
		p.do("JEQ", label(skip))
		switch n {
		case 32:
			p.do("VMOVUPS", mem(at(ntFrom, 0)), y(0))
			p.do("VMOVUPS", y(0), mem(at(ntTo, 0)))
		case 16:
			p.do("VMOVUPS", mem(at(ntFrom, 0)), x(0))
			p.do("VMOVUPS", x(0), mem(at(ntTo, 0)))
		case 8:
			p.do("MOVQ", mem(at(ntFrom, 0)), gp(ax))
			p.do("MOVQ", gp(ax), mem(at(ntTo, 0)))
		}
		p.do("ADDQ", imm(int64(n)), gp(ntFrom))
		p.do("ADDQ", imm(int64(n)), gp(ntTo))
		p.here(skip)
	}
	p.do("ANDQ", imm(7), gp(ntFew))
	p.do("JEQ", label(name+"End"))
	p.here(name+"Byte", "the last bytes")
	p.do("MOVBQZX", mem(at(ntFrom, 0)), gp(ax))
	p.do("MOVB", byteOf(ax), mem(at(ntTo, 0)))
	p.do("INCQ", gp(ntFrom))
	p.do("INCQ", gp(ntTo))
	p.do("DECQ", gp(ntFew))
	p.do("JNE", label(name+"Byte"))
	p.here(name + "End")
}

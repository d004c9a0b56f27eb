package amd64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Lookups (micro-kernel Lookup). One to four adjacent rows, such as the channels of pixels, are looked up together, each
// in its own table. If their elements are contiguous, eight bytes are loaded at once, and entries are joined into vectors.
// Zen 4, 4-byte entries: 0.2 ns each, 0.3 ns one by one; a gather of eight takes 0.37 ns each.

// looker writes the function of Lookup.
type looker struct {
	Program
	size               int // of an entry
	nextFrom, nextTo   Memory
	stepTable, stepIn  Memory
	stepOut, frameCols Memory
}

// General registers of lookups, besides ax and cx with bytes and entries, and dx with eight bytes.
const (
	lookupFrom      = index         // pointer to the present bytes
	lookupLeft      = cols          // how many columns are left
	lookupTo        = firstFree     // pointer to the present elements of the output
	lookupTables    = firstFree + 1 // pointers to the tables of up to four rows
	lookupAcross    = lookupTables + lookupRows
	lookupAcrossOut = lookupAcross + 1
	lookupRowsLeft  = lookupAcross + 2
	lookupFrame     = lookupAcross + 3 // the address of the abi.Frame
)

const (
	// lookupRows is the greatest number of rows that are looked up together.
	lookupRows = 4
	// lookupWord is the number of bytes that are loaded at once.
	lookupWord = 8
)

// compileLookup returns the function of Lookup.
func compileLookup(m *kernel.Micro) *Program {
	step := func(i int) Memory { return at(lookupFrame, frameStep+8*i) }
	p := &looker{size: m.Type.Size(), stepTable: step(0), stepIn: step(1), stepOut: step(2), frameCols: at(lookupFrame, frameCols)}
	p.nextFrom, p.nextTo = stack(p.local(8)), stack(p.local(8))
	p.do("MOVQ", frameArg(), gp(lookupFrame))
	p.do("MOVQ", mem(at(lookupFrame, frameRows)), gp(lookupRowsLeft))
	p.do("MOVQ", mem(p.frameCols), gp(lookupLeft))
	for _, r := range []int{lookupRowsLeft, lookupLeft} {
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	p.do("MOVQ", mem(at(lookupFrame, framePtr)), gp(lookupTables))
	for i, next := range []Memory{p.nextFrom, p.nextTo} {
		p.do("MOVQ", mem(at(lookupFrame, framePtr+8*(i+1))), gp(ax))
		p.do("MOVQ", gp(ax), mem(next))
	}
	p.do("MOVQ", mem(step(m.FieldAt(0))), gp(lookupAcross))
	p.do("MOVQ", mem(step(m.FieldAt(1))), gp(lookupAcrossOut))
	p.here("rows", "each row of pixels")
	p.beginRows()
	for n := lookupRows; n >= 1; n-- {
		p.together(n)
	}
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	return &p.Program
}

// beginRows sets the pointers, and jumps to the code for the number of rows that are adjacent.
func (p *looker) beginRows() {
	p.do("MOVQ", mem(p.nextFrom), gp(lookupFrom))
	p.do("MOVQ", mem(p.nextTo), gp(lookupTo))
	p.do("MOVQ", mem(p.frameCols), gp(lookupLeft))
	p.do("MOVQ", mem(p.stepTable), gp(ax))
	p.do("LEAQ", mem(at(lookupTables, 0).indexed(ax, 1)), gp(lookupTables+1))
	p.do("LEAQ", mem(at(lookupTables, 0).indexed(ax, 2)), gp(lookupTables+2))
	p.do("LEAQ", mem(at(lookupTables+1, 0).indexed(ax, 2)), gp(lookupTables+3))
	p.do("CMPQ", mem(p.stepIn), imm(1))
	p.do("JNE", label("pixels1"))
	p.do("CMPQ", mem(p.stepOut), imm(int64(p.size)))
	p.do("JNE", label("pixels1"))
	for n := lookupRows; n >= 1; n-- {
		p.do("CMPQ", gp(lookupRowsLeft), imm(int64(n)))
		p.do("JGE", label("dense"+itoa(n)))
	}
}

// together looks up n adjacent rows, or a single row, and continues with the next rows.
func (p *looker) together(n int) {
	dense, pixels, words := "dense"+itoa(n), "pixels"+itoa(n), 1
	for words*lookupWord%n != 0 {
		words++
	}
	columns := int64(words * lookupWord / n)
	if n == 1 { // of any row
		p.here(pixels, "pixels of "+itoa(n)+" members")
	}
	p.here(dense)
	p.do("CMPQ", gp(lookupAcross), imm(int64(n)))
	p.do("JNE", label(pixels+"Each"))
	p.do("CMPQ", gp(lookupAcrossOut), imm(int64(n*p.size)))
	p.do("JNE", label(pixels+"Each"))
	p.do("PCALIGN", imm(32))
	p.here(dense+"Loop", "words of adjacent pixels")
	p.do("CMPQ", gp(lookupLeft), imm(columns))
	p.do("JLT", label(pixels+"Rest"))
	for w := range words {
		p.word(w*lookupWord, n)
	}
	p.do("ADDQ", imm(int64(words*lookupWord)), gp(lookupFrom))
	p.do("ADDQ", imm32(int64(words*lookupWord*p.size)), gp(lookupTo))
	p.do("SUBQ", imm(columns), gp(lookupLeft))
	p.do("JMP", label(dense+"Loop"))

	p.here(pixels+"Rest", "the last pixels")
	p.do("TESTQ", gp(lookupLeft), gp(lookupLeft))
	p.do("JEQ", label(pixels+"Next"))
	p.here(pixels+"Each", "each pixel")
	for i := range n {
		p.do("MOVBLZX", mem(at(lookupFrom, i)), lowOf(ax))
		p.entry(at(lookupTables+i, 0).indexed(ax, p.size), at(lookupTo, i*p.size))
	}
	p.do("ADDQ", gp(lookupAcross), gp(lookupFrom))
	p.do("ADDQ", gp(lookupAcrossOut), gp(lookupTo))
	p.do("DECQ", gp(lookupLeft))
	p.do("JNE", label(pixels+"Each"))

	p.here(pixels+"Next", "the next row")
	p.do("SUBQ", imm(int64(n)), gp(lookupRowsLeft))
	p.do("JLE", label("done"))
	for range n {
		p.do("ADDQ", mem(p.stepTable), gp(lookupTables))
	}
	for _, next := range []struct{ step, pointer Memory }{{p.stepIn, p.nextFrom}, {p.stepOut, p.nextTo}} {
		p.do("MOVQ", mem(next.step), gp(ax))
		for range n {
			p.do("ADDQ", gp(ax), mem(next.pointer))
		}
	}
	p.do("JMP", label("rows"))
}

// word looks up the eight bytes at an offset of each of n rows, alternating between the rows.
func (p *looker) word(offset, n int) {
	p.do("MOVQ", mem(at(lookupFrom, offset)), gp(dx))
	lanes := min(lookupWord, blockBytes/p.size) // of a vector
	for i := range lookupWord {
		entry, table, lane := []int{ax, cx}[i%2], lookupTables+(offset+i)%n, i%lanes
		p.do("MOVBLZX", []Arg{byteOf(dx), highOf(dx)}[i%2], lowOf(entry))
		if i%2 == 1 && i < lookupWord-1 {
			p.do("SHRQ", imm(16), gp(dx))
		}
		p.join(lane, at(table, 0).indexed(entry, p.size))
		if lane < lanes-1 {
			continue
		}
		to := at(lookupTo, (offset+i-lane)*p.size)
		if lanes*p.size == blockBytes {
			p.do("VMOVDQU", x(0), mem(to))
		} else {
			p.do("VMOVQ", x(0), mem(to))
		}
	}
}

// join loads an entry into a lane of the first vector register.
func (p *looker) join(lane int, from Memory) {
	if lane == 0 && p.size >= wordBytes {
		p.do(map[int]string{4: "VMOVD", 8: "VMOVQ"}[p.size], mem(from), x(0))
		return
	}
	if lane == 0 { // it does not wait for the vector before
		p.do("VPXOR", x(0), x(0), x(0))
	}
	p.do(map[int]string{1: "VPINSRB", 2: "VPINSRW", 4: "VPINSRD", 8: "VPINSRQ"}[p.size], imm(int64(lane)), mem(from), x(0), x(0))
}

// entry copies an entry. It uses ax.
func (p *looker) entry(from, to Memory) {
	switch p.size {
	case 1:
		p.do("MOVBLZX", mem(from), lowOf(ax))
		p.do("MOVB", byteOf(ax), mem(to))
	case 2:
		p.do("MOVWQZX", mem(from), gp(ax))
		p.do("MOVW", wordOf(ax), mem(to))
	case 4:
		p.do("MOVL", mem(from), lowOf(ax))
		p.do("MOVL", lowOf(ax), mem(to))
	default:
		p.do("MOVQ", mem(from), gp(ax))
		p.do("MOVQ", gp(ax), mem(to))
	}
}

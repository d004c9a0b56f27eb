package amd64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Packing (micro-kernel Pack): copies of strided elements. Elements two to four apart are loaded as whole vectors
// (interleave*.go), and so are rows that are contiguous, reversed, or one repeated element (pack_rows.go). Other elements are
// loaded and stored one by one: joining four into a vector is not faster, as the loads take the time.

// packer writes the function of Pack.
type packer struct {
	Program
	size   int    // of an element
	across Memory // field across of the frame
	room   int    // for a mask: offset in the stack frame
}

// General registers of packing, besides ax, and cx with the address of the abi.Frame.
const (
	packAcross = dx            // bytes from one element of an input row to the next
	packLeft   = index         // how many columns are left
	packRows   = cols          // how many rows are left
	packFrom   = firstFree     // pointer to the present element of the input
	packTo     = firstFree + 1 // pointer to the present element of the output
	packNextA  = firstFree + 2 // pointer to the next row of the input
	packNextB  = firstFree + 3 // pointer to the next row of the output
)

// compilePack returns the function of Pack.
func compilePack(m *kernel.Micro) *Program {
	p := &packer{size: m.Type.Size(), across: at(cx, frameStep+8*m.FieldAt(0))}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, frameRows)), gp(packRows))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(packLeft))
	for _, r := range []int{packRows, packLeft} {
		p.do("TESTQ", gp(r), gp(r))
		p.do("JLE", label("done"))
	}
	p.do("MOVQ", mem(at(cx, framePtr)), gp(packNextA))
	p.do("MOVQ", mem(at(cx, framePtr+8)), gp(packNextB))
	p.do("MOVQ", mem(p.across), gp(packAcross))
	for _, across := range p.acrossRows() {
		p.do("CMPQ", gp(packAcross), imm32(int64(across)))
		p.do("JEQ", label("rows"))
	}
	p.here("row", "each row")
	p.do("MOVQ", gp(packNextA), gp(packFrom))
	p.do("MOVQ", gp(packNextB), gp(packTo))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(packLeft))
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.do("CMPQ", gp(packAcross), imm(int64(factor*p.size)))
		p.do("JEQ", label("apart"+itoa(factor)))
	}
	p.do("PCALIGN", imm(32))
	p.here("element", "each element")
	p.element(p.size, at(packFrom, 0), at(packTo, 0))
	p.do("ADDQ", gp(packAcross), gp(packFrom))
	p.do("ADDQ", imm(int64(p.size)), gp(packTo))
	p.do("DECQ", gp(packLeft))
	p.do("JNE", label("element"))
	p.here("next", "the next row")
	p.do("ADDQ", mem(at(cx, frameStep)), gp(packNextA))
	p.do("ADDQ", mem(at(cx, frameStep+8)), gp(packNextB))
	p.do("DECQ", gp(packRows))
	p.do("JNE", label("row"))
	p.here("done")
	p.do("VZEROUPPER")
	p.do("RET")
	for factor := 2; factor <= kernel.MaxFactor; factor++ {
		p.deinterleave(interleave{p.size, factor})
	}
	p.contiguous()
	return &p.Program
}

// deinterleave copies the first member of an interleave group, a vector at a time, while there is another element: the last
// vector that it loads ends before that one. The last vector of a row ends with the last element of the row, so it may store
// elements a second time. For it, the group is taken to begin such that the elements are its last member.
func (p *packer) deinterleave(t interleave) {
	name, lanes := "apart"+itoa(t.factor), vectorBytes(1)/t.size
	p.here(name, "every "+itoa(t.factor)+" elements one")
	p.do("CMPQ", gp(packLeft), imm(int64(lanes)))
	p.do("JLE", label(name+"Last"))
	p.do("PCALIGN", imm(32))
	p.here(name+"Vector", "a vector of them")
	t.oneMember(&p.Program, at(packFrom, 0), 0)
	p.do("VMOVDQU", y(union), mem(at(packTo, 0)))
	p.do("ADDQ", imm32(int64(vectorBytes(t.factor))), gp(packFrom))
	p.do("ADDQ", imm(int64(vectorBytes(1))), gp(packTo))
	p.do("SUBQ", imm(int64(lanes)), gp(packLeft))
	p.do("CMPQ", gp(packLeft), imm(int64(lanes)))
	p.do("JGT", label(name+"Vector"))

	p.here(name+"Last", "the last vector, which ends with the row")
	p.do("MOVQ", mem(at(cx, frameCols)), gp(ax))
	p.do("CMPQ", gp(ax), imm(int64(lanes)))
	p.do("JLE", label("element"))
	p.do("SUBQ", imm(int64(lanes)), gp(packLeft)) // minus the number of elements that the vector lacks
	p.do("LEAQ", mem(at(packTo, 0).indexed(packLeft, t.size)), gp(packTo))
	p.do("IMULQ", gp(packAcross), gp(packLeft))
	p.do("ADDQ", gp(packLeft), gp(packFrom))
	t.oneMember(&p.Program, at(packFrom, (1-t.factor)*t.size), t.factor-1)
	p.do("VMOVDQU", y(union), mem(at(packTo, 0)))
	p.do("JMP", label("next"))
}

// element copies an element. It uses ax or the first vector register.
func (p *Program) element(size int, from, to Memory) {
	switch size {
	case 1:
		p.do("MOVBQZX", mem(from), gp(ax))
		p.do("MOVB", byteOf(ax), mem(to))
	case 2:
		p.do("VPINSRW", imm(0), mem(from), x(0), x(0))
		p.do("VPEXTRW", imm(0), x(0), mem(to))
	case 4:
		p.do("VMOVD", mem(from), x(0))
		p.do("VMOVD", x(0), mem(to))
	default:
		p.do("MOVQ", mem(from), gp(ax))
		p.do("MOVQ", gp(ax), mem(to))
	}
}

package amd64

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// compilePrefetch returns the function that prefetches a run of bytes, line by line.
func compilePrefetch(m *kernel.Micro) *Program {
	const from, left = dx, index
	p := &Program{}
	p.do("MOVQ", frameArg(), gp(cx))
	p.do("MOVQ", mem(at(cx, framePtr)), gp(from))
	p.do("ADDQ", mem(at(cx, frameStep+8*m.FieldAt(0))), gp(from))
	p.do("MOVQ", mem(at(cx, frameCols)), gp(left))
	p.here("line", "each cache line")
	p.do("PREFETCHT0", mem(at(from, 0)))
	p.do("ADDQ", imm32(cacheLine), gp(from))
	p.do("SUBQ", imm32(cacheLine), gp(left))
	p.do("JGT", label("line"))
	p.do("RET")
	return p
}

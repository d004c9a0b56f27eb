package arm64

import "github.com/stridefuse/stridefuse/ir/kernel"

// compileStoreNT returns the function that copies bytes by STNP, whose stores a processor need not keep in its caches. Such stores are
// ordered as others, so a call for no rows, a fence elsewhere, does nothing.
func compileStoreNT(*kernel.Micro) (*Program, error) {
	const left = packLeft
	p := &packer{size: 1, lanes: 16}
	p.begin()
	p.here("row")
	p.startRow()
	p.do("SUBS", x(left), x(left), imm(32))
	p.do("BLT", label("bytes"))
	p.here("pair")
	p.do("LDP.Q", v(0), v(1), mem(then(packFrom, 32)))
	p.do("STNP.Q", v(0), v(1), mem(at(packTo, 0)))
	p.do("ADD", x(packTo), x(packTo), imm(32))
	p.do("SUBS", x(left), x(left), imm(32))
	p.do("BGE", label("pair"))
	p.here("bytes")
	p.do("ADDS", x(left), x(left), imm(32))
	p.do("BEQ", label("next"))
	p.here("byte")
	p.do("LDRB", x(packScratch), mem(then(packFrom, 1)))
	p.do("STRB", x(packScratch), mem(then(packTo, 1)))
	p.do("SUBS", x(left), x(left), imm(1))
	p.do("BNE", label("byte"))
	p.nextRow()
	return &p.Program, nil
}

// compilePrefetch returns the function that prefetches a run of bytes, line by line.
func compilePrefetch(m *kernel.Micro) (*Program, error) {
	const frame, from, left, next, line = 0, 1, 2, 3, 64
	p := &Program{}
	p.do(OpFrame, x(frame))
	for _, n := range [][2]int{{from, framePtr}, {left, frameCols}, {next, frameStep + 8*m.FieldAt(0)}} {
		p.do("LDR", x(n[0]), mem(at(frame, n[1])))
	}
	p.do("ADD", x(from), x(from), x(next))
	p.here("line")
	p.do("PRFM", imm(0), mem(at(from, 0)))
	p.do("ADD", x(from), x(from), imm(line))
	p.do("SUBS", x(left), x(left), imm(line))
	p.do("BGT", label("line"))
	p.do("RET")
	return p, nil
}

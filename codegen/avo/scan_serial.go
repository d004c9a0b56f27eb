package avo

import "github.com/stridefuse/stridefuse/ir"

// serial writes a scan of bytes or of integers of eight: element by element in
// general registers, where combining takes a cycle or two.
func (s *scanner) serial() {
	size, counter := s.d.Size(), s.from.b
	from, to := at(s.from.a, 0), at(s.to.a, 0)
	s.begin()
	s.here("row")
	s.element(from, ax)
	s.keep(to)
	s.do("MOVQ", imm32(1), gp(counter))
	s.here("loop")
	s.do("CMPQ", gp(counter), gp(scanCols))
	s.do("JGE", label("next"))
	s.element(from.indexed(counter, size), dx)
	switch s.by {
	case ir.OpAdd:
		s.do("ADDQ", gp(dx), gp(ax))
	case ir.OpMul:
		s.do("IMULQ", gp(dx), gp(ax))
	default:
		s.do("CMPQ", gp(dx), gp(ax))
		s.do(map[ir.Op]string{ir.OpMin: "CMOVQLT", ir.OpMax: "CMOVQGT"}[s.by], gp(dx), gp(ax))
	}
	s.keep(to.indexed(counter, size))
	s.do("INCQ", gp(counter))
	s.do("JMP", label("loop"))
	s.here("next")
	s.do("DECQ", gp(scanRows))
	s.do("JLE", label("done"))
	s.do("ADDQ", gp(s.from.step), gp(s.from.a))
	s.do("ADDQ", gp(s.to.step), gp(s.to.a))
	s.do("JMP", label("row"))
	s.here("done")
	s.do("RET")
}

// element loads an element.
func (s *scanner) element(from memory, to int) {
	if s.d.Size() == 1 {
		s.do("MOVBQZX", mem(from), gp(to))
	} else {
		s.do("MOVQ", mem(from), gp(to))
	}
}

// keep stores the running value.
func (s *scanner) keep(to memory) {
	if s.d.Size() == 1 {
		s.do("MOVB", byteOf(ax), mem(to))
	} else {
		s.do("MOVQ", gp(ax), mem(to))
	}
}

package amd64

import (
	"github.com/stridefuse/stridefuse/ir"
)

// serial writes a scan of 1-byte or 8-byte elements, one by one in general registers, where combining two takes a few
// cycles at most. The running value is in ax.
func (s *scanner) serial() {
	size := s.d.Size()
	counter, carry, state := s.from.b, s.to.b, s.to.step
	s.here("row", "each row")
	for _, o := range [][2]int{{0, s.from.a}, {s.ins, s.to.a}, {1, state}} {
		s.do("MOVQ", mem(stack(s.ptr[o[0]])), gp(o[1]))
	}
	s.element(at(state, 0), ax)
	if s.carries {
		s.do("MOVQ", mem(stack(s.ptr[2])), gp(state))
		s.element(at(state, 0), carry)
	}
	s.do("XORQ", gp(counter), gp(counter))
	s.here("loop", "each element")
	s.element(at(s.from.a, 0).indexed(counter, size), dx)
	s.serialOp(dx, ax)
	result := ax
	if s.carries {
		result = dx
		s.do("MOVQ", gp(ax), gp(dx))
		s.serialOp(carry, dx)
	}
	s.keep(result, at(s.to.a, 0).indexed(counter, size))
	s.do("INCQ", gp(counter))
	s.do("CMPQ", gp(counter), gp(scanCols))
	s.do("JLT", label("loop"))
	s.do("MOVQ", mem(stack(s.ptr[s.ins+1])), gp(state))
	s.keep(ax, at(state, 0))
	if s.carries {
		s.do("MOVQ", mem(stack(s.ptr[s.ins+2])), gp(state))
		s.keep(dx, at(state, 0)) // the last result
	}
	for i, ptr := range s.ptr {
		s.do("MOVQ", mem(at(cx, frameStep+8*i)), gp(ax))
		s.do("ADDQ", gp(ax), mem(stack(ptr)))
	}
	s.do("DECQ", gp(scanRows))
	s.do("JNE", label("row"))
	s.here("done")
	s.do("RET")
}

// serialOp combines register b with register a.
func (s *scanner) serialOp(a, b int) {
	switch s.by {
	case ir.OpAdd:
		s.do("ADDQ", gp(a), gp(b))
	case ir.OpMul:
		s.do("IMULQ", gp(a), gp(b))
	default:
		s.do("CMPQ", gp(a), gp(b))
		move := map[ir.Op]string{ir.OpMin: "CMOVQLT", ir.OpMax: "CMOVQGT"}
		if s.d == ir.Uint64 {
			move = map[ir.Op]string{ir.OpMin: "CMOVQCS", ir.OpMax: "CMOVQHI"}
		}
		s.do(move[s.by], gp(a), gp(b))
	}
}

// element loads an element.
func (s *scanner) element(from Memory, to int) {
	if s.d.Size() == 1 {
		s.do("MOVBQZX", mem(from), gp(to))
	} else {
		s.do("MOVQ", mem(from), gp(to))
	}
}

// keep stores a running value or a result.
func (s *scanner) keep(from int, to Memory) {
	if s.d.Size() == 1 {
		s.do("MOVB", byteOf(from), mem(to))
	} else {
		s.do("MOVQ", gp(from), mem(to))
	}
}

package amd64

import "github.com/stridefuse/stridefuse/ir"

// The states of the rows of a scan: running values and carries. In memory there is one for each row, a step apart. In vectors,
// lane r belongs to row r. Carries that are wider than elements take two vectors.

// states loads the states of the rows of a tile.
func (s *scanner) states(from tileMem, d ir.DType) []int {
	var v []int
	for r := 0; r < s.lanes; r += 4 {
		row := func(k int) Arg { return mem(from.rowOf(r+k, s.lanes)) }
		a := s.alloc()
		v = append(v, a)
		if d.Size() == 4 {
			s.do("VMOVSS", row(0), x(a))
			for k := 1; k < 4; k++ {
				s.do("VINSERTPS", imm(int64(k<<4)), row(k), x(a), x(a))
			}
			continue
		}
		b := s.alloc()
		for k, half := range []int{a, b} {
			s.do("VMOVSD", row(2*k), x(half))
			s.do("VMOVHPD", row(2*k+1), x(half), x(half))
		}
		s.do("VINSERTF128", imm(1), x(b), y(a), y(a))
		s.release(b)
	}
	if d.Size() == 4 {
		s.do("VINSERTF128", imm(1), x(v[1]), y(v[0]), y(v[0]))
		s.release(v[1])
		v = v[:1]
	}
	return v
}

// keepStates stores the states of the rows of a tile.
func (s *scanner) keepStates(to tileMem, d ir.DType, v []int) {
	high := s.alloc()
	for r := 0; r < s.lanes; r += 4 {
		row := func(k int) Arg { return mem(to.rowOf(r+k, s.lanes)) }
		if d.Size() == 4 {
			a := v[0]
			if r > 0 {
				s.do("VEXTRACTF128", imm(1), y(a), x(high))
				a = high
			}
			s.do("VMOVSS", x(a), row(0))
			for k := 1; k < 4; k++ {
				s.do("VEXTRACTPS", imm(int64(k)), x(a), row(k))
			}
			continue
		}
		a := v[r/4]
		s.do("VEXTRACTF128", imm(1), y(a), x(high))
		for k, half := range []int{a, high} {
			s.do("VMOVSD", x(half), row(2*k))
			s.do("VMOVHPD", x(half), row(2*k+1))
		}
	}
	s.release(high)
}

// round rounds the carries to elements. It keeps the carries in the stack frame too.
func (s *scanner) round(v []int) int {
	if s.wide == s.d {
		return v[0]
	}
	for i, half := range v {
		s.do("VMOVUPS", y(half), mem(stack(s.unrounded+vectorBytes(i))))
		s.do("VCVTPD2PSY", y(half), x(half))
	}
	s.do("VINSERTF128", imm(1), x(v[1]), y(v[0]), y(v[0]))
	s.release(v[1])
	return v[0]
}

// nextCarry returns the carries at the end of the rows: combined with the running values.
func (s *scanner) nextCarry() []int {
	if s.wide == s.d {
		return []int{s.combine(s.carry, s.run[0])}
	}
	v := []int{s.alloc(), s.alloc()}
	s.do("VCVTPS2PD", x(s.run[0]), y(v[0]))
	s.do("VEXTRACTF128", imm(1), y(s.run[0]), x(v[1]))
	s.do("VCVTPS2PD", x(v[1]), y(v[1]))
	for i, half := range v {
		s.do(scanOps[key{s.by, s.wide}], mem(stack(s.unrounded+vectorBytes(i))), y(half), y(half))
	}
	return v
}

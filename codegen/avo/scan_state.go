package avo

import "github.com/stridefuse/stridefuse/ir"

// The states of rows that are scanned: running values and carries. They are one a
// row in memory; in vectors they stand as the elements of a column do, lane r for
// row r, and carries wider than elements take two vectors.

// states reads the states of rows.
func (s *scanner) states(from squareMem, d ir.DType) []int {
	var v []int
	for r := 0; r < s.lanes; r += 4 {
		row := func(k int) arg { return mem(from.rowOf(r+k, s.lanes)) }
		a := s.take()
		v = append(v, a)
		if d.Size() == 4 {
			s.do("VMOVSS", row(0), x(a))
			for k := 1; k < 4; k++ {
				s.do("VINSERTPS", imm(int64(k<<4)), row(k), x(a), x(a))
			}
			continue
		}
		b := s.take()
		for k, half := range []int{a, b} {
			s.do("VMOVSD", row(2*k), x(half))
			s.do("VMOVHPD", row(2*k+1), x(half), x(half))
		}
		s.do("VINSERTF128", imm(1), x(b), y(a), y(a))
		s.give(b)
	}
	if d.Size() == 4 {
		s.do("VINSERTF128", imm(1), x(v[1]), y(v[0]), y(v[0]))
		s.give(v[1])
	}
	return v
}

// keepStates stores the states of rows.
func (s *scanner) keepStates(to squareMem, d ir.DType, v []int) {
	high := s.take()
	for r := 0; r < s.lanes; r += 4 {
		row := func(k int) arg { return mem(to.rowOf(r+k, s.lanes)) }
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
	s.give(high)
}

// round makes the carries elements. As they are they stay on the stack.
func (s *scanner) round(v []int) int {
	if s.wide == s.d {
		return v[0]
	}
	for i, half := range v {
		s.do("VMOVUPS", y(half), mem(stack(s.unrounded+vectorBytes(i))))
		s.do("VCVTPD2PSY", y(half), x(half))
	}
	s.do("VINSERTF128", imm(1), x(v[1]), y(v[0]), y(v[0]))
	s.give(v[1])
	return v[0]
}

// nextCarry returns the carries after the rows.
func (s *scanner) nextCarry() []int {
	if s.wide == s.d {
		return []int{s.combine(s.carry, s.run)}
	}
	v := []int{s.take(), s.take()}
	s.do("VCVTPS2PD", x(s.run), y(v[0]))
	s.do("VEXTRACTF128", imm(1), y(s.run), x(v[1]))
	s.do("VCVTPS2PD", x(v[1]), y(v[1]))
	for i, half := range v {
		s.do(scanOps[key{s.by, s.wide}], mem(stack(s.unrounded+vectorBytes(i))), y(half), y(half))
	}
	return v
}

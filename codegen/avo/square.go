package avo

// Transpose tiles: square blocks of elements in vector registers, with as many rows as
// a vector has lanes. squarer loads, transposes and stores them; scans and transposes
// are written with it. Its registers are allocated by take and freed by give.

// squarer writes instructions on transpose tiles.
type squarer struct {
	program
	lanes int   // 8 elements of four bytes or 4 of eight
	free  []int // vector registers
}

// maskMoves are the instructions for a square's last columns, by the lanes.
var maskMoves = map[int]string{8: "VMASKMOVPS", 4: "VMASKMOVPD"}

// unmasked is no mask.
const unmasked = -1

// allVectors are the registers of a squarer that has taken none.
func allVectors() []int {
	var free []int
	for r := avx2Machine.Registers - 1; r >= 0; r-- {
		free = append(free, r)
	}
	return free
}

// squareMem is where an operand's rows of a square begin: half of eight rows from a
// on, half from b on. three is three steps.
type squareMem struct{ a, b, step, three int }

func (s *squarer) take() int {
	r := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return r
}

func (s *squarer) give(regs ...int) { s.free = append(s.free, regs...) }

// op appends an instruction of two sources, in Intel's order, and returns its
// result's register.
func (s *squarer) op(name string, a, b int) int {
	dst := s.take()
	s.do(name, y(b), y(a), y(dst))
	return dst
}

// immOp is op with a constant.
func (s *squarer) immOp(name string, v int64, a, b int) int {
	dst := s.take()
	s.do(name, imm(v), y(b), y(a), y(dst))
	return dst
}

// rowOf returns the address of a row of a square.
func (m squareMem) rowOf(r int, lanes int) memory {
	base := m.a
	if lanes == 8 && r >= 4 {
		base, r = m.b, r-4
	}
	switch r {
	case 0:
		return at(base, 0)
	case 3:
		return at(base, 0).indexed(m.three, 1)
	}
	return at(base, 0).indexed(m.step, r)
}

// load returns the rows of a square. Of eight rows, vector i has the first half
// of rows i and i+4, vector i+4 the second.
func (s *squarer) load(from squareMem, mask int) []int {
	v := make([]int, s.lanes)
	for i := range v {
		v[i] = s.take()
	}
	half := s.lanes / 2
	for i := range v {
		row := from.rowOf(i, s.lanes)
		switch {
		case mask != unmasked:
			s.do(maskMoves[s.lanes], mem(row), y(mask), y(v[i]))
		case s.lanes == 4:
			s.do("VMOVUPS", mem(row), y(v[i]))
		default:
			row := from.rowOf(i%half, s.lanes).at(16 * (i / half))
			s.do("VMOVUPS", mem(row), x(v[i]))
			row = from.rowOf(i%half+half, s.lanes).at(16 * (i / half))
			s.do("VINSERTF128", imm(1), mem(row), y(v[i]), y(v[i]))
		}
	}
	if mask != unmasked && s.lanes == 8 {
		return s.halves(v)
	}
	return v
}

// store writes the rows of a square, one a vector.
func (s *squarer) store(to squareMem, v []int, mask int) {
	for i, r := range v {
		row := mem(to.rowOf(i, s.lanes))
		if mask != unmasked {
			s.do(maskMoves[s.lanes], y(r), y(mask), row)
		} else {
			s.do("VMOVUPS", y(r), row)
		}
	}
	s.give(v...)
}

// halves exchanges the second half of vector i and the first of vector i+4.
func (s *squarer) halves(v []int) []int {
	for i := range 4 {
		a, b := v[i], v[i+4]
		v[i] = s.take()
		s.do("VINSERTF128", imm(1), x(b), y(a), y(v[i]))
		v[i+4] = s.immOp("VPERM2F128", 0x31, a, b)
		s.give(a, b)
	}
	return v
}

// transpose exchanges the rows and columns of a square; of eight rows in the
// order of load, those of each 4x4 in a lane.
func (s *squarer) transpose(v []int) []int {
	if s.lanes == 4 {
		return s.transposeWide(v)
	}
	for q := 0; q < 8; q += 4 {
		w := v[q : q+4]
		t := [4]int{s.op("VUNPCKLPS", w[0], w[1]), s.op("VUNPCKHPS", w[0], w[1])}
		s.give(w[0], w[1])
		t[2], t[3] = s.op("VUNPCKLPS", w[2], w[3]), s.op("VUNPCKHPS", w[2], w[3])
		s.give(w[2], w[3])
		w[0], w[1] = s.op("VUNPCKLPD", t[0], t[2]), s.op("VUNPCKHPD", t[0], t[2])
		s.give(t[0], t[2])
		w[2], w[3] = s.op("VUNPCKLPD", t[1], t[3]), s.op("VUNPCKHPD", t[1], t[3])
		s.give(t[1], t[3])
	}
	return v
}

// transposeWide is transpose of 4x4 elements of eight bytes.
func (s *squarer) transposeWide(v []int) []int {
	t := [4]int{s.op("VUNPCKLPD", v[0], v[1]), s.op("VUNPCKHPD", v[0], v[1])}
	t[2], t[3] = s.op("VUNPCKLPD", v[2], v[3]), s.op("VUNPCKHPD", v[2], v[3])
	s.give(v...)
	for i, halves := range []int64{0x20, 0x20, 0x31, 0x31} {
		v[i] = s.immOp("VPERM2F128", halves, t[i%2], t[i%2+2])
	}
	s.give(t[:]...)
	return v
}

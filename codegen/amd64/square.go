package amd64

// Square tiles of elements in vector registers, with as many rows as a vector has lanes.
// Scans and transposes load, transpose and store them. A tile is a list of vector
// registers, which alloc takes and release returns.

// tileWriter writes instructions on square tiles.
type tileWriter struct {
	Program
	lanes int   // 8 elements of four bytes or 4 of eight
	free  []int // vector registers
}

// maskMoves are the instructions for the columns of a partial tile, by the lanes.
var maskMoves = map[int]string{8: "VMASKMOVPS", 4: "VMASKMOVPD"}

// unmasked stands for a mask register where the tile has all columns.
const unmasked = -1

// allVectors returns all vector registers.
func allVectors() []int {
	var free []int
	for r := avx2Machine.Registers - 1; r >= 0; r-- {
		free = append(free, r)
	}
	return free
}

// tileMem has the general registers that address the rows of a tile: pointers to row 0 (a)
// and to row 4 of eight rows (b), the bytes from row to row (step), and 3*step (three).
type tileMem struct{ a, b, step, three int }

// alloc returns a free vector register.
func (s *tileWriter) alloc() int {
	r := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return r
}

// release makes vector registers free.
func (s *tileWriter) release(regs ...int) { s.free = append(s.free, regs...) }

// op appends an instruction of two sources, in Intel's order, and returns its
// result's register.
func (s *tileWriter) op(name string, a, b int) int {
	dst := s.alloc()
	s.do(name, y(b), y(a), y(dst))
	return dst
}

// immOp is op with a constant.
func (s *tileWriter) immOp(name string, v int64, a, b int) int {
	dst := s.alloc()
	s.do(name, imm(v), y(b), y(a), y(dst))
	return dst
}

// rowOf returns the address of a row of a tile.
func (m tileMem) rowOf(r int, lanes int) Memory {
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

// load returns a tile. Of four rows, vector i is row i. Of eight rows, vector i has the
// first halves of rows i and i+4, and vector i+4 the second halves.
func (s *tileWriter) load(from tileMem, mask int) []int {
	v := make([]int, s.lanes)
	for i := range v {
		v[i] = s.alloc()
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

// store stores a tile whose vectors are rows, and releases it.
func (s *tileWriter) store(to tileMem, v []int, mask int) {
	for i, r := range v {
		row := mem(to.rowOf(i, s.lanes))
		if mask != unmasked {
			s.do(maskMoves[s.lanes], y(r), y(mask), row)
		} else {
			s.do("VMOVUPS", y(r), row)
		}
	}
	s.release(v...)
}

// halves exchanges the second half of vector i and the first half of vector i+4.
func (s *tileWriter) halves(v []int) []int {
	for i := range 4 {
		a, b := v[i], v[i+4]
		v[i] = s.alloc()
		s.do("VINSERTF128", imm(1), x(b), y(a), y(v[i]))
		v[i+4] = s.immOp("VPERM2F128", 0x31, a, b)
		s.release(a, b)
	}
	return v
}

// transpose transposes a tile. Of eight rows in the order of load it transposes the 4x4
// elements in each half of the vectors, which makes vector i column i.
func (s *tileWriter) transpose(v []int) []int {
	if s.lanes == 4 {
		return s.transposeWide(v)
	}
	for q := 0; q < 8; q += 4 {
		w := v[q : q+4]
		t := [4]int{s.op("VUNPCKLPS", w[0], w[1]), s.op("VUNPCKHPS", w[0], w[1])}
		s.release(w[0], w[1])
		t[2], t[3] = s.op("VUNPCKLPS", w[2], w[3]), s.op("VUNPCKHPS", w[2], w[3])
		s.release(w[2], w[3])
		w[0], w[1] = s.op("VUNPCKLPD", t[0], t[2]), s.op("VUNPCKHPD", t[0], t[2])
		s.release(t[0], t[2])
		w[2], w[3] = s.op("VUNPCKLPD", t[1], t[3]), s.op("VUNPCKHPD", t[1], t[3])
		s.release(t[1], t[3])
	}
	return v
}

// transposeWide is transpose for 4x4 elements of eight bytes.
func (s *tileWriter) transposeWide(v []int) []int {
	t := [4]int{s.op("VUNPCKLPD", v[0], v[1]), s.op("VUNPCKHPD", v[0], v[1])}
	t[2], t[3] = s.op("VUNPCKLPD", v[2], v[3]), s.op("VUNPCKHPD", v[2], v[3])
	s.release(v...)
	for i, halves := range []int64{0x20, 0x20, 0x31, 0x31} {
		v[i] = s.immOp("VPERM2F128", halves, t[i%2], t[i%2+2])
	}
	s.release(t[:]...)
	return v
}

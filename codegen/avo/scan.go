package avo

import (
	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
)

// Scans along the columns. Running values follow from one another, so a vector
// holds one column of as many rows as it has lanes: a square of elements is
// transposed in registers, each column is combined with the one before, and the
// square is transposed back. Where fewer rows are left than lanes, several lanes
// compute the same row and store the same values.

// scanner writes the function of a kernel that scans.
type scanner struct {
	program
	by       ir.Op
	d        ir.DType
	lanes    int
	free     []int     // vector registers
	run      int       // that of the last running values
	mask     int       // that of the last columns' mask
	from, to squareMem // the operands
	next     [2]int    // in the frame: where the next rows begin
}

// squareMem is where an operand's rows of a square begin: half of eight rows from a
// on, half from b on. three is three steps.
type squareMem struct{ a, b, step, three int }

// General registers of scans, besides ax, cx and dx.
const (
	scanCols = index // columns that are left
	scanRows = cols  // rows that are left
)

// compileScan returns the function of a kernel that scans.
func compileScan(k *ir.Kernel) *program {
	s := &scanner{by: k.Fold[0].Info().By, d: k.In[0].DType}
	s.from = squareMem{firstFree, firstFree + 1, firstFree + 2, firstFree + 3}
	s.to = squareMem{firstFree + 4, firstFree + 5, firstFree + 6, firstFree + 7}
	switch s.d {
	case ir.Float32, ir.Int32, ir.Uint32:
		s.lanes = 8
	case ir.Float64:
		s.lanes = 4
	default:
		s.serial()
		return &s.program
	}
	s.squares()
	return &s.program
}

// begin reads the frame, whose address it leaves in cx.
func (s *scanner) begin() {
	s.do("MOVQ", frameArg(), gp(cx))
	for _, count := range []struct{ at, reg int }{{codegen.FrameCols, scanCols}, {codegen.FrameRows, scanRows}} {
		s.do("MOVQ", mem(at(cx, count.at)), gp(count.reg))
		s.do("TESTQ", gp(count.reg), gp(count.reg))
		s.do("JLE", label("done"))
	}
	for i, m := range []squareMem{s.from, s.to} {
		s.do("MOVQ", mem(at(cx, codegen.FramePtr+8*i)), gp(m.a))
		s.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(m.step))
	}
}

// squares writes the loops over squares.
func (s *scanner) squares() {
	size := s.d.Size()
	s.next = [2]int{s.local(8), s.local(8)}
	s.begin()
	s.here("rows")
	s.takeRows()
	s.free = []int{15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}
	s.run, s.mask = s.take(), s.take()
	identity, _ := s.by.Info().Identity(s.d)
	if size == 4 {
		identity = identity<<32 | identity&0xffffffff
	}
	if identity == 0 {
		s.do("VXORPS", y(s.run), y(s.run), y(s.run))
	} else {
		s.do("VMOVUPS", mem(symbol(constantName(identity))), y(s.run))
	}
	s.do("SUBQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JLT", label("tail"))
	s.do("PCALIGN", imm(32))
	s.here("loop")
	s.square(false)
	for _, r := range []int{s.from.a, s.from.b, s.to.a, s.to.b} {
		s.do("ADDQ", imm(int64(s.lanes*size)), gp(r))
	}
	s.do("SUBQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JGE", label("loop"))
	s.here("tail")
	s.do("ADDQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JEQ", label("next"))
	s.do("NEGQ", gp(scanCols))
	s.do("LEAQ", mem(symbol(maskTable).at(64)), gp(dx))
	s.do("VMOVUPS", mem(at(dx, 0).indexed(scanCols, size)), y(s.mask))
	s.square(true)
	s.here("next")
	s.do("TESTQ", gp(scanRows), gp(scanRows))
	s.do("JLE", label("done"))
	s.do("MOVQ", frameArg(), gp(cx))
	s.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(scanCols))
	for i, m := range []squareMem{s.from, s.to} {
		s.do("MOVQ", mem(stack(s.next[i])), gp(m.a))
		s.do("MOVQ", mem(at(cx, codegen.FrameStep+8*i)), gp(m.step))
	}
	s.do("JMP", label("rows"))
	s.here("done")
	s.do("VZEROUPPER")
	s.do("RET")
}

// takeRows finds the rows of the next squares: as many as there are lanes, half
// of eight, or one.
func (s *scanner) takeRows() {
	both := []squareMem{s.from, s.to}
	take := func(rows int) {
		s.do("SUBQ", imm(int64(rows)), gp(scanRows))
		for i, m := range both {
			s.do("LEAQ", mem(at(m.a, 0).indexed(m.step, rows)), gp(ax))
			s.do("MOVQ", gp(ax), mem(stack(s.next[i])))
		}
	}
	steps := func(half int) { // rows from a to b
		for _, m := range both {
			s.do("LEAQ", mem(at(m.step, 0).indexed(m.step, 2)), gp(m.three))
			if half > 0 {
				s.do("LEAQ", mem(at(m.a, 0).indexed(m.step, half)), gp(m.b))
			} else {
				s.do("MOVQ", gp(m.a), gp(m.b))
			}
		}
	}
	s.do("CMPQ", gp(scanRows), imm(int64(s.lanes)))
	s.do("JLT", label("few"))
	take(s.lanes)
	steps(s.lanes / 2)
	s.do("JMP", label("columns"))
	s.here("few")
	if s.lanes == 8 {
		s.do("CMPQ", gp(scanRows), imm(4))
		s.do("JLT", label("one"))
		take(4)
		steps(0)
		s.do("JMP", label("columns"))
		s.here("one")
	}
	take(1)
	for _, m := range both {
		s.do("XORQ", gp(m.step), gp(m.step))
	}
	steps(0)
	s.here("columns")
}

func (s *scanner) take() int {
	r := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return r
}

func (s *scanner) give(regs ...int) { s.free = append(s.free, regs...) }

// op appends an instruction of two sources, in Intel's order, and returns its
// result's register.
func (s *scanner) op(name string, a, b int) int {
	dst := s.take()
	s.do(name, y(b), y(a), y(dst))
	return dst
}

// immOp is op with a constant.
func (s *scanner) immOp(name string, v int64, a, b int) int {
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

// square scans a square, of fewer columns if masked.
func (s *scanner) square(masked bool) {
	v := s.load(masked)
	v = s.transpose(v)
	last := s.run
	for i, x := range v {
		v[i] = s.combine(last, x)
		s.give(x)
		last = v[i]
	}
	s.do("VMOVAPS", y(last), y(s.run))
	s.store(s.transpose(v), masked)
}

// load returns the rows of a square. Of eight rows, vector i has the first half
// of rows i and i+4, vector i+4 the second.
func (s *scanner) load(masked bool) []int {
	v := make([]int, s.lanes)
	for i := range v {
		v[i] = s.take()
	}
	half := s.lanes / 2
	for i := range v {
		row := s.from.rowOf(i, s.lanes)
		switch {
		case masked:
			s.do(s.maskMove(), mem(row), y(s.mask), y(v[i]))
		case s.lanes == 4:
			s.do("VMOVUPS", mem(row), y(v[i]))
		default:
			row := s.from.rowOf(i%half, s.lanes).at(16 * (i / half))
			s.do("VMOVUPS", mem(row), x(v[i]))
			row = s.from.rowOf(i%half+half, s.lanes).at(16 * (i / half))
			s.do("VINSERTF128", imm(1), mem(row), y(v[i]), y(v[i]))
		}
	}
	if masked && s.lanes == 8 {
		return s.halves(v)
	}
	return v
}

// store writes a square whose vectors are laid out as load's.
func (s *scanner) store(v []int, masked bool) {
	if s.lanes == 8 {
		v = s.halves(v)
	}
	for i, r := range v {
		row := mem(s.to.rowOf(i, s.lanes))
		if masked {
			s.do(s.maskMove(), y(r), y(s.mask), row)
		} else {
			s.do("VMOVUPS", y(r), row)
		}
	}
	s.give(v...)
}

func (s *scanner) maskMove() string { return maskMove("VMASKMOV", s.d) }

// halves exchanges the second half of vector i and the first of vector i+4.
func (s *scanner) halves(v []int) []int {
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
func (s *scanner) transpose(v []int) []int {
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
func (s *scanner) transposeWide(v []int) []int {
	t := [4]int{s.op("VUNPCKLPD", v[0], v[1]), s.op("VUNPCKHPD", v[0], v[1])}
	t[2], t[3] = s.op("VUNPCKLPD", v[2], v[3]), s.op("VUNPCKHPD", v[2], v[3])
	s.give(v...)
	for i, halves := range []int64{0x20, 0x20, 0x31, 0x31} {
		v[i] = s.immOp("VPERM2F128", halves, t[i%2], t[i%2+2])
	}
	s.give(t[:]...)
	return v
}

// combine returns by(a, b). Minimum and maximum of floats are as in the
// instruction table: see rows_float.go.
func (s *scanner) combine(a, b int) int {
	if name, ok := scanOps[key{s.by, s.d}]; ok {
		return s.op(name, a, b)
	}
	w := map[ir.DType]string{ir.Float32: "PS", ir.Float64: "PD"}[s.d]
	if s.by == ir.OpMin {
		p, q := s.op("VMIN"+w, a, b), s.op("VMIN"+w, b, a)
		s.give(p, q)
		return s.op("VORPS", p, q)
	}
	p, q := s.op("VMAX"+w, a, b), s.op("VMAX"+w, b, a)
	both := s.op("VANDPS", p, q)
	s.give(p, q)
	nan := s.immOp("VCMP"+w, cmpUnord, a, b)
	s.give(both, nan)
	return s.op("VORPS", both, nan)
}

// scanOps are the combinations that are one instruction.
var scanOps = map[key]string{
	{ir.OpAdd, ir.Float32}: "VADDPS", {ir.OpMul, ir.Float32}: "VMULPS",
	{ir.OpAdd, ir.Float64}: "VADDPD", {ir.OpMul, ir.Float64}: "VMULPD",
	{ir.OpAdd, ir.Int32}: "VPADDD", {ir.OpMul, ir.Int32}: "VPMULLD", {ir.OpMin, ir.Int32}: "VPMINSD", {ir.OpMax, ir.Int32}: "VPMAXSD",
	{ir.OpAdd, ir.Uint32}: "VPADDD", {ir.OpMul, ir.Uint32}: "VPMULLD", {ir.OpMin, ir.Uint32}: "VPMINUD", {ir.OpMax, ir.Uint32}: "VPMAXUD",
}

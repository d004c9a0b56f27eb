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
	squarer
	by       ir.Op
	d        ir.DType
	run      int       // that of the last running values
	mask     int       // that of the last columns' mask
	from, to squareMem // the operands
	next     [2]int    // in the frame: where the next rows begin
}

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
	s.free = allVectors()
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
	s.square(unmasked)
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
	s.square(s.mask)
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

// square scans a square, of fewer columns under a mask.
func (s *scanner) square(mask int) {
	v := s.transpose(s.load(s.from, mask))
	last := s.run
	for i, x := range v {
		v[i] = s.combine(last, x)
		s.give(x)
		last = v[i]
	}
	s.do("VMOVAPS", y(last), y(s.run))
	if v = s.transpose(v); s.lanes == 8 {
		v = s.halves(v)
	}
	s.store(s.to, v, mask)
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

package amd64

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Prefix scans of rows (micro-kernel ScanRows). Each running value depends on the one
// before it in the row, so several rows are scanned side by side: a square tile is
// transposed in registers, which makes each vector a column of as many rows as it has
// lanes; each column is combined with the one before it; and the tile is transposed back.
// If fewer rows than lanes are left, several lanes compute the same row and store the same
// values.

// scanner writes the function of a prefix scan of rows.
type scanner struct {
	tileWriter
	by       ir.Op
	d, wide  ir.DType // of the elements, of carries
	state    ir.DType // of running values
	carries  bool
	run      []int   // vector registers of the running values: two if they are wider than elements
	carry    int     // vector register of the carries, rounded to elements
	mask     int     // vector register of the mask of the last columns
	from, to tileMem // the rows of the input and of the output

	// Offsets in the stack frame.
	ptr       []int // by operand: pointer to the next rows
	tileRows  int   // how many rows the present tile has
	times     int   // steps from one row of the tile to the next: 0 if all are the same row
	half      int   // steps from row 0 to row 4 of the tile
	runs      int   // the running values after each of the last columns
	unrounded int   // the carries

	ins, outs int // how many
}

// General registers of scans, besides ax and dx. The address of the abi.Frame is in cx.
const (
	scanCols = index // how many columns are left
	scanRows = cols  // how many rows are left
)

// compileScan returns the function of a prefix scan.
func compileScan(m *kernel.Micro) *Program {
	n := len(m.Args()) / 2
	s := &scanner{by: m.Op, d: m.Type, wide: ir.PartialType(m.Op, m.Type), state: ir.RunType(m.Op, m.Type), carries: m.Carry, ins: n, outs: n}
	s.from = tileMem{firstFree, firstFree + 1, firstFree + 2, firstFree + 3}
	s.to = tileMem{firstFree + 4, firstFree + 5, firstFree + 6, firstFree + 7}
	s.begin()
	switch s.d {
	case ir.Float32, ir.Int32, ir.Uint32:
		s.lanes = 8
		s.tiles()
	case ir.Float64:
		s.lanes = 4
		s.tiles()
	case ir.Uint8, ir.Int64, ir.Uint64:
		s.serial()
	default:
		panic(noForm("scan", s.d))
	}
	return &s.Program
}

// begin reads the frame.
func (s *scanner) begin() {
	s.do("MOVQ", frameArg(), gp(cx))
	for _, count := range []struct{ at, reg int }{{frameCols, scanCols}, {frameRows, scanRows}} {
		s.do("MOVQ", mem(at(cx, count.at)), gp(count.reg))
		s.do("TESTQ", gp(count.reg), gp(count.reg))
		s.do("JLE", label("done"))
	}
	for i := range s.ins + s.outs {
		s.ptr = append(s.ptr, s.local(8))
		s.do("MOVQ", mem(at(cx, framePtr+8*i)), gp(ax))
		s.do("MOVQ", gp(ax), mem(stack(s.ptr[i])))
	}
}

// tiles writes the loops over rows of tiles and over the tiles of such a row.
func (s *scanner) tiles() {
	size, widths := s.d.Size(), s.state.Size()/s.d.Size()
	s.tileRows, s.times, s.half, s.runs = s.local(8), s.local(8), s.local(8), s.local(vectorBytes(s.lanes*widths))
	s.unrounded = s.local(vectorBytes(2))
	s.here("rows", "rows of tiles")
	s.chooseRows()
	s.free = allVectors()
	s.mask = s.alloc()
	s.point(s.to, 1)
	s.run = s.states(s.to, s.state)
	if s.carries {
		s.point(s.to, 2)
		s.carry = s.round(s.states(s.to, s.wide))
	}
	s.point(s.from, 0)
	s.point(s.to, s.ins)
	inOrder := ir.ScansInOrder(s.by, s.d)
	if inOrder {
		s.do("CMPQ", mem(stack(s.tileRows)), imm(1))
		s.do("JEQ", label("row"))
	}
	s.do("SUBQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JLT", label("tail"))
	s.do("PCALIGN", imm(32))
	s.here("loop", "each tile: transposed, scanned, transposed back")
	s.tile(unmasked)
	for _, r := range []int{s.from.a, s.from.b, s.to.a, s.to.b} {
		s.do("ADDQ", imm(int64(s.lanes*size)), gp(r))
	}
	s.do("SUBQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JGE", label("loop"))
	s.here("tail", "the last tile, of fewer columns")
	s.do("ADDQ", imm(int64(s.lanes)), gp(scanCols))
	s.do("JEQ", label("next"))
	s.do("NEGQ", gp(scanCols))
	s.do("LEAQ", mem(maskMiddle(avx2Machine)), gp(dx))
	s.do("VMOVUPS", mem(at(dx, 0).indexed(scanCols, size)), y(s.mask))
	s.tile(s.mask)
	s.do("NEGQ", gp(scanCols))
	s.do("SHLQ", imm(int64(4+widths)), gp(scanCols)) // the bytes of the running values after a column
	for i, run := range s.run {
		s.do("VMOVUPS", mem(stack(s.runs+vectorBytes(i-widths)).indexed(scanCols, 1)), y(run))
	}
	s.here("next", "the next rows")
	s.point(s.to, s.ins+1)
	s.keepStates(s.to, s.state, s.run)
	if s.carries {
		s.point(s.to, s.ins+2)
		s.keepStates(s.to, s.wide, s.nextCarry())
	}
	s.do("MOVQ", mem(at(cx, frameCols)), gp(scanCols))
	s.do("TESTQ", gp(scanRows), gp(scanRows))
	s.do("JGT", label("rows"))
	s.here("done")
	s.do("VZEROUPPER")
	s.do("RET")
	if inOrder {
		s.oneRow()
	}
}

// oneRow writes the loop over the columns of a single row, with all lanes on that row. Contiguous lines may be long, and a
// tile would wait for all of its steps.
func (s *scanner) oneRow() {
	size, element, run := s.d.Size(), s.alloc(), s.run[0]
	s.here("row", "a single row, in all lanes")
	s.do(map[int]string{4: "VBROADCASTSS", 8: "VBROADCASTSD"}[size], mem(at(s.from.a, 0)), y(element))
	if s.state != s.d {
		s.do("VCVTPS2PD", x(element), y(element))
	}
	s.do(scanOps[key{s.by, s.state}], y(element), y(run), y(run))
	if s.state != s.d {
		s.do("VCVTPD2PSY", y(run), x(element))
		s.do("VMOVSS", x(element), mem(at(s.to.a, 0)))
	} else {
		s.do("VMOVSD", x(run), mem(at(s.to.a, 0)))
	}
	s.do("ADDQ", imm(int64(size)), gp(s.from.a))
	s.do("ADDQ", imm(int64(size)), gp(s.to.a))
	s.do("DECQ", gp(scanCols))
	s.do("JNE", label("row"))
	for _, other := range s.run[1:] {
		s.do("VMOVAPS", y(run), y(other))
	}
	s.do("JMP", label("next"))
}

// chooseRows chooses how many rows the next tiles have: all lanes, half of eight lanes, or
// one.
func (s *scanner) chooseRows() {
	choose := func(rows, times, half int) {
		s.do("SUBQ", imm(int64(rows)), gp(scanRows))
		for _, v := range [][2]int{{s.tileRows, rows}, {s.times, times}, {s.half, half}} {
			s.do("MOVQ", imm32(int64(v[1])), mem(stack(v[0])))
		}
	}
	s.do("CMPQ", gp(scanRows), imm(int64(s.lanes)))
	s.do("JLT", label("half"))
	choose(s.lanes, 1, 4)
	s.do("JMP", label("columns"))
	s.here("half", "fewer rows than a tile has")
	if s.lanes == 8 {
		s.do("CMPQ", gp(scanRows), imm(4))
		s.do("JLT", label("one"))
		choose(4, 1, 0)
		s.do("JMP", label("columns"))
		s.here("one", "a single row of the tile")
	}
	choose(1, 0, 0)
	s.here("columns")
}

// point sets m to the addresses of the present rows of operand i, and advances the operand's pointer to the next rows.
func (s *scanner) point(m tileMem, i int) {
	s.do("MOVQ", mem(stack(s.ptr[i])), gp(m.a))
	s.do("MOVQ", mem(at(cx, frameStep+8*i)), gp(m.step))
	s.do("MOVQ", mem(stack(s.tileRows)), gp(ax))
	s.do("IMULQ", gp(m.step), gp(ax))
	s.do("ADDQ", gp(ax), mem(stack(s.ptr[i])))
	s.do("IMULQ", mem(stack(s.times)), gp(m.step))
	s.do("LEAQ", mem(at(m.step, 0).indexed(m.step, 2)), gp(m.three))
	if s.lanes == 8 {
		s.do("MOVQ", mem(stack(s.half)), gp(m.b))
		s.do("IMULQ", gp(m.step), gp(m.b))
		s.do("ADDQ", gp(m.a), gp(m.b))
	}
}

// tile scans a tile. A mask covers the columns of a partial one.
func (s *scanner) tile(mask int) {
	v := s.transpose(s.load(s.from, mask))
	scanned := s.column
	if s.state != s.d {
		scanned = s.wideColumn
	}
	last := slices.Clone(s.run)
	for i, x := range v {
		v[i] = scanned(x, last, s.runs+vectorBytes(i*len(last)), mask)
	}
	if s.state == s.d {
		s.do("VMOVAPS", y(last[0]), y(s.run[0]))
		if s.carries {
			s.release(last[0])
		}
	}
	if v = s.transpose(v); s.lanes == 8 {
		v = s.halves(v)
	}
	s.store(s.to, v, mask)
}

// column returns the results of a column. It leaves the running values in last and, for a partial tile, in the stack frame.
func (s *scanner) column(x int, last []int, kept, mask int) int {
	run := s.combine(last[0], x)
	s.release(x)
	if mask != unmasked {
		s.do("VMOVUPS", y(run), mem(stack(kept)))
	}
	if s.carries && last[0] != s.run[0] {
		s.release(last[0])
	}
	if last[0] = run; s.carries {
		return s.combine(s.carry, run)
	}
	return run
}

// wideColumn is column for running values that are wider than elements. They keep their registers.
func (s *scanner) wideColumn(x0 int, last []int, kept, mask int) int {
	high := s.alloc()
	s.do("VEXTRACTF128", imm(1), y(x0), x(high))
	for i, half := range []int{x0, high} {
		s.do("VCVTPS2PD", x(half), y(half))
		s.do(scanOps[key{s.by, s.state}], y(half), y(last[i]), y(last[i]))
		if mask != unmasked {
			s.do("VMOVUPS", y(last[i]), mem(stack(kept+vectorBytes(i))))
		}
		s.do("VCVTPD2PSY", y(last[i]), x(half))
	}
	s.do("VINSERTF128", imm(1), x(high), y(x0), y(x0))
	s.release(high)
	return x0
}

// combine combines two vectors. insts_float.go explains the instructions for minimum and maximum of floats.
func (s *scanner) combine(a, b int) int {
	if name, ok := scanOps[key{s.by, s.d}]; ok {
		return s.op(name, a, b)
	}
	w := map[ir.DType]string{ir.Float32: "PS", ir.Float64: "PD"}[s.d]
	if s.by == ir.OpMin {
		p, q := s.op("VMIN"+w, a, b), s.op("VMIN"+w, b, a)
		s.release(p, q)
		return s.op("VORPS", p, q)
	}
	p, q := s.op("VMAX"+w, a, b), s.op("VMAX"+w, b, a)
	both := s.op("VANDPS", p, q)
	s.release(p, q)
	nan := s.immOp("VCMP"+w, cmpUnord, a, b)
	s.release(both, nan)
	return s.op("VORPS", both, nan)
}

// scanOps has the combinations that are one instruction.
var scanOps = map[key]string{
	{ir.OpAdd, ir.Float32}: "VADDPS", {ir.OpMul, ir.Float32}: "VMULPS",
	{ir.OpAdd, ir.Float64}: "VADDPD", {ir.OpMul, ir.Float64}: "VMULPD",
	{ir.OpAdd, ir.Int32}: "VPADDD", {ir.OpMul, ir.Int32}: "VPMULLD", {ir.OpMin, ir.Int32}: "VPMINSD", {ir.OpMax, ir.Int32}: "VPMAXSD",
	{ir.OpAdd, ir.Uint32}: "VPADDD", {ir.OpMul, ir.Uint32}: "VPMULLD", {ir.OpMin, ir.Uint32}: "VPMINUD", {ir.OpMax, ir.Uint32}: "VPMAXUD",
}

package arm64

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Prefix scans of rows (micro-kernel ScanRows). Each running value depends on the one before it in the row, so four rows are scanned side
// by side, with one element of each in the first lane of a register; then the rows that are left, one by one. A transposed tile, which
// has the elements of four rows in a vector, would take two thirds of the instructions.

// scanTogether is the number of rows that are scanned side by side.
const scanTogether = 4

// General registers of scans.
const (
	scanFrame   = iota
	scanRows    // how many rows are left
	scanCols    // the columns of a row
	scanLeft    // how many columns are left
	scanFrom    // pointers to the present elements of the rows
	scanTo      = scanFrom + scanTogether
	scanProduct = scanTo + scanTogether // factors of 64 bits
	scanOther   = scanProduct + 1
	scanStep    = 17 // bytes from one row of an operand to the next
	scanPtr     = 19 // pointers to the next rows of up to six operands
)

// Vector registers of scans, each for four rows but the scratch register.
const (
	scanRun     = scanTogether * iota
	scanRounded // carries, rounded to elements
	scanElement
	scanResult
	scanCarry
	scanScratch
)

// scanner writes the function of a prefix scan of rows.
type scanner struct {
	Program
	by      ir.Op
	d       ir.DType // of elements
	wide    ir.DType // of carries
	state   ir.DType // of running values
	carries bool
	outs    int // how many operands are outputs, and inputs
}

// compileScan returns the function of a prefix scan.
func compileScan(m *kernel.Micro) (*Program, error) {
	s := &scanner{by: m.Op, d: m.Type, wide: ir.PartialType(m.Op, m.Type), state: ir.RunType(m.Op, m.Type), carries: m.Carry, outs: len(m.Args()) / 2}
	if scanOps[scanKey{s.by, s.d}] == "" && s.d.Size() != 8 {
		return nil, noMicro(m.Kind.String(), m.Type)
	}
	s.do(OpFrame, x(scanFrame))
	for _, n := range [][2]int{{scanRows, frameRows}, {scanCols, frameCols}} {
		s.do("LDR", x(n[0]), mem(at(scanFrame, n[1])))
		s.do("CMP", x(n[0]), imm(0))
		s.do("BLE", label("done"))
	}
	for i := range 2 * s.outs {
		s.do("LDR", x(scanPtr+i), mem(at(scanFrame, framePtr+8*i)))
	}
	for _, rows := range []int{scanTogether, 1} {
		name := "by" + itoa(rows)
		s.here(name)
		s.do("CMP", x(scanRows), imm(rows))
		s.do("BLT", label(name+"End"))
		s.rows(name, rows)
		s.do("SUB", x(scanRows), x(scanRows), imm(rows))
		s.do("B", label(name))
		s.here(name + "End")
	}
	s.here("done")
	s.do("RET")
	return &s.Program, nil
}

// next calls do with a pointer to the elements of an operand in each of the next rows, and advances the operand's pointer behind them.
func (s *scanner) next(operand, rows int, do func(row int, from Memory)) {
	s.do("LDR", x(scanStep), mem(at(scanFrame, frameStep+8*operand)))
	for row := range rows {
		do(row, at(scanPtr+operand, 0))
		s.do("ADD", x(scanPtr+operand), x(scanPtr+operand), x(scanStep))
	}
}

// rows scans a number of rows side by side.
func (s *scanner) rows(name string, rows int) {
	pointers := func(to int) func(row int, from Memory) {
		return func(row int, from Memory) { s.do("MOV", x(to+row), x(from.Base)) }
	}
	load := func(to int, d ir.DType) func(row int, from Memory) {
		return func(row int, from Memory) { s.do("LDR."+sizeName(d.Size()), v(to+row), mem(from)) }
	}
	s.next(0, rows, pointers(scanFrom))
	s.next(s.outs, rows, pointers(scanTo))
	s.next(1, rows, load(scanRun, s.state))
	if s.carries {
		s.next(2, rows, load(scanCarry, s.wide))
		for row := range rows {
			if s.wide != s.d {
				s.do("FCVT.DS", v(scanRounded+row), v(scanCarry+row))
			} else {
				s.do("ORR.16B", v(scanRounded+row), v(scanCarry+row), v(scanCarry+row))
			}
		}
	}
	s.do("MOV", x(scanLeft), x(scanCols))
	s.here(name + "Column")
	for row := range rows {
		s.do("LDR."+sizeName(s.d.Size()), v(scanElement+row), mem(then(scanFrom+row, s.d.Size())))
	}
	for row := range rows {
		s.column(row)
	}
	s.do("SUBS", x(scanLeft), x(scanLeft), imm(1))
	s.do("BNE", label(name+"Column"))
	s.next(s.outs+1, rows, func(row int, to Memory) { s.do("STR."+sizeName(s.state.Size()), v(scanRun+row), mem(to)) })
	if s.carries {
		s.next(s.outs+2, rows, func(row int, to Memory) {
			run := scanRun + row
			if s.wide != s.d {
				s.do("FCVT.SD", v(scanResult), v(run))
				run = scanResult
			}
			s.combine(s.wide, scanCarry+row, scanCarry+row, run)
			s.do("STR."+sizeName(s.wide.Size()), v(scanCarry+row), mem(to))
		})
	}
}

// column computes and stores the result of a row's present element.
func (s *scanner) column(row int) {
	element, run, result := scanElement+row, scanRun+row, scanRun+row
	if s.state != s.d {
		s.do("FCVT.SD", v(element), v(element))
	}
	s.combine(s.state, run, run, element)
	switch {
	case s.carries:
		result = scanResult + row
		s.combine(s.d, result, scanRounded+row, run)
	case s.state != s.d:
		result = scanResult + row
		s.do("FCVT.DS", v(result), v(run))
	}
	s.do("STR."+sizeName(s.d.Size()), v(result), mem(then(scanTo+row, s.d.Size())))
}

type scanKey struct {
	by ir.Op
	d  ir.DType
}

// scanOps are the instructions that combine elements in the first lanes.
var scanOps = map[scanKey]string{
	{ir.OpAdd, ir.Float32}: "FADD.S", {ir.OpMul, ir.Float32}: "FMUL.S", {ir.OpMin, ir.Float32}: "FMIN.S", {ir.OpMax, ir.Float32}: "FMAX.S",
	{ir.OpAdd, ir.Float64}: "FADD.D", {ir.OpMul, ir.Float64}: "FMUL.D", {ir.OpMin, ir.Float64}: "FMIN.D", {ir.OpMax, ir.Float64}: "FMAX.D",
	{ir.OpAdd, ir.Int32}: "ADD.2S", {ir.OpMul, ir.Int32}: "MUL.2S", {ir.OpMin, ir.Int32}: "SMIN.2S", {ir.OpMax, ir.Int32}: "SMAX.2S",
	{ir.OpAdd, ir.Uint32}: "ADD.2S", {ir.OpMul, ir.Uint32}: "MUL.2S", {ir.OpMin, ir.Uint32}: "UMIN.2S", {ir.OpMax, ir.Uint32}: "UMAX.2S",
	{ir.OpAdd, ir.Uint8}: "ADD.8B", {ir.OpMul, ir.Uint8}: "MUL.8B", {ir.OpMin, ir.Uint8}: "UMIN.8B", {ir.OpMax, ir.Uint8}: "UMAX.8B",
	{ir.OpAdd, ir.Int64}: "ADD.2D", {ir.OpAdd, ir.Uint64}: "ADD.2D",
}

// combine sets to to the combination of a and b.
func (s *scanner) combine(d ir.DType, to, a, b int) {
	if op := scanOps[scanKey{s.by, d}]; op != "" {
		s.do(op, v(to), v(a), v(b))
		return
	}
	if s.by == ir.OpMul {
		s.do("FMOV.XD", x(scanProduct), v(a))
		s.do("FMOV.XD", x(scanOther), v(b))
		s.do("MUL", x(scanProduct), x(scanProduct), x(scanOther))
		s.do("FMOV.DX", v(to), x(scanProduct))
		return
	}
	greater := "CMGT.2D"
	if d == ir.Uint64 {
		greater = "CMHI.2D"
	}
	if s.by == ir.OpMin {
		s.do(greater, v(scanScratch), v(b), v(a))
	} else {
		s.do(greater, v(scanScratch), v(a), v(b))
	}
	s.do("BSL.16B", v(scanScratch), v(a), v(b))
	s.do("ORR.16B", v(to), v(scanScratch), v(scanScratch))
}

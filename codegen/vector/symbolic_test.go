package vector_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// symbolic runs instructions over registers that hold expressions. Equal expressions
// have the same number, whatever the order of commuting operands.
type symbolic struct {
	numbers map[string]int
	reg     []int
	mem     map[string]int // slots, spills and accumulators on the stack
	stored  map[string]int // what each place of an output got
}

func newSymbolic(registers int) *symbolic {
	return &symbolic{numbers: map[string]int{}, reg: make([]int, registers), mem: map[string]int{}, stored: map[string]int{}}
}

// expr returns the number of an expression.
func (s *symbolic) expr(format string, args ...any) int {
	text := fmt.Sprintf(format, args...)
	if _, ok := s.numbers[text]; !ok {
		s.numbers[text] = len(s.numbers) + 1
	}
	return s.numbers[text]
}

// apply returns the expression of an instruction on its sources.
func (s *symbolic) apply(name string, imm uint8, args ...int) int {
	switch name {
	case "add", "mul":
		slices.Sort(args)
	case "fma": // the factors commute
		slices.Sort(args[:2])
	}
	return s.expr("%s.%d%v", name, imm, args)
}

func (s *symbolic) load(operand, disp int) int { return s.expr("load %d+%d", operand, disp) }

func cell(l vector.Loc) string { return fmt.Sprintf("%d:%d", l.Space, l.Index) }

// read returns what a source holds. It panics if nothing was stored there.
func (s *symbolic) read(l vector.Loc) int {
	switch l.Space {
	case vector.InRegister:
		return s.reg[l.Index]
	case vector.InOperand:
		return s.load(l.Place.Operand(), l.Place.Disp())
	case vector.InConst:
		return s.expr("const %x", l.Bits)
	}
	v, ok := s.mem[cell(l)]
	if !ok {
		panic("nothing was stored at " + cell(l))
	}
	return v
}

func (s *symbolic) run(list []vector.Inst) {
	for _, i := range list {
		s.inst(i)
	}
}

func (s *symbolic) inst(i vector.Inst) {
	var src []int
	for _, l := range i.Src {
		src = append(src, s.read(l))
	}
	switch {
	case i.Op == vector.OpLoad, i.Op == vector.OpMove:
		s.reg[i.Dst] = src[0]
	case i.Op == vector.OpSave:
		s.mem[cell(i.To)] = src[0]
	case i.Op == vector.OpKeep:
		s.mem[cell(vector.Loc{Space: vector.InSlot, Index: i.Slot})] = src[0]
	case i.Op == vector.OpSplat:
		s.reg[i.Dst] = s.expr("splat %d", i.Place.Operand())
	case i.Op.Form == vector.FormFMA:
		s.reg[i.Dst] = s.fma(i, src)
	case i.Op.Form >= vector.FormStore:
		s.stored[fmt.Sprint(i.Place.Operand(), "+", i.Place.Disp())] = src[len(src)-1]
	case i.Op.Form == vector.FormMaskLoad:
		s.reg[i.Dst] = s.load(i.Place.Operand(), i.Place.Disp())
	default:
		s.reg[i.Dst] = s.apply(strings.ToLower(i.Op.Name), i.Imm, src...)
	}
}

// fma returns x*y+z from the source that is overwritten and the others.
func (s *symbolic) fma(i vector.Inst, src []int) int {
	dst := s.reg[i.Dst]
	switch i.Fused {
	case vector.OverFactor:
		return s.apply("fma", 0, dst, src[1], src[0])
	case vector.OverFactorAddendLast:
		return s.apply("fma", 0, dst, src[0], src[1])
	case vector.OverAddend:
		return s.apply("fma", 0, src[0], src[1], dst)
	}
	panic("no source is overwritten")
}

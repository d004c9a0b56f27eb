package avo

import (
	"fmt"

	avoir "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// verify fails for a function with a register or an instruction that the target does not
// have. avo's own allocator and constructors accept both.
func (f *file) verify(fn *avoir.Function) error {
	for _, i := range fn.Instructions() {
		for _, isa := range i.ISA {
			if !f.t.Has(isa) {
				return fmt.Errorf("BUG: codegen/avo: %s: %s needs %s", fn.Name, i.Opcode, isa)
			}
		}
		for _, o := range i.Operands {
			for _, r := range operand.Registers(o) {
				p, ok := r.(reg.Physical)
				if !ok || r.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= f.t.Machine().Registers {
					return fmt.Errorf("BUG: codegen/avo: %s: %s uses %s", fn.Name, i.Opcode, r.Asm())
				}
			}
		}
	}
	return nil
}

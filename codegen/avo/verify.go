package avo

import (
	"fmt"

	avoir "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// allowedISA has the extensions of a CPU with AVX2 and FMA. avo says MMX+ for prefetches.
var allowedISA = map[string]bool{"MMX+": true, "SSE": true, "SSE2": true, "AVX": true, "AVX2": true, "FMA3": true, "F16C": true, "CMOV": true, "BMI": true, "BMI2": true}

// verify fails for a function with a register that the machine does not have, or an
// instruction beyond AVX2 and FMA. avo's own allocator and constructors accept both.
func verify(fn *avoir.Function) error {
	for _, i := range fn.Instructions() {
		for _, isa := range i.ISA {
			if !allowedISA[isa] {
				return fmt.Errorf("BUG: codegen/avo: %s: %s needs %s", fn.Name, i.Opcode, isa)
			}
		}
		for _, o := range i.Operands {
			for _, r := range operand.Registers(o) {
				p, ok := r.(reg.Physical)
				if !ok || r.Kind() == reg.KindVector && int(p.PhysicalIndex()) >= avx2Machine.Registers {
					return fmt.Errorf("BUG: codegen/avo: %s: %s uses %s", fn.Name, i.Opcode, r.Asm())
				}
			}
		}
	}
	return nil
}

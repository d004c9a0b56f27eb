package arm64

import (
	"errors"
	"sync"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Target is NEON. It implements vector.Target.
type Target struct {
	bodyTable
	opcodes map[string]*vector.Opcode // by name: see opcode
}

var _ vector.Target = (*Target)(nil)

// NEON returns the target.
var NEON = sync.OnceValue(func() *Target { return &Target{newBodyTable(), newOpcodes()} })

// machine has the registers of arm64, except the last one, which the code around instructions uses. Its tuning is not measured: it
// is that of AVX2, but a step has half the elements.
var machine = &vector.Machine{
	Width: 16, Lane: 4, Registers: scratchV, Working: 6, Extremes: true,
	Tuning: vector.Tuning{
		Unroll: 1, UnrollWide: 40, ListOrder: 1 << 30,
		ByTwo: 0.87, ByFour: 0.70, ByList: 0.65,
		LoopEnd: 3, UnrollReduced: 24, ColdInputs: 8,
	},
}

// scratchV is the vector register that holds no value from one instruction of a body to the next.
const scratchV = VectorRegisters - 1

// Machine returns the registers and the tuning.
func (t *Target) Machine() *vector.Machine { return machine }

// Name returns the name of the engine.
func (t *Target) Name() string { return "neon" }

// Engine returns the name of the constant of package abi.
func (t *Target) Engine() string { return "NEON" }

// Arch returns the processors of the target.
func (t *Target) Arch() string { return "arm64" }

// Suffix returns what the names of functions and files have behind them.
func (t *Target) Suffix() string { return "" }

// Assembler names what writes the assembly of a kernel: "vectors", or the kind of a micro-kernel.
func (t *Target) Assembler(c kernel.Code) string {
	if m, ok := c.(*kernel.Micro); ok && m.Kind != kernel.Reduce {
		return m.Kind.String()
	}
	return "vectors"
}

// errNone is the error of kernels that are Go loops.
var errNone = errors.New("NEON has no such kernel")

// Emits reports whether NEON has a kernel. Other kernels are Go loops.
func (t *Target) Emits(c kernel.Code) bool {
	if body, _, ok := bodyOf(c); ok {
		return t.hasBody(body)
	}
	m := c.(*kernel.Micro)
	if micros[m.Kind] == nil {
		return false
	}
	_, err := micros[m.Kind](m)
	return err == nil
}

// hasBody reports whether NEON has the operations of a body, and registers for its pointers.
func (t *Target) hasBody(body *kernel.Kernel) bool {
	if units(body) > unitPointers {
		return false
	}
	expanded := elementary.Expand(body)
	for _, in := range expanded.Body {
		if !t.has(expanded, in) {
			return false
		}
	}
	return true
}

// units returns the number of pointers to operands that advance along a row. Members of a group have one.
func units(k *kernel.Kernel) int {
	n := 0
	for i := range len(k.In) + len(k.Out) {
		if splat := i < len(k.In) && k.In[i].Splat; !splat && member(k, i).At == 0 {
			n++
		}
	}
	return n
}

// bodyOf returns the body that a kernel computes row by row, and its combiners: nil if it is elementwise. Other micro-kernels have
// none.
func bodyOf(c kernel.Code) (body *kernel.Kernel, combine []ir.Op, ok bool) {
	switch c := c.(type) {
	case *kernel.Kernel:
		return c, nil, true
	case *kernel.Micro:
		return c.Body, c.Combine, c.Kind == kernel.Reduce
	}
	panic("BUG: codegen/arm64: a kernel of another kind")
}

// Program returns the instructions of a valid canonical kernel that NEON has.
func (t *Target) Program(c kernel.Code) (*Program, error) {
	if body, combine, ok := bodyOf(c); ok {
		return t.compile(body, combine)
	}
	m := c.(*kernel.Micro)
	if micros[m.Kind] == nil {
		return nil, errNone
	}
	return micros[m.Kind](m)
}

// compile returns the instructions of a body.
func (t *Target) compile(body *kernel.Kernel, combine []ir.Op) (*Program, error) {
	b, err := vector.Compile(t, elementary.Expand(body), combine)
	if err != nil {
		return nil, err
	}
	return emit(b), nil
}

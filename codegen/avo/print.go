package avo

import (
	"fmt"
	"go/token"
	"go/types"
	"math"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	avoir "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// The printer makes the text of an assembly file from programs, with the library avo. The
// registers of a program are physical, so avo's allocator, which would use Y16 to Y31, does
// not run. verify checks every function.

var passes = pass.Concat(
	pass.Verify,
	pass.FunctionPass(pass.PruneDanglingLabels),
	pass.FunctionPass(pass.LabelTarget),
	pass.Func(pass.IncludeTextFlagHeader),
	pass.FunctionPass(pass.RequiredISAExtensions),
)

// nosplitFrame is the largest stack frame of a function without a stack check. The linker allows 800 bytes behind the last
// check.
const nosplitFrame = 512

// file collects the functions of one assembly file.
type file struct {
	t         *isa
	m         *machine.Machine
	c         *build.Context
	signature *gotypes.Signature
	symbols   map[string]bool
}

func newFile(t *isa) *file {
	f := &file{t: t, m: t.m, c: build.NewContext(), symbols: map[string]bool{}}
	f.c.ConstraintExpr("amd64,!purego")
	// The type is built by hand: avo would load the package, which does not
	// compile before this file exists.
	pkg := types.NewPackage("github.com/stridefuse/stridefuse/runtime/abi", "abi")
	frame := types.NewNamed(types.NewTypeName(token.NoPos, pkg, "Frame", nil), types.NewStruct(nil, nil), nil)
	param := types.NewParam(token.NoPos, pkg, "f", types.NewPointer(frame))
	sig := types.NewSignatureType(nil, nil, nil, types.NewTuple(param), nil, false)
	f.signature = gotypes.NewSignature(types.NewPackage("p", "p"), sig)
	return f
}

// function appends a program under the given name.
func (f *file) function(name, comment string, p *program) error {
	f.c.Function(name)
	f.c.Signature(f.signature)
	f.c.Comment(comment)
	if p.frame <= nosplitFrame {
		f.c.Attributes(attr.NOSPLIT)
	}
	if p.frame > 0 {
		f.c.AllocLocal(p.frame)
	}
	for _, l := range p.lines {
		if l.label != "" {
			f.c.Label(l.label)
			continue
		}
		i, err := f.instruction(l)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, l.op, err)
		}
		f.c.Instruction(i)
	}
	return nil
}

func (f *file) instruction(l line) (*avoir.Instruction, error) {
	ops := make([]operand.Op, len(l.args))
	for i, a := range l.args {
		ops[i] = f.operand(a)
	}
	if l.op == "PCALIGN" { // a directive that avo does not know
		return &avoir.Instruction{Opcode: l.op, Operands: ops}, nil
	}
	return construct(l.op, ops)
}

func (f *file) operand(a arg) operand.Op {
	switch a.kind {
	case argX:
		return vectorReg(a.reg, 16)
	case argHalf:
		return vectorReg(a.reg, f.m.Width/2)
	case argY:
		return vectorReg(a.reg, f.m.Width)
	case argMask:
		return masks[a.reg]
	case argGP32:
		return generals[a.reg].As32()
	case argGP:
		return generals[a.reg]
	case argGP8:
		return generals[a.reg].As8()
	case argHigh:
		return generals[a.reg].As8H()
	case argGP16:
		return generals[a.reg].As16()
	case argImm:
		return operand.Imm(uint64(a.imm))
	case argImm32:
		return operand.I32(int32(a.imm))
	case argLabel:
		return operand.LabelRef(a.label)
	}
	m := a.mem
	out := operand.Mem{Disp: m.disp}
	switch m.base {
	case baseStack:
		out.Base = reg.StackPointer
	case baseParam:
		out = operand.NewParamAddr(m.sym, m.disp)
	case baseSymbol:
		f.symbols[m.sym] = true
		out = operand.NewDataAddr(operand.NewStaticSymbol(m.sym), m.disp)
	default:
		out.Base = generals[m.base]
	}
	if m.index != noIndex {
		out.Index, out.Scale = generals[m.index], uint8(m.scale)
	}
	return out
}

var generals = [generalRegisters]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSI, reg.RDI,
	reg.R8, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15}

var masks = [...]reg.OpmaskPhysical{reg.K0, reg.K1, reg.K2, reg.K3, reg.K4, reg.K5, reg.K6, reg.K7}

// vectorReg returns the first bytes of a vector register.
func vectorReg(r, bytes int) operand.Op {
	switch v := vectorRegs[r]; bytes {
	case 16:
		return v.AsX()
	case 32:
		return v.AsY()
	case 64:
		return v.AsZ()
	}
	panic(fmt.Sprintf("BUG: codegen/avo: a register of %d bytes", bytes))
}

// vectorRegs are all vector registers of amd64. A machine has the first of them: see verify.
var vectorRegs = [...]reg.VecPhysical{reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
	reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
	reg.X16, reg.X17, reg.X18, reg.X19, reg.X20, reg.X21, reg.X22, reg.X23,
	reg.X24, reg.X25, reg.X26, reg.X27, reg.X28, reg.X29, reg.X30, reg.X31}

// data writes the constants that the functions use.
func (f *file) data() {
	names := make([]string, 0, len(f.symbols))
	for name := range f.symbols {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f.c.StaticGlobal(name)
		f.c.DataAttributes(attr.RODATA | attr.NOPTR)
		if name[0] == 't' {
			f.table(name)
			continue
		}
		if name[0] == 'i' {
			for i, word := range spreadNamed(name).words() {
				f.c.AddDatum(8*i, operand.U64(word))
			}
			continue
		}
		n, words := f.m.Width/8, [2]uint64{}
		if name == maskTable {
			n, words[0] = 4*n, ^uint64(0)
		} else {
			fmt.Sscanf(name[1:], "%16x", &words[0])
			words[1] = words[0]
			if name[0] == 's' { // the masks of shuffles, of 16 bytes
				fmt.Sscanf(name[17:], "%x", &words[1])
			}
		}
		if f.t.broadcasts && name[0] == 'c' {
			n = 1
		}
		for i := range n {
			word := words[2*i/n]
			if name[0] == 's' {
				word = words[i%2]
			}
			f.c.AddDatum(8*i, operand.U64(word))
		}
	}
}

// table writes the entries of a table, two in each word, repeated up to the width of a vector.
func (f *file) table(symbol string) {
	var name uint64
	fmt.Sscanf(symbol[1:], "%16x", &name)
	entries, _ := ir.Table(name)
	for i := 0; i < f.m.Width/4; i += 2 {
		low, high := math.Float32bits(entries[i%len(entries)]), math.Float32bits(entries[i%len(entries)+1])
		f.c.AddDatum(4*i, operand.U64(uint64(high)<<32|uint64(low)))
	}
}

// text runs the passes and prints.
func (f *file) text(pkg string) ([]byte, error) {
	f.data()
	out, err := f.c.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Concat(passes, pass.FunctionPass(f.t.verify)).Execute(out); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "genkernels", Pkg: pkg}).Print(out)
}

package avo

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	avoir "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/stridefuse/stridefuse/codegen/amd64"
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
	t         *amd64.Target
	c         *build.Context
	signature *gotypes.Signature
	symbols   map[string]amd64.Constant // by name
}

func newFile(t *amd64.Target) *file {
	f := &file{t: t, c: build.NewContext(), symbols: map[string]amd64.Constant{}}
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
func (f *file) function(name, comment string, p *amd64.Program) error {
	f.c.Function(name)
	f.c.Signature(f.signature)
	f.c.Comment(comment)
	if p.Notes != nil {
		f.c.Comment(p.Notes()...)
	}
	if p.Frame <= nosplitFrame {
		f.c.Attributes(attr.NOSPLIT)
	}
	if p.Frame > 0 {
		f.c.AllocLocal(p.Frame)
	}
	for _, l := range p.Lines {
		if label := l.Label(); label != "" {
			if note := l.Note(); note != "" {
				f.c.Comment(note)
			}
			f.c.Label(label)
			continue
		}
		i, err := f.instruction(l)
		if err != nil {
			return fmt.Errorf("%s: %s: %w", name, l.Op, err)
		}
		f.c.Instruction(i)
	}
	return nil
}

func (f *file) instruction(l amd64.Line) (*avoir.Instruction, error) {
	ops := make([]operand.Op, len(l.Args))
	for i, a := range l.Args {
		ops[i] = f.operand(a)
	}
	if l.Op == "PCALIGN" { // a directive that avo does not know
		return &avoir.Instruction{Opcode: l.Op, Operands: ops}, nil
	}
	return construct(l.Op, ops)
}

func (f *file) operand(a amd64.Arg) operand.Op {
	switch a.Kind {
	case amd64.ArgX:
		return vectorReg(int(a.Reg), 16)
	case amd64.ArgHalf:
		return vectorReg(int(a.Reg), f.t.Machine().Width/2)
	case amd64.ArgY:
		return vectorReg(int(a.Reg), f.t.Machine().Width)
	case amd64.ArgMask:
		return masks[a.Reg]
	case amd64.ArgGP32:
		return generals[a.Reg].As32()
	case amd64.ArgGP:
		return generals[a.Reg]
	case amd64.ArgGP8:
		return generals[a.Reg].As8()
	case amd64.ArgHigh:
		return generals[a.Reg].As8H()
	case amd64.ArgGP16:
		return generals[a.Reg].As16()
	case amd64.ArgImm:
		return operand.Imm(uint64(int64(a.Imm)))
	case amd64.ArgImm32:
		return operand.I32(a.Imm)
	case amd64.ArgLabel:
		return operand.LabelRef(*a.Label)
	}
	m := a.Mem
	out := operand.Mem{Disp: int(m.Disp)}
	switch m.Base {
	case amd64.BaseStack:
		out.Base = reg.StackPointer
	case amd64.BaseParam:
		out = operand.NewParamAddr("f", int(m.Disp))
	case amd64.BaseSymbol:
		name := m.Const.String()
		f.symbols[name] = *m.Const
		out = operand.NewDataAddr(operand.NewStaticSymbol(name), int(m.Disp))
	default:
		out.Base = generals[m.Base]
	}
	if m.Index != amd64.NoIndex {
		out.Index, out.Scale = generals[m.Index], m.Scale
	}
	return out
}

var generals = [amd64.GeneralRegisters]reg.GPPhysical{reg.RAX, reg.RCX, reg.RDX, reg.RBX, reg.RSI, reg.RDI,
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
		for i, word := range f.t.Words(f.symbols[name]) {
			f.c.AddDatum(8*i, operand.U64(word))
		}
	}
}

// text runs the passes and prints.
func (f *file) text(pkg string) ([]byte, error) {
	f.data()
	out, err := f.c.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Concat(passes, pass.FunctionPass(f.verify)).Execute(out); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "genkernels", Pkg: pkg}).Print(out)
}

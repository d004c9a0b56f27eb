package amd64

import "strings"

// Program is a function as a list of instructions over physical registers. Emitters append to it; package avo makes text
// of it, and Assemble bytes.
type Program struct {
	Lines []Line
	Notes func() []string // where the function has what, for the text; nil of micro-kernels
	Frame int             // bytes of the stack frame
	label int             // how many labels fresh has returned
	pool  []Arg           // memory for operands of further lines
}

// poolSize is how many operands memory is reserved for at a time.
const poolSize = 128

// Line is an instruction, or a label if Op is empty: its operands are then two names, that of the label, and a note on what the
// code behind it does, which may be empty.
type Line struct {
	Op   string
	Args []Arg // in the order of Go's assembler
}

// Label returns the name of a label, or nothing for an instruction.
func (l *Line) Label() string {
	if l.Op != "" {
		return ""
	}
	return *l.Args[0].Label
}

// Note returns the note of a label.
func (l *Line) Note() string { return *l.Args[1].Label }

// ArgKind is a kind of operand.
type ArgKind uint8

// The kinds of operands.
const (
	ArgX     ArgKind = iota // the first 16 bytes of a vector register
	ArgHalf                 // half a vector register
	ArgY                    // a whole one
	ArgMask                 // a mask register
	ArgGP                   // a general register, 8 bytes
	ArgGP32                 // its first 4 bytes
	ArgGP8                  // its first byte
	ArgHigh                 // the second byte of one of the first four general registers
	ArgGP16                 // its first 2 bytes
	ArgImm                  // a constant
	ArgImm32                // a constant of four bytes, where avo does not choose that itself
	ArgMem                  // memory
	ArgLabel                // the target of a jump, and the operands of a label
)

// Arg is an operand of an instruction.
type Arg struct {
	Kind  ArgKind
	Reg   int8 // vector, mask or general register
	Imm   int32
	Mem   Memory
	Label *string
}

// Memory is an address: a general register, the stack or a symbol, and an index.
type Memory struct {
	Base  int8 // general register, or one of the bases below
	Index int8 // general register, or NoIndex
	Scale uint8
	Disp  int32
	Const *Constant // of base BaseSymbol
}

// The bases that are not general registers.
const (
	BaseStack  = -1 - iota // the stack frame
	BaseParam              // the kernel's argument, a pointer to its frame (abi.Frame)
	BaseSymbol             // the constant Const
)

// NoIndex is the index of an address without one.
const NoIndex = -1

// General registers. ax, cx and dx are scratch: scalar loops use them.
const (
	ax = iota
	cx
	dx
	index // the element index that unit operands share
	cols
	firstFree

	GeneralRegisters = 14 // in the order of their numbers on the CPU, without SP, and BP, which holds the frame pointer
)

// generalNames are the names of general registers in Go's assembler.
var generalNames = [GeneralRegisters]string{"AX", "CX", "DX", "BX", "SI", "DI", "R8", "R9", "R10", "R11", "R12", "R13", "R14", "R15"}

func x(r int) Arg           { return Arg{Kind: ArgX, Reg: int8(r)} }
func half(r int) Arg        { return Arg{Kind: ArgHalf, Reg: int8(r)} }
func y(r int) Arg           { return Arg{Kind: ArgY, Reg: int8(r)} }
func mask(r int) Arg        { return Arg{Kind: ArgMask, Reg: int8(r)} }
func gp(r int) Arg          { return Arg{Kind: ArgGP, Reg: int8(r)} }
func lowOf(r int) Arg       { return Arg{Kind: ArgGP32, Reg: int8(r)} }
func byteOf(r int) Arg      { return Arg{Kind: ArgGP8, Reg: int8(r)} }
func highOf(r int) Arg      { return Arg{Kind: ArgHigh, Reg: int8(r)} }
func wordOf(r int) Arg      { return Arg{Kind: ArgGP16, Reg: int8(r)} }
func imm(v int64) Arg       { return Arg{Kind: ArgImm, Imm: asInt32(v)} }
func imm32(v int64) Arg     { return Arg{Kind: ArgImm32, Imm: asInt32(v)} }
func label(name string) Arg { return Arg{Kind: ArgLabel, Label: &name} }
func mem(m Memory) Arg      { return Arg{Kind: ArgMem, Mem: m} }

// asInt32 returns a constant operand: no instruction has larger ones.
func asInt32(v int64) int32 {
	if v != int64(int32(v)) {
		panic("BUG: codegen/amd64: a constant operand of more than 32 bits")
	}
	return int32(v)
}

func stack(disp int) Memory    { return Memory{Base: BaseStack, Index: NoIndex, Disp: int32(disp)} }
func at(base, disp int) Memory { return Memory{Base: int8(base), Index: NoIndex, Disp: int32(disp)} }
func symbol(c Constant) Memory { return Memory{Base: BaseSymbol, Index: NoIndex, Const: &c} }

// frameArg is the kernel's argument.
func frameArg() Arg { return mem(Memory{Base: BaseParam, Index: NoIndex}) }

func constant(kind constantKind, bits uint64) Constant { return Constant{kind, [2]uint64{bits}} }

func (m Memory) at(disp int) Memory {
	m.Disp += int32(disp)
	return m
}

func (m Memory) indexed(r, scale int) Memory {
	m.Index, m.Scale = int8(r), uint8(scale)
	return m
}

// do appends an instruction with its operands in the order of Go's assembler. Inlined at its 1,800 calls, it would
// add 1.5 MB to a program.
//
//go:noinline
func (p *Program) do(op string, args ...Arg) {
	if cap(p.pool)-len(p.pool) < len(args) {
		p.pool = make([]Arg, 0, poolSize)
	}
	first := len(p.pool)
	p.pool = append(p.pool, args...)
	p.Lines = append(p.Lines, Line{Op: op, Args: p.pool[first:len(p.pool):len(p.pool)]})
}

// here appends a label, and says what the code behind it does.
func (p *Program) here(name string, note ...string) {
	p.do("", label(name), label(strings.Join(note, "; ")))
}

// fresh returns a label that begins with name and is not in use.
func (p *Program) fresh(name string) string {
	p.label++
	return name + itoa(p.label)
}

// local reserves bytes of the stack frame, and returns their offset.
func (p *Program) local(bytes int) int {
	p.Frame += bytes
	return p.Frame - bytes
}

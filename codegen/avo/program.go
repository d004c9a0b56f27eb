package avo

// program is a function as a list of instructions over physical registers. Emitters append
// to it, and a printer makes text of it. It does not depend on avo.
type program struct {
	lines []line
	frame int // bytes of the stack frame
	label int // how many labels fresh has returned
}

// line is an instruction or a label.
type line struct {
	label string
	op    string
	args  []arg // in the order of Go's assembler
}

type argKind uint8

const (
	argX    argKind = iota // the first 16 bytes of a vector register
	argHalf                // half a vector register
	argY                   // a whole one
	argMask                // a mask register
	argGP
	argGP32
	argGP8
	argHigh // the second byte of one of the first four general registers
	argGP16
	argImm
	argImm32 // of four bytes, where avo does not choose that itself
	argMem
	argLabel
)

// arg is an operand of an instruction.
type arg struct {
	kind  argKind
	reg   int // vector or general register
	imm   int64
	mem   memory
	label string
}

// memory is an address: a general register, the stack or a symbol, and an index.
type memory struct {
	base  int // general register, or one of the bases below
	index int // general register, or noIndex
	scale int
	disp  int
	sym   string
}

// The bases that are not general registers.
const (
	baseStack  = -1 - iota // the stack frame
	baseParam              // the argument named sym
	baseSymbol             // RODATA
)

const noIndex = -1

// General registers. ax, cx and dx are scratch: scalar loops use them.
const (
	ax = iota
	cx
	dx
	index // the element index that unit operands share
	cols
	firstFree
	generalRegisters = 14 // without SP, and BP, which holds the frame pointer
)

func x(r int) arg           { return arg{kind: argX, reg: r} }
func half(r int) arg        { return arg{kind: argHalf, reg: r} }
func y(r int) arg           { return arg{kind: argY, reg: r} }
func mask(r int) arg        { return arg{kind: argMask, reg: r} }
func gp(r int) arg          { return arg{kind: argGP, reg: r} }
func lowOf(r int) arg       { return arg{kind: argGP32, reg: r} }
func byteOf(r int) arg      { return arg{kind: argGP8, reg: r} }
func highOf(r int) arg      { return arg{kind: argHigh, reg: r} }
func wordOf(r int) arg      { return arg{kind: argGP16, reg: r} }
func imm(v int64) arg       { return arg{kind: argImm, imm: v} }
func imm32(v int64) arg     { return arg{kind: argImm32, imm: v} }
func label(name string) arg { return arg{kind: argLabel, label: name} }
func mem(m memory) arg      { return arg{kind: argMem, mem: m} }

func stack(disp int) memory     { return memory{base: baseStack, index: noIndex, disp: disp} }
func at(base, disp int) memory  { return memory{base: base, index: noIndex, disp: disp} }
func symbol(name string) memory { return memory{base: baseSymbol, index: noIndex, sym: name} }

// frameArg is the kernel's argument.
func frameArg() arg { return mem(memory{base: baseParam, index: noIndex, sym: "f"}) }

func (m memory) at(disp int) memory {
	m.disp += disp
	return m
}

func (m memory) indexed(r, scale int) memory {
	m.index, m.scale = r, scale
	return m
}

// do appends an instruction with its operands in the order of Go's assembler.
func (p *program) do(op string, args ...arg) { p.lines = append(p.lines, line{op: op, args: args}) }

// here appends a label.
func (p *program) here(name string) { p.lines = append(p.lines, line{label: name}) }

// fresh returns a label that begins with name and is not in use.
func (p *program) fresh(name string) string {
	p.label++
	return name + itoa(p.label)
}

// local reserves bytes of the stack frame, and returns their offset.
func (p *program) local(bytes int) int {
	p.frame += bytes
	return p.frame - bytes
}

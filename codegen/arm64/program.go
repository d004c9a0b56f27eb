package arm64

// Program is a function as a list of instructions over physical registers. Emitters append to it. Text prints it for Go's assembler,
// and AssembleBody encodes it as machine code.
type Program struct {
	Lines []Line
	Frame int      // bytes of the stack frame that local has reserved
	Pool  []uint64 // constants in read-only memory, behind the address that OpPool loads
	label int      // how many labels fresh has returned
}

// Line is an instruction, or a label if Label is not empty.
type Line struct {
	Label string
	Op    string
	Args  []Arg // in the order of the architecture's manual: the destination first
}

// Instructions that Go's assembler makes several words of, or none. They have no row in the table.
const (
	OpFrame = "FRAME" // R: the kernel's argument, a pointer to its frame (abi.Frame)
	OpPool  = "POOL"  // R: the address of the program's constants
	OpAlign = "ALIGN" // the next instruction begins at a multiple of the constant operand
)

// ArgKind is a kind of operand.
type ArgKind uint8

// The kinds of operands.
const (
	ArgV     ArgKind = iota // a vector register, or the first of a list; the instruction's name says which part
	ArgR                    // a general register, or the zero register; the instruction's name says whether 8 or 4 bytes of it
	ArgImm                  // a constant
	ArgMem                  // memory
	ArgLabel                // the target of a jump
)

// Arg is an operand of an instruction.
type Arg struct {
	Kind  ArgKind
	Reg   int
	Imm   int64 // a constant, or the distance of a label in bytes
	Mem   Memory
	Label string
}

// Memory is an address: a general register or the stack pointer, and either a constant or a register that is shifted.
type Memory struct {
	Base  int // general register, or sp
	Index int // general register, or noIndex
	Shift int // of Index
	Disp  int
	Post  bool // Disp, or Index, is added to Base after the access
}

// General registers. R16 and R17 belong to veneers of linkers between functions; R27 is scratch of Go's assembler; R18 belongs to
// the operating system, R28 is the goroutine, R29 the frame pointer, R30 the return address.
const (
	GeneralRegisters = 26 // R0 to R25 without R18: see R
	VectorRegisters  = 32
	zr               = 31 // the zero register, as an operand
	sp               = 31 // the stack pointer, as the base of an address and in ADD and SUB of a constant
	noIndex          = -1
)

// r returns general register i of those that a kernel may use, 0 to GeneralRegisters-1: R0 to R17, R19 to R26.
func r(i int) int {
	if i >= 18 {
		i++
	}
	return i
}

func v(n int) Arg           { return Arg{Kind: ArgV, Reg: n} }
func x(n int) Arg           { return Arg{Kind: ArgR, Reg: n} }
func imm(n int) Arg         { return Arg{Kind: ArgImm, Imm: int64(n)} }
func bits(n uint64) Arg     { return Arg{Kind: ArgImm, Imm: int64(n)} }
func label(name string) Arg { return Arg{Kind: ArgLabel, Label: name} }
func mem(m Memory) Arg      { return Arg{Kind: ArgMem, Mem: m} }

func at(base, disp int) Memory { return Memory{Base: base, Index: noIndex, Disp: disp} }

// indexed returns the address of the base and a register that is shifted left.
func indexed(base, index, shift int) Memory { return Memory{Base: base, Index: index, Shift: shift} }

// then returns the address of the base, to which the access then adds a constant.
func then(base, disp int) Memory { return Memory{Base: base, Index: noIndex, Disp: disp, Post: true} }

// thenBy returns the address of the base, to which the access then adds a register.
func thenBy(base, index int) Memory { return Memory{Base: base, Index: index, Post: true} }

// do appends an instruction.
//
//go:noinline
func (p *Program) do(op string, args ...Arg) {
	p.Lines = append(p.Lines, Line{Op: op, Args: args})
}

// here appends a label.
func (p *Program) here(name string) { p.Lines = append(p.Lines, Line{Label: name}) }

// fresh returns a label that begins with name and is not in use.
func (p *Program) fresh(name string) string {
	p.label++
	return name + itoa(p.label)
}

// local reserves bytes of the stack frame in steps of 16, and returns their address. The frame begins 16 bytes above the stack
// pointer: Go's prologue stores the return address below it.
func (p *Program) local(bytes int) Memory {
	p.Frame += (bytes + 15) &^ 15
	return at(sp, 16+p.Frame-(bytes+15)&^15)
}

// constant returns the offset of a constant of 16 bytes in the pool.
func (p *Program) constant(low, high uint64) int {
	for i := 0; i < len(p.Pool); i += 2 {
		if p.Pool[i] == low && p.Pool[i+1] == high {
			return 8 * i
		}
	}
	p.Pool = append(p.Pool, low, high)
	return 8 * (len(p.Pool) - 2)
}

// set loads a number below 2^16 into a general register.
func (p *Program) set(reg, value int) {
	if value == 0 {
		p.do("MOV", x(reg), x(zr))
		return
	}
	p.do("MOVZ", x(reg), imm(value), imm(0))
}

package amd64

import (
	endian "encoding/binary"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// CodeAlign is the alignment of machine code in memory, in bytes.
const CodeAlign = 64

// Code is the machine code of a kernel. At entry the return address is at 0(SP), and the kernel's argument, a pointer to its
// abi.Frame, at 8(SP). The code calls nothing, checks no stack, and may change every register except SP and BP.
type Code struct {
	// Bytes may be copied to any address that is a multiple of CodeAlign. The first byte is the entry; constants follow the
	// instructions.
	Bytes []byte
	// Text is the length of the instructions.
	Text int
	// Stack is how many bytes of stack the code uses, where its Locals are.
	Stack int

	refs []reference
}

// Locals is where a kernel has its local memory.
type Locals uint8

// The places.
const (
	// InCaller is from 16(SP) on, where the caller leaves room. SP stays as it is, so that a signal handler finds the return
	// address at 0(SP) at any instruction.
	InCaller Locals = iota
	// InOwnFrame is below SP, as in a function by Go's assembler: BP is saved there, and points to where it is saved.
	InOwnFrame
)

// Assemble returns the machine code of a valid canonical kernel. It returns an error for a kernel that the target does not
// have (Emits), and for one that is written by hand.
func (t *Target) Assemble(c kernel.Code, locals Locals) (*Code, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	if !t.Emits(c) {
		return nil, fmt.Errorf("%s: no kernel of %s", c.Signature(), t.name)
	}
	p, err := t.Program(c)
	return t.assembled(c, p, err, locals)
}

// AssembleBody is Assemble for the kernels of EmitsBody. A program that calls it and not Assemble links no other assembler.
func (t *Target) AssembleBody(c kernel.Code, locals Locals) (*Code, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	if !t.EmitsBody(c) {
		return nil, fmt.Errorf("%s: no kernel with a body of %s", c.Signature(), t.name)
	}
	body, combine, _ := bodyOf(c)
	p, err := t.compilerOf(body, combine).emit(t, body, combine)
	return t.assembled(c, p, err, locals)
}

// assembled encodes the program of a kernel, if there is no error.
func (t *Target) assembled(c kernel.Code, p *Program, err error, locals Locals) (*Code, error) {
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Signature(), err)
	}
	code, err := t.encode(p, locals)
	if err != nil {
		return nil, fmt.Errorf("BUG: codegen/amd64: %s: %w", c.Signature(), err)
	}
	return code, nil
}

// encoder encodes a program.
type encoder struct {
	t        *Target
	argument int            // the offset of the kernel's argument from SP
	locals   int            // the offset of its local memory
	code     []byte         // the instructions without those that marks have
	marks    []mark         // in the order of their places
	labels   map[string]int // the mark of each label
	refs     []reference
}

// reference is the address of a constant in an instruction: four bytes at a place in the code, relative to the end of the
// instruction.
type reference struct {
	at, end int
	Constant
	disp int
}

// encode returns the machine code of a program.
func (t *Target) encode(p *Program, locals Locals) (*Code, error) {
	a := &encoder{t: t, argument: 8, locals: 16, labels: map[string]int{}, code: make([]byte, 0, 8*len(p.Lines)), marks: make([]mark, 0, 32)}
	out, frame := &Code{Stack: p.Frame}, 0
	if locals == InOwnFrame {
		frame, a.locals = p.Frame, 0
	}
	if frame > 0 {
		out.Stack += 8
		a.argument += out.Stack
		a.code = append(a.code, 0x55, 0x48, 0x89, 0xe5) // PUSHQ BP; MOVQ SP, BP
		a.addSP(-p.Frame)
	}
	for i := range p.Lines {
		if err := a.line(&p.Lines[i], frame); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Lines[i].Op, err)
		}
	}
	if err := a.place(); err != nil {
		return nil, err
	}
	out.Bytes = a.write()
	out.Text = len(out.Bytes)
	out.Bytes, out.refs = a.constants(out.Bytes), a.refs
	return out, nil
}

func (a *encoder) line(l *Line, frame int) error {
	switch {
	case l.Op == "":
		if _, twice := a.labels[l.Label()]; twice {
			return fmt.Errorf("a second label")
		}
		a.labels[l.Label()] = len(a.marks)
		a.marks = append(a.marks, mark{kind: markLabel, at: len(a.code)})
	case len(l.Args) == 1 && l.Args[0].Kind == ArgLabel:
		condition, jump := jumps[l.Op]
		if !jump {
			return errForm
		}
		a.marks = append(a.marks, mark{kind: markJump, at: len(a.code), condition: condition, target: *l.Args[0].Label})
	case l.Op == "PCALIGN":
		a.marks = append(a.marks, mark{kind: markAlign, at: len(a.code), align: uint8(l.Args[0].Imm)})
	case l.Op == "RET":
		if frame > 0 {
			a.addSP(frame)
			a.code = append(a.code, 0x5d) // POPQ BP
		}
		a.code = append(a.code, 0xc3)
	default:
		return a.instruction(l)
	}
	return nil
}

// addSP adds a number to SP, not 0. -128 has a shorter encoding than 128.
func (a *encoder) addSP(n int) {
	digit := uint8(0xc4) // ADDQ
	if n < -128 || n < 0 && n != -128 || n == 128 {
		digit, n = 0xec, -n // SUBQ
	}
	if n == int(int8(n)) {
		a.code = append(a.code, 0x48, 0x83, digit, uint8(n))
		return
	}
	a.code = endian.LittleEndian.AppendUint32(append(a.code, 0x48, 0x81, digit), uint32(n))
}

// constants appends the constants that the code refers to and resolves the references. Each is aligned to its size, up to
// CodeAlign, as one vector is then in one line of the caches.
func (a *encoder) constants(out []byte) []byte {
	words := map[Constant][]uint64{}
	var order []Constant
	for _, r := range a.refs {
		if _, has := words[r.Constant]; !has {
			words[r.Constant] = a.t.Words(r.Constant)
			order = append(order, r.Constant)
		}
	}
	slices.SortStableFunc(order, func(x, y Constant) int { return len(words[y]) - len(words[x]) }) // no gaps
	at := map[Constant]int{}
	for _, c := range order {
		align := min(8*len(words[c]), CodeAlign)
		out = append(out, make([]byte, -len(out)&(align-1))...)
		at[c] = len(out)
		for _, w := range words[c] {
			out = endian.LittleEndian.AppendUint64(out, w)
		}
	}
	for _, r := range a.refs {
		endian.LittleEndian.PutUint32(out[r.at:], uint32(at[r.Constant]+r.disp-r.end))
	}
	return out
}

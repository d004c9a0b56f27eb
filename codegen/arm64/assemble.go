package arm64

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Code is the machine code of a kernel. At entry the return address is in R30, and the kernel's argument, a pointer to its abi.Frame,
// at 8(SP). The code calls nothing, checks no stack, moves no stack pointer, and may change all registers except R18, R28, R29
// and R30.
type Code struct {
	// Bytes may be copied to any address that is a multiple of CodeAlign. The first instruction is the entry; constants follow the
	// last one.
	Bytes []byte
	// Stack is how many bytes from 16(SP) on the code uses.
	Stack int
}

// CodeAlign is the alignment of machine code in memory, in bytes.
const CodeAlign = 16

// argumentPlace is the offset of the kernel's argument from the stack pointer.
const argumentPlace = 8

// nop is the word of the instruction without effect.
const nop = 0xd503201f

// EmitsBody reports whether NEON has a kernel that computes a body row by row.
func (t *Target) EmitsBody(c kernel.Code) bool {
	body, _, ok := bodyOf(c)
	return ok && t.hasBody(body)
}

// AssembleBody returns the machine code of a valid canonical kernel. It returns an error for a kernel that is not one of EmitsBody.
func (t *Target) AssembleBody(c kernel.Code) (*Code, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	if !t.EmitsBody(c) {
		return nil, fmt.Errorf("%s: %w", c.Signature(), errNone)
	}
	body, combine, _ := bodyOf(c)
	p, err := t.compile(body, combine)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Signature(), err)
	}
	bytes, err := p.encode()
	if err != nil {
		return nil, fmt.Errorf("BUG: %s: %w", c.Signature(), err)
	}
	return &Code{Bytes: bytes, Stack: p.Frame}, nil
}

// poolLabel is the label of a program's constants.
const poolLabel = "pool"

// encode returns the machine code of a program.
func (p *Program) encode() ([]byte, error) {
	places := p.places()
	code := make([]byte, 0, places[poolLabel]+8*len(p.Pool))
	for _, l := range p.Lines {
		switch {
		case l.Label != "":
			continue
		case l.Op == OpAlign:
			for len(code) < aligned(len(code), int(l.Args[0].Imm)) {
				code = binary.LittleEndian.AppendUint32(code, nop)
			}
			continue
		case l.Op == OpFrame:
			l = Line{Op: "LDR", Args: []Arg{l.Args[0], mem(at(sp, argumentPlace))}}
		case l.Op == OpPool:
			l = Line{Op: "ADR", Args: []Arg{l.Args[0], label(poolLabel)}}
		}
		if i := len(l.Args) - 1; i >= 0 && l.Args[i].Kind == ArgLabel {
			to, ok := places[l.Args[i].Label]
			if !ok {
				return nil, fmt.Errorf("codegen/arm64: no label %s", l.Args[i].Label)
			}
			l.Args = slices.Clone(l.Args)
			l.Args[i].Imm = int64(to - len(code))
		}
		_, word, err := l.find()
		if err != nil {
			return nil, err
		}
		code = binary.LittleEndian.AppendUint32(code, word)
	}
	code = append(code, make([]byte, places[poolLabel]-len(code))...)
	for _, c := range p.Pool {
		code = binary.LittleEndian.AppendUint64(code, c)
	}
	return code, nil
}

// places returns the distances of the labels from the entry, in bytes. All instructions have four.
func (p *Program) places() map[string]int {
	places, next := map[string]int{}, 0
	for _, l := range p.Lines {
		switch {
		case l.Label != "":
			places[l.Label] = next
		case l.Op == OpAlign:
			next = aligned(next, int(l.Args[0].Imm))
		default:
			next += 4
		}
	}
	places[poolLabel] = aligned(next, CodeAlign)
	return places
}

// aligned returns the least multiple of a power of two that is at least n.
func aligned(n, to int) int { return (n + to - 1) &^ (to - 1) }

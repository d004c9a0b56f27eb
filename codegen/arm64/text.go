package arm64

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The text of programs for Go's assembler. Instructions of general registers have its mnemonics. Vector instructions, most of which
// it lacks, are words, with the manual's syntax as a comment:
//
//	ADD $16, R1, R1
//	WORD $0x4e21d402 // fadd v2.4s, v0.4s, v1.4s

// nosplitFrame is the largest stack frame of a function without a stack check. The linker allows 800 bytes behind the last
// check.
const nosplitFrame = 512

// Text returns the function of a kernel and its constants, for a file that includes textflag.h. name is the function's; it is a
// func(*abi.Frame).
func (t *Target) Text(name string, c kernel.Code) (string, error) {
	p, err := t.Program(c)
	if err != nil {
		return "", err
	}
	return p.text(name)
}

// text returns the function of a program and its constants.
func (p *Program) text(name string) (string, error) {
	var b strings.Builder
	pool := name + "_pool<>"
	if len(p.Pool) > 0 {
		for i, bits := range p.Pool {
			fmt.Fprintf(&b, "DATA %s+%d(SB)/8, $%#016x\n", pool, 8*i, bits)
		}
		fmt.Fprintf(&b, "GLOBL %s(SB), RODATA|NOPTR, $%d\n\n", pool, 8*len(p.Pool))
	}
	frame := p.Frame
	if frame > 0 {
		frame += 8 // the frame begins 16 bytes above the stack pointer, of which Go counts 8
	}
	flags := "NOSPLIT, "
	if frame > nosplitFrame {
		flags = ""
	}
	fmt.Fprintf(&b, "// func %s(f *Frame)\nTEXT ·%s(SB), %s$%d-8\n", name, name, flags, frame)
	for _, l := range p.Lines {
		line, err := l.text(pool)
		if err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// text returns a line.
func (l Line) text(pool string) (string, error) {
	switch {
	case l.Label != "":
		return "\n" + l.Label + ":", nil
	case l.Op == OpFrame:
		return "\tMOVD f+0(FP), " + goRegister(l.Args[0].Reg, false), nil
	case l.Op == OpPool:
		return "\tMOVD $" + pool + "(SB), " + goRegister(l.Args[0].Reg, false), nil
	case l.Op == OpAlign:
		return fmt.Sprintf("\tPCALIGN $%d", l.Args[0].Imm), nil
	}
	i, word, err := l.find()
	if err != nil {
		return "", err
	}
	if i.Go != "" {
		return "\t" + i.goLine(l.Args), nil
	}
	return fmt.Sprintf("\tWORD $0x%08x // %s", word, i.manual(l.Args)), nil
}

func itoa(n int) string { return strconv.Itoa(n) }

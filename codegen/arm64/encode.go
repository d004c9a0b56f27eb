package arm64

import (
	"fmt"
	"strings"
)

// find returns the row of a line: the first with its name that has its operands; and its word.
func (l Line) find() (*Inst, uint32, error) {
	rows := insts()[l.Op]
	if rows == nil {
		return nil, 0, fmt.Errorf("codegen/arm64: no instruction %s", l.Op)
	}
	for _, i := range rows {
		if word, ok := i.encode(l.Args); ok {
			return i, word, nil
		}
	}
	return nil, 0, fmt.Errorf("codegen/arm64: %s has no form for the operands %s", l.Op, l.describe())
}

// describe returns the operands of a line that has no row.
func (l Line) describe() string {
	var all []string
	for _, a := range l.Args {
		switch a.Kind {
		case ArgV:
			all = append(all, fmt.Sprintf("v%d", a.Reg))
		case ArgR:
			all = append(all, fmt.Sprintf("x%d", a.Reg))
		case ArgImm:
			all = append(all, fmt.Sprintf("#%#x", a.Imm))
		case ArgMem:
			all = append(all, addressText(a))
		default:
			all = append(all, a.Label)
		}
	}
	return strings.Join(all, ", ")
}

// args returns the number of operands of a row.
func (i *Inst) args() int {
	n := 0
	for _, p := range i.text {
		if p.field != nil {
			n = max(n, p.arg+1)
		}
	}
	return n
}

// encode returns the word of an instruction, and reports whether the row has the operands.
func (i *Inst) encode(args []Arg) (uint32, bool) {
	if len(args) != i.args() {
		return 0, false
	}
	word := i.Word
	for _, p := range i.text {
		if p.field == nil {
			continue
		}
		if p.field.kind != args[p.arg].Kind {
			return 0, false
		}
		bits, ok := p.field.encode(args[p.arg])
		if !ok {
			return 0, false
		}
		word |= bits
	}
	return word, true
}

// manual returns an instruction in the manual's syntax.
func (i *Inst) manual(args []Arg) string {
	return filledIn(i.text, args, func(f *field, a Arg) string { return f.text(a) })
}

// goText returns an instruction in the syntax of Go's assembler.
func (i *Inst) goLine(args []Arg) string {
	return filledIn(i.goText, args, func(f *field, a Arg) string {
		if f.goText != nil {
			return f.goText(a)
		}
		return f.text(a)
	})
}

func filledIn(pieces []piece, args []Arg, text func(f *field, a Arg) string) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.field == nil {
			b.WriteString(strings.ReplaceAll(p.literal, "{{", "<<"))
		} else {
			b.WriteString(text(p.field, args[p.arg]))
		}
	}
	return b.String()
}

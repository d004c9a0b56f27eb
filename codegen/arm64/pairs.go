package arm64

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// Accesses of two consecutive vectors of an operand become one instruction, LDP or STP. A load moves up to the one of the vector before,
// into a free register if its own is in use there; a store moves down to the next one. So a reduction by addition has three instructions
// for two vectors instead of four.

// pairAccesses moves the loads and stores of a main loop so that those of consecutive vectors are adjacent. Cold blocks know the registers of
// a loop, so a loop with one stays as it is.
func pairAccesses(main []vector.Inst, pinned []vector.Pin) []vector.Inst {
	if slices.ContainsFunc(main, func(i vector.Inst) bool { return i.Exit != nil || i.Op.Form == vector.FormScalarLoop }) {
		return main
	}
	out := slices.Clone(main)
	for i := 0; i < len(out); i++ {
		j := nextVector(out, i)
		switch {
		case j < 0:
			continue
		case out[i].Op == vector.OpLoad:
			if !raise(out, i, j, pinned) {
				continue
			}
		case !lower(out, i, j):
			continue
		default:
			i = j - 1 // where the first of the two is now
		}
		i++ // behind the pair, with the loop's own step
	}
	return out
}

// wholeVector returns the operand of an instruction that loads or stores a vector of it.
func wholeVector(i *vector.Inst) (p vector.Place, load, ok bool) {
	switch {
	case i.Op == vector.OpLoad && i.Src[0].Space == vector.InOperand:
		p, load = i.Src[0].Place, true
	case i.Op.Name == opStore:
		p = i.Place
	}
	return p, load, p.Bytes() == machine.Width
}

// nextVector returns the next access of the operand that instruction i accesses, if both load or both store and it accesses the next vector,
// or -1.
func nextVector(list []vector.Inst, i int) int {
	p, load, ok := wholeVector(&list[i])
	if !ok {
		return -1
	}
	for j := i + 1; j < len(list); j++ {
		q, same := placeOf(&list[j])
		if !same || q.Operand() != p.Operand() {
			continue
		}
		if q, l, ok := wholeVector(&list[j]); ok && l == load && q.Disp() == p.Disp()+machine.Width {
			return j
		}
		return -1
	}
	return -1
}

// placeOf returns the operand that an instruction accesses.
func placeOf(i *vector.Inst) (vector.Place, bool) {
	for _, s := range i.Src {
		if s.Space == vector.InOperand {
			return s.Place, true
		}
	}
	return i.Place, i.Place.Bytes() > 0
}

// touches reports whether some instructions read or write a register.
func touches(list []vector.Inst, reg int) bool {
	return slices.ContainsFunc(list, func(i vector.Inst) bool {
		return i.Dst == reg || slices.ContainsFunc(i.Src, func(l vector.Loc) bool { return l.Space == vector.InRegister && l.Index == reg })
	})
}

// raise moves load j to just behind load i.
func raise(list []vector.Inst, i, j int, pinned []vector.Pin) bool {
	if reg := list[j].Dst; touches(list[i:j], reg) {
		free := freeRegister(list[i:], pinned)
		if free < 0 || !rename(list[j:], free) {
			return false
		}
	}
	load := list[j]
	copy(list[i+2:j+1], list[i+1:j])
	list[i+1] = load
	return true
}

// lower moves store i to just before store j, unless the register is written between them.
func lower(list []vector.Inst, i, j int) bool {
	store := list[i]
	if slices.ContainsFunc(list[i+1:j], func(k vector.Inst) bool { return k.Dst == store.Src[0].Index }) {
		return false
	}
	copy(list[i:j-1], list[i+1:j])
	list[j-1] = store
	return true
}

// freeRegister returns a register that instructions to the end of a loop do not touch, and that keeps no value from one iteration to the next,
// or -1.
func freeRegister(list []vector.Inst, pinned []vector.Pin) int {
	for reg := range machine.Registers {
		if !touches(list, reg) && !slices.ContainsFunc(pinned, func(p vector.Pin) bool { return p.Reg == reg }) {
			return reg
		}
	}
	return -1
}

// rename moves the value that the first instruction loads to another register, in all instructions that read it. It changes nothing and
// reports false if one of these is not of the body's plain instructions.
func rename(list []vector.Inst, to int) bool {
	from := list[0].Dst
	renamed := []vector.Inst{list[0]}
	renamed[0].Dst = to
	for _, i := range list[1:] {
		reads := touches([]vector.Inst{{Dst: -1, Src: i.Src}}, from)
		if reads {
			i.Src = slices.Clone(i.Src)
			for s := range i.Src {
				if l := &i.Src[s]; l.Space == vector.InRegister && l.Index == from {
					l.Index = to
				}
			}
		}
		switch over := i.Op.Form == vector.FormOver && reads && i.Src[i.Over].Index == to; {
		case i.Dst == from && over:
			i.Dst = to
		case i.Dst == from && i.Op.Form != vector.FormPlain && i.Op.Form != vector.FormOver && i.Op != vector.OpLoad:
			return false
		case i.Dst == from:
			renamed = append(renamed, i)
			copy(list, renamed)
			return true
		}
		renamed = append(renamed, i)
	}
	copy(list, renamed)
	return true
}

// joinPairs makes one line of each two adjacent ones, from a line on, that access consecutive vectors.
func (n *nest) joinPairs(begin int) {
	lines := n.Lines[:begin]
	for _, l := range n.Lines[begin:] {
		if last := len(lines) - 1; last >= begin {
			if pair, ok := pairOf(lines[last], l); ok {
				lines[last] = pair
				continue
			}
		}
		lines = append(lines, l)
	}
	n.Lines = lines
}

// pairOf returns the access of two consecutive vectors that two lines are.
func pairOf(a, b Line) (Line, bool) {
	if a.Op != b.Op || a.Op != "LDR.Q" && a.Op != "STR.Q" || a.Op == "LDR.Q" && a.Args[0].Reg == b.Args[0].Reg {
		return Line{}, false
	}
	p, q := a.Args[1].Mem, b.Args[1].Mem
	if p.Base != q.Base || p.Base == t0 || p.Index != noIndex || q.Index != noIndex || p.Post || q.Post ||
		q.Disp != p.Disp+machine.Width || p.Disp%machine.Width != 0 || p.Disp < 0 || p.Disp >= 64*machine.Width {
		return Line{}, false
	}
	pair := Line{Op: map[string]string{"LDR.Q": "LDP.Q", "STR.Q": "STP.Q"}[a.Op]}
	pair.Args = []Arg{a.Args[0], b.Args[0], mem(p)}
	return pair, true
}

package arm64

import "github.com/stridefuse/stridefuse/codegen/vector"

// The first elements of a vector: leftReg has the number of columns left. Accesses never reach beyond them.

// part is the elements of one vector of a step.
type part struct {
	first int // in the step
	count int
	size  int
	at    Memory
}

func (n *nest) partOf(p vector.Place) part {
	count := p.Bytes() / p.Size()
	return part{p.Disp() / p.Bytes() * count, count, p.Size(), n.element(p)}
}

// tailLoad loads the columns that are left, and 0 in the other lanes.
func (n *nest) tailLoad(i *vector.Inst) {
	p := n.partOf(i.Place)
	n.tailMove(p, func(elements int) {
		if elements == 0 {
			n.do("MOVI.2D", v(i.Dst), imm(0))
		} else {
			n.do("LDR."+partName(elements*p.size), v(i.Dst), mem(p.at))
		}
	}, func(third Memory) { n.do("LD1."+partName(p.size), v(i.Dst), imm(2), mem(third)) })
}

// tailStore stores the columns that are left.
func (n *nest) tailStore(i *vector.Inst) {
	p, from := n.partOf(i.Place), v(i.Src[0].Index)
	n.tailMove(p, func(elements int) {
		if elements > 0 {
			n.do("STR."+partName(elements*p.size), from, mem(p.at))
		}
	}, func(third Memory) { n.do("ST1."+partName(p.size), from, imm(2), mem(third)) })
}

// tailMove moves the elements of one vector that are left. move moves 0, 1, 2 or all elements, and third the third one.
func (n *nest) tailMove(p part, move func(elements int), third func(from Memory)) {
	all, single, none, end := n.fresh("all"), n.fresh("single"), n.fresh("none"), n.fresh("end")
	if p.count == 2 {
		n.do("CMP", x(leftReg), imm(p.first+1))
		n.do("BGT", label(all))
		if p.first > 0 {
			n.do("BLT", label(none))
		}
		move(1)
		n.do("B", label(end))
		if p.first > 0 {
			n.here(none)
			move(0)
			n.do("B", label(end))
		}
		n.here(all)
		move(2)
		n.here(end)
		return
	}
	if n.b.WholeTails() {
		n.do("CMP", x(leftReg), imm(p.count))
		n.do("BGE", label(all))
	}
	n.do("TBZ", x(leftReg), imm(1), label(single))
	move(2)
	n.do("TBZ", x(leftReg), imm(0), label(end))
	n.do("ADD", x(t0), x(p.at.Base), imm(p.at.Disp+2*p.size))
	third(at(t0, 0))
	n.do("B", label(end))
	n.here(single)
	move(1)
	if n.b.WholeTails() {
		n.do("B", label(end))
		n.here(all)
		move(p.count)
	}
	n.here(end)
}

// mask loads the tail's mask: for lanes of 4 bytes, or for the first or second two lanes of 8 bytes. It is a part of 32 bytes of ones and
// 32 of zeros.
func (n *nest) mask(i *vector.Inst) {
	if n.masks < 0 {
		n.masks = 8 * len(n.Pool)
		ones := ^uint64(0)
		n.Pool = append(n.Pool, ones, ones, ones, ones, 0, 0, 0, 0)
	}
	left := leftReg
	if n.b.WholeTails() {
		left = t0
		n.set(t0, machine.Lanes())
		n.do("CMP", x(leftReg), x(t0))
		n.do("CSEL", x(t0), x(leftReg), x(t0), imm(condLT))
	}
	shift, middle := 2, n.masks+32
	if i.Imm > 0 {
		shift, middle = 3, middle+16*int(i.Imm-1)
	}
	n.do("SUB", x(t1), x(poolReg), x(left), imm(shift))
	n.do("LDR.Q", v(i.Dst), mem(at(t1, middle)))
}

package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Interleave groups of bytes, in lanes of 32 bits. The bytes of a step are in two halves of a register, which overlap if there
// are fewer than 32; VPSHUFB takes a member's bytes to their lanes. In the tail they are copied by way of the stack.

// byteMember returns a member of a group of bytes.
func (a *group) byteMember(member int) ref {
	return a.op("VPSHUFB", a.bytes(), a.laneBytes(member))
}

// second is where the second half begins: 16 bytes from there on are the last ones of the step.
func (a *group) second() int { return a.of*a.Copy.Graph.Machine().Lanes() - pieceBytes }

// bytes returns the bytes of a step.
func (a *group) bytes() ref {
	switch {
	case a.Tail:
		return a.placed("GROUPLOAD", a.place(0, a.second()+pieceBytes))
	case a.of == kernel.MaxFactor:
		return a.inPlace(a.vector(0))
	}
	return a.joined(a.inPlace(a.place(0, pieceBytes)), a.inPlace(a.place(a.second(), pieceBytes)))
}

// laneBytes returns which byte of its half each lane takes. The upper bytes of a lane are zeros.
func (a *group) laneBytes(member int) ref {
	lanes, bytes := a.Copy.Graph.Machine().Lanes(), uint64(0)
	for j := range lanes {
		from := j*a.of + member
		if j >= lanes/2 {
			from -= a.second()
		}
		bytes |= uint64(from) << (8 * j)
	}
	return a.op("VPOR", a.op("VPMOVZXBD", a.c64(bytes)), a.c32(0xffffff00))
}

// storeBytes returns the stores of members.
func (a *group) storeBytes(members []ref) []ref {
	x := members[0]
	for i, c := range members[1:] {
		x = a.op("VPOR", x, a.imm("VPSLLD", uint8(8*(i+1)), c))
	}
	switch a.of {
	case 2:
		x = a.op("VPACKUSDW", x, a.high(x))
	case 3: // of each half, then of both
		const low, high, pieces = 0x09_08_06_05_04_02_01_00, 0x80_80_80_80_0e_0d_0c_0a, 0x07_07_06_05_04_02_01_00
		x = a.op("VPSHUFB", x, a.imm("VSHUFPS", 0x44, a.c64(low), a.c64(high)))
		x = a.op("VPERMPS", a.op("VPMOVZXBD", a.c64(pieces)), x)
	}
	switch {
	case a.Tail:
		return []ref{a.placed("GROUPSTORE", a.place(0, 8*a.of), x)}
	case a.of == 2:
		return []ref{a.placed("STOREHALF", a.place(0, 16), x)}
	case a.of == 3:
		return []ref{a.placed("STOREHALF", a.place(0, 16), x), a.placed("VMOVQ", a.place(16, 8), a.high(x))}
	}
	return []ref{a.placed("STORE", a.vector(0), x)}
}

// groupLoad reads the bytes of a partial step.
func (n *nest) groupLoad(i *vector.Inst) {
	few, of := stack(n.fewBytes()), i.Place.Size()
	n.remaining()
	n.timesFactor(of)
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(at(dx, 0), few)
	if of == kernel.MaxFactor {
		n.do("VMOVUPS", mem(few), y(i.Dst))
		return
	}
	n.do("VMOVUPS", mem(few), x(i.Dst))
	n.do("VINSERTF128", imm(1), mem(few.at(i.Place.Bytes()-pieceBytes)), y(i.Dst), y(i.Dst))
}

// groupStore writes them.
func (n *nest) groupStore(i *vector.Inst) {
	few := stack(n.fewBytes())
	n.do("VMOVUPS", y(i.Src[0].Index), mem(few))
	n.remaining()
	n.timesFactor(i.Place.Size())
	n.do("LEAQ", mem(n.element(i.Place)), gp(dx))
	n.copyBytes(few, at(dx, 0))
}

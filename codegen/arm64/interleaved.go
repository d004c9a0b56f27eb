package arm64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Interleave groups of a body (kernel.Member). Each member is loaded and stored by itself: its elements are a whole number of columns
// apart. Two members that fill lanes are separated by UZP1 and UZP2; elements of others are moved one by one, as in the tail.

const (
	opMemberLoad  = "MEMBERLOAD"
	opMemberStore = "MEMBERSTORE"
)

// member returns which member of an interleave group an operand is.
func member(k *kernel.Kernel, operand int) kernel.Member {
	if operand < len(k.In) {
		return k.In[operand].Member
	}
	return k.OutMemberOf(operand - len(k.In))
}

// whereMember returns the place of the elements that a member has in part p of a step.
func whereMember(c *vector.Copy, operand int, d ir.DType, p int) vector.Place {
	m, lanes := member(c.Graph.Kernel, operand), min(machine.Lanes(), machine.Width/d.Size())
	column := int(m.Of) * d.Size()
	disp := int(m.At)*d.Size() + column*lanes*p
	if !c.Tail {
		disp += column * machine.Lanes() * c.Number
	}
	return vector.PlaceOf(operand, d.Size(), disp, d.Size()*lanes).InTail(c.Tail)
}

// memberLanes calls do for each lane of a member and the address of its element, to which the access has to add t1. In the tail it
// stops after the columns that are left.
func (n *nest) memberLanes(p vector.Place, do func(lane int, at Memory)) {
	m, end := member(n.b.Graph.Kernel, p.Operand()), n.fresh("member")
	column := int(m.Of) * p.Size()
	first := (p.Disp() - int(m.At)*p.Size()) / column
	from := n.element(p)
	n.do("ADD", x(t0), x(from.Base), imm(from.Disp))
	n.do("MOVZ", x(t1), imm(column), imm(0))
	for lane := range p.Bytes() / p.Size() {
		if p.Tail && first+lane > 0 {
			n.do("CMP", x(leftReg), imm(first+lane))
			n.do("BLE", label(end))
		}
		do(lane, thenBy(t0, t1))
	}
	n.here(end)
}

// memberLoad loads a member. In the tail the other lanes are 0.
func (n *nest) memberLoad(i *vector.Inst) {
	p := i.Place
	m := member(n.b.Graph.Kernel, p.Operand())
	if m.Of == 2 && p.Bytes() == machine.Width && !p.Tail {
		from := n.element(p)
		from.Disp -= int(m.At) * p.Size()
		n.do("LDR.Q", v(scratchV), mem(from))
		n.do("LDR.Q", v(i.Dst), mem(vectorOf(from, 1)))
		n.do([]string{"UZP1.", "UZP2."}[m.At]+whole(p.Size()), v(i.Dst), v(scratchV), v(i.Dst))
		return
	}
	n.do("MOVI.2D", v(i.Dst), imm(0))
	n.memberLanes(p, func(lane int, at Memory) { n.do("LD1."+sizeName(p.Size()), v(i.Dst), imm(lane), mem(at)) })
}

// memberStore stores a member.
func (n *nest) memberStore(i *vector.Inst) {
	n.memberLanes(i.Place, func(lane int, at Memory) {
		n.do("ST1."+sizeName(i.Place.Size()), v(i.Src[0].Index), imm(lane), mem(at))
	})
}

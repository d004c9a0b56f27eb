package avo

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// The instructions of a body as lines of a program.

func (n *nest) insts(list []machineInst) {
	for i := range list {
		n.inst(&list[i])
	}
}

func (n *nest) inst(i *machineInst) {
	switch i.op {
	case opLoad:
		n.vector(i.dst, i.src[0])
		return
	case opSave:
		n.do("VMOVUPS", y(i.src[0].index), mem(n.address(i.to)))
		return
	case opMove:
		n.do("VMOVAPS", y(i.src[0].index), y(i.dst))
		return
	case opSplat:
		n.broadcast(i.place.operand, i.dst)
		return
	}
	if f, ok := special[i.name]; ok {
		f(n, i)
		return
	}
	n.plain(i)
}

// plain writes an instruction by its shape, sources and destination reversed
// from Intel's order.
func (n *nest) plain(i *machineInst) {
	var args []arg
	if i.op.imm {
		args = append(args, imm(int64(i.imm)))
	}
	for s := len(i.src) - 1; s >= 0; s-- {
		src := i.src[s]
		switch {
		case src.space != inRegister:
			args = append(args, mem(n.address(src)))
		case i.op.xall || i.op.xsrc && s == len(i.src)-1:
			args = append(args, x(src.index))
		default:
			args = append(args, y(src.index))
		}
	}
	dst := y(i.dst)
	if i.op.xdst || i.op.xall {
		dst = x(i.dst)
	}
	n.do(i.name, append(args, dst)...)
}

// special writes the instructions that are more than one, or address an operand.
var special = map[string]func(n *nest, i *machineInst){
	"KEEP": func(n *nest, i *machineInst) {
		n.do("VMOVUPS", y(i.src[0].index), mem(n.address(loc{space: inSlot, index: i.slot})))
	},
	"STORE":     func(n *nest, i *machineInst) { n.do("VMOVUPS", y(i.src[0].index), mem(n.element(i.place))) },
	"VMOVQ":     func(n *nest, i *machineInst) { n.do("VMOVQ", x(i.src[0].index), mem(n.element(i.place))) },
	"STOREHALF": func(n *nest, i *machineInst) { n.do("VMOVUPS", x(i.src[0].index), mem(n.element(i.place))) },
	"VMASKMOVPS": func(n *nest, i *machineInst) {
		n.do(i.name, mem(n.element(i.place)), y(i.src[0].index), y(i.dst))
	},
	"VMASKMOVPD": func(n *nest, i *machineInst) {
		n.do(i.name, mem(n.element(i.place)), y(i.src[0].index), y(i.dst))
	},
	"MASKSTOREPS": func(n *nest, i *machineInst) {
		n.do("VMASKMOVPS", y(i.src[1].index), y(i.src[0].index), mem(n.element(i.place)))
	},
	"MASKSTOREPD": func(n *nest, i *machineInst) {
		n.do("VMASKMOVPD", y(i.src[1].index), y(i.src[0].index), mem(n.element(i.place)))
	},
	"DETOUR":      (*nest).seldom,
	"MASK":        (*nest).mask,
	"NARROWLOAD":  (*nest).narrowLoad,
	"NARROWSTORE": (*nest).narrowStore,
	"STOREONE":    (*nest).storeOne,
	"INDEX":       (*nest).stepIndex,
	"DIVREM":      (*nest).divRem,
}

// vector loads a register.
func (n *nest) vector(dst int, from loc) {
	switch {
	case from.space == inConst && from.bits == 0:
		n.do("VXORPS", y(dst), y(dst), y(dst))
	case from.space == inOperand && from.place.bytes == 16:
		n.do("VMOVUPS", mem(n.address(from)), x(dst))
	case from.space == inOperand && from.place.bytes == 8:
		n.do("VMOVQ", mem(n.address(from)), x(dst))
	default:
		n.do("VMOVUPS", mem(n.address(from)), y(dst))
	}
}

// broadcast loads a splat operand into every lane.
func (n *nest) broadcast(operand, dst int) {
	p := n.pointer[operand]
	if p.reg < 0 {
		n.do("MOVQ", p.arg(), gp(ax))
		p.reg = ax
	}
	from := mem(at(p.reg, 0))
	switch d := n.dtype(operand); d.Size() {
	case 1, 2:
		n.do(readsOne(d), from, gp(ax))
		n.do("VMOVQ", gp(ax), x(dst))
		n.do("VPBROADCASTD", x(dst), y(dst))
	case 4:
		n.do("VBROADCASTSS", from, y(dst))
	case 8:
		n.do("VBROADCASTSD", from, y(dst))
	default:
		panic(noForm("broadcast", d))
	}
}

// readsOne returns the instruction that extends an element into a general register.
func readsOne(d ir.DType) string {
	name := map[int]string{1: "MOVBQ", 2: "MOVWQ"}[d.Size()]
	if ir.Signed.Has(d) {
		return name + "SX"
	}
	return name + "ZX"
}

// element returns the address of an operand at the present step. A pointer in the
// frame comes to dx, for the instruction that follows.
func (n *nest) element(p place) memory {
	from := n.pointer[p.operand]
	if from.reg < 0 {
		n.do("MOVQ", from.arg(), gp(dx))
		from.reg = dx
	}
	return at(from.reg, p.disp).indexed(index, p.size)
}

func (n *nest) address(l loc) memory {
	switch l.space {
	case inOperand:
		return n.element(l.place)
	case inConst:
		return symbol(constantName(l.bits))
	case inSlot:
		return stack(n.slots + 32*l.index)
	case inSpill:
		return stack(n.spills + 32*l.index)
	case inScratch:
		return stack(n.scratch + 32*l.index)
	case inAcc:
		m := stack(n.accs + 32*l.index)
		if n.b.turning() {
			m = m.indexed(n.turn, 1)
		}
		return m
	}
	panic("BUG: codegen/avo: a register has no address")
}

func constantName(bits uint64) string { return fmt.Sprintf("c%016x", bits) }

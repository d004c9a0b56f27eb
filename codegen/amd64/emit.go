package amd64

import (
	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
)

// The instructions of a body as lines of a program.

func (n *nest) insts(list []vector.Inst) {
	for i := range list {
		n.inst(&list[i])
	}
}

func (n *nest) inst(i *vector.Inst) {
	switch i.Op {
	case vector.OpLoad:
		n.vector(i.Dst, i.Src[0])
		return
	case vector.OpSave:
		n.save(i.Src[0].Index, n.address(i.To))
		return
	case vector.OpMove:
		n.move(i.Src[0].Index, i.Dst)
		return
	case vector.OpSplat:
		n.broadcast(i.Place.Operand(), i.Dst)
		return
	}
	write := special(i.Op.Name)
	if write == nil {
		write = n.t.special[i.Op.Name]
	}
	if write != nil {
		write(n, i)
		return
	}
	n.plain(i)
}

// plain writes an instruction by its opcode, with the operands in the order of Go's assembler, which is the reverse of
// Intel's.
func (n *nest) plain(i *vector.Inst) {
	name, immediate := i.Op.Name, i.Imm
	switch {
	case i.Op.Form == vector.FormFMA && i.Op.Imm:
		immediate = ternary(immediate, i.Fused)
	case i.Op.Form == vector.FormFMA:
		name = spelled(i.Op, fusedDigits[i.Fused])
	}
	var list [5]Arg
	args := list[:0]
	if i.Op.Imm {
		args = append(args, imm(int64(immediate)))
	}
	for s := len(i.Src) - 1; s >= 0; s-- {
		src := i.Src[s]
		switch {
		case src.Space == vector.InConst && src.Index == 0 && n.t.broadcasts:
			spelled, from := n.constant(name, src)
			name, args = spelled, append(args, from)
		case src.Space != vector.InRegister:
			args = append(args, mem(n.address(src)))
		case i.Op.Half || i.Op.HalfSrc && s == len(i.Src)-1:
			args = append(args, half(src.Index))
		default:
			args = append(args, n.reg(src.Index))
		}
	}
	dst := n.reg(i.Dst)
	if i.Op.HalfDst || i.Op.Half {
		dst = half(i.Dst)
	}
	n.do(name, append(args, dst)...)
}

// special returns what writes the opcodes that become several instructions, or address an operand, on every target.
func special(name string) instWriter {
	switch name {
	case vector.OpKeep.Name:
		return func(n *nest, i *vector.Inst) {
			n.save(i.Src[0].Index, n.address(vector.Loc{Space: vector.InSlot, Index: i.Slot}))
		}
	case "STORE":
		return (*nest).store
	case "DIVREM", "DIVREMU":
		return (*nest).divRem
	case vector.OpFirst.Name:
		return (*nest).storeFirst
	case vector.OpIndex.Name:
		return (*nest).stepIndex
	}
	return nil
}

// store stores whole vectors of an output.
func (n *nest) store(i *vector.Inst) {
	if n.storesPast {
		n.do("VMOVNTDQ", y(i.Src[0].Index), mem(n.element(i.Place)))
		return
	}
	n.save(i.Src[0].Index, n.element(i.Place))
}

// constant returns a constant as an operand of an instruction, and the instruction's name: that of its broadcasting form if it
// has one.
func (n *nest) constant(name string, c vector.Loc) (string, Arg) {
	if hasBroadcast(name) {
		return name + ".BCST", mem(symbol(constant(constBytes, c.Bits)))
	}
	return name, mem(symbol(constant(constVector, c.Bits)))
}

// reg returns a register by its number: numbers of mask registers follow those of vector registers.
func (n *nest) reg(r int) Arg {
	if r >= n.m.Registers {
		return mask(r - n.m.Registers + 1)
	}
	return y(r)
}

// load reads a register from where save stored it.
func (n *nest) load(from Memory, r int) { n.do(n.moves(r), mem(from), n.reg(r)) }
func (n *nest) save(r int, to Memory)   { n.do(n.moves(r), n.reg(r), mem(to)) }

func (n *nest) move(from, to int) {
	if from >= n.m.Registers {
		n.do("KMOVW", n.reg(from), n.reg(to))
	} else {
		n.do("VMOVAPS", y(from), y(to))
	}
}

// moves returns the instruction that moves a register from or to memory.
func (n *nest) moves(r int) string {
	if r >= n.m.Registers {
		return "KMOVW"
	}
	return "VMOVUPS"
}

// vector loads a register from memory.
func (n *nest) vector(dst int, from vector.Loc) {
	switch {
	case dst >= n.m.Registers:
		n.load(n.address(from), dst)
	case from.Space == vector.InConst && from.Index > 0:
		n.do("VMOVUPS", mem(n.address(from)), y(dst))
	case from.Space == vector.InConst && from.Bits == 0:
		n.do(n.t.opcode("VXORPS").Name, y(dst), y(dst), y(dst))
	case from.Space == vector.InConst && n.t.broadcasts:
		n.do("VBROADCASTSD", mem(n.address(from)), y(dst))
	case from.Space == vector.InOperand && from.Place.Bytes() == 8:
		n.do("VMOVQ", mem(n.address(from)), x(dst))
	case from.Space == vector.InOperand && from.Place.Bytes() == 16:
		n.do("VMOVUPS", mem(n.address(from)), x(dst))
	case from.Space == vector.InOperand && from.Place.Bytes() < n.m.Width:
		n.do("VMOVUPS", mem(n.address(from)), half(dst))
	default:
		n.do("VMOVUPS", mem(n.address(from)), y(dst))
	}
}

// broadcast loads the element of a splat operand into every lane.
func (n *nest) broadcast(operand, dst int) {
	p := n.pointer[operand]
	if p.reg < 0 {
		n.do("MOVQ", p.arg(), gp(ax))
		p.reg = ax
	}
	from := mem(at(p.reg, 0))
	switch d := n.dtype(operand); d.Size() {
	case 1, 2:
		all := broadcasts[n.m.Lane]
		if d.Size() == n.m.Lane {
			n.do(all, from, y(dst))
			return
		}
		n.do(readsOne(d), from, gp(ax))
		n.do("VMOVQ", gp(ax), x(dst))
		n.do(all, x(dst), y(dst))
	case 4:
		n.do("VBROADCASTSS", from, y(dst))
	case 8:
		n.do("VBROADCASTSD", from, y(dst))
	default:
		panic(noForm("broadcast", d))
	}
}

// broadcasts are the instructions that repeat an element, by its size in bytes.
var broadcasts = map[int]string{1: "VPBROADCASTB", 2: "VPBROADCASTW", 4: "VPBROADCASTD"}

// readsOne returns the instruction that extends an element into a general register.
func readsOne(d ir.DType) string {
	name := map[int]string{1: "MOVBQ", 2: "MOVWQ"}[d.Size()]
	if ir.Signed.Has(d) {
		return name + "SX"
	}
	return name + "ZX"
}

// stepIndex puts the index of the step into every lane.
func (n *nest) stepIndex(i *vector.Inst) {
	n.do("VMOVQ", gp(index), x(i.Dst))
	if i.Imm == 0 {
		n.do("VPBROADCASTD", x(i.Dst), y(i.Dst))
	} else {
		n.do("VPBROADCASTQ", x(i.Dst), y(i.Dst))
	}
}

// element returns the address of an operand at the present step. A pointer in the stack frame is loaded into dx, and
// the address is then valid for the next instruction only.
func (n *nest) element(p vector.Place) Memory {
	if n.inBlock {
		return n.together.address(p)
	}
	from := n.pointer[p.Operand()]
	if from.reg < 0 {
		n.do("MOVQ", from.arg(), gp(dx))
		from.reg = dx
	}
	return at(from.reg, p.Disp()).indexed(n.indexing(p.Size()))
}

func (n *nest) address(l vector.Loc) Memory {
	switch l.Space {
	case vector.InOperand:
		return n.element(l.Place)
	case vector.InConst:
		if l.Index > 0 {
			return symbol(constant(constTable, l.Bits))
		}
		return symbol(constant(constBytes, l.Bits))
	case vector.InSlot:
		return n.onStack(n.slots, l.Index)
	case vector.InSpill:
		return n.onStack(n.spills, l.Index)
	case vector.InScratch:
		return n.onStack(n.scratch, l.Index)
	case vector.InAcc:
		m := n.onStack(n.accs, l.Index)
		if n.b.Rotating() {
			m = m.indexed(n.phase, 1)
		}
		return m
	}
	panic("BUG: codegen/amd64: a register has no address")
}

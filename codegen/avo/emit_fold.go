package avo

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
)

// What a nest has more for folded outputs.

// layFolds gives the accumulators on the stack their place, and a register to
// the turn if they have one, as an offset from there.
func (n *nest) layFolds(take func() place64) {
	if n.b.rest == nil {
		return
	}
	n.turn = -1
	if n.b.accsOnStack() {
		n.accs = n.local(32 * accumulators(n.b.folds()))
	}
	if n.b.turnsOnStack() {
		n.turn = take().reg
	}
}

func (b *body) accsOnStack() bool { return len(b.accs) < accumulators(b.folds()) }

// turnsOnStack reports whether an offset finds accumulators on the stack.
func (b *body) turnsOnStack() bool { return b.turning() && b.accsOnStack() }

func (b *body) folds() []*fold { return foldsOf(b.k) }

// folded reports whether an operand is an output of one element a row.
func (n *nest) folded(operand int) bool {
	in := len(n.b.k.In)
	return operand >= in && n.b.k.FoldOf(operand-in) != ir.OpInvalid
}

// startFolds sets the accumulators to the identities of their ops.
func (n *nest) startFolds() {
	if n.b.rest == nil {
		return
	}
	inReg := map[int]int{} // registers by accumulator
	for _, p := range n.b.accs {
		inReg[n.b.g.at(p.v).slot] = p.reg
	}
	const scratch = 0 // pinned values are in the upper registers
	for _, f := range n.b.folds() {
		from, loaded := scratch, false
		load := func(reg int) {
			if !loaded {
				from, loaded = reg, true
				n.vector(reg, loc{space: inConst, bits: f.identity(n.b.g)})
			} else if reg != from {
				n.do("VMOVAPS", y(from), y(reg))
			}
		}
		for i := f.first; i < f.first+f.turns*parts(f.d); i++ {
			if reg, ok := inReg[i]; ok {
				load(reg)
				continue
			}
			if !loaded {
				load(scratch)
			}
			n.do("VMOVUPS", y(from), mem(stack(n.accs+32*i)))
		}
	}
	if n.turn >= 0 {
		n.do("XORQ", gp(n.turn), gp(n.turn))
	}
}

// nextTurn moves on by steps of 8 elements.
func (n *nest) nextTurn(steps int) {
	if !n.b.turning() {
		return
	}
	turns := n.b.g.turns
	for i := 0; i < len(n.b.accs); i += turns {
		group := n.b.accs[i : i+turns]
		for at := range steps { // the cycles of a rotation by one or two
			from := at
			n.do("VMOVAPS", y(group[at].reg), y(0))
			for ; from+steps < turns; from += steps {
				n.do("VMOVAPS", y(group[from+steps].reg), y(group[from].reg))
			}
			n.do("VMOVAPS", y(0), y(group[from].reg))
		}
	}
	if n.turn >= 0 {
		n.do("ADDQ", imm(int64(32*steps)), gp(n.turn))
		n.do("ANDQ", imm(int64(32*(n.b.g.turns-1))), gp(n.turn))
	}
}

// foldTail takes the last columns of a body unrolled by turns: a whole step as
// long as there are 8, then a part of one.
func (n *nest) foldTail() {
	n.here("tail")
	turns := n.b.g.turns
	part := func(turn int) string { return "part" + itoa(turn) }
	for turn := range turns - 1 {
		n.do("LEAQ", mem(at(index, 8*(turn+1))), gp(cx))
		n.do("CMPQ", gp(cx), gp(cols))
		n.do("JGT", label(part(turn)))
		n.insts(n.b.whole(turn))
	}
	for turn := turns - 1; turn >= 0; turn-- {
		if turn < turns-1 {
			n.here(part(turn))
		}
		if turn > 0 {
			n.do("ADDQ", imm(int64(8*turn)), gp(index))
		}
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JGE", label("fold"))
		n.insts(n.b.masked(turn))
		if turn > 0 {
			n.do("JMP", label("fold"))
		}
	}
}

// afterTail is the label after the last columns.
func (b *body) afterTail() string {
	if b.rest == nil {
		return "next"
	}
	return "fold"
}

// endFolds stores what the row gives.
func (n *nest) endFolds() {
	if n.b.rest == nil {
		return
	}
	n.here("fold")
	switch {
	case n.turn >= 0 && len(n.b.accs) > 0 && slices.ContainsFunc(n.b.k.Fold, ir.Op.Finds):
		n.turnBack()
	case n.turn >= 0:
		n.do("XORQ", gp(n.turn), gp(n.turn))
	}
	n.insts(n.b.last())
}

// turnBack goes on until the accumulators in registers and those on the stack stand
// where they began: places and elements belong together.
func (n *nest) turnBack() {
	n.here("turn")
	n.do("TESTQ", gp(n.turn), gp(n.turn))
	n.do("JEQ", label("back"))
	n.nextTurn(1)
	n.do("JMP", label("turn"))
	n.here("back")
}

// storeOne stores the first element of a vector.
func (n *nest) storeOne(i *machineInst) {
	v, p := i.src[0].index, n.pointer[i.place.operand]
	if p.reg < 0 {
		n.do("MOVQ", p.arg(), gp(dx))
		p.reg = dx
	}
	to := mem(at(p.reg, 0))
	switch i.place.size {
	case 1:
		n.do("VMOVQ", x(v), gp(ax))
		n.do("MOVB", byteOf(ax), to)
	case 4:
		n.do("VMOVD", x(v), to)
	case 8:
		n.do("VMOVQ", x(v), to)
	default:
		panic(fmt.Sprintf("BUG: codegen/avo: there is no fold of elements of %d bytes", i.place.size))
	}
}

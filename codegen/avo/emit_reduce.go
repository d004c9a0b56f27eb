package avo

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/codegen/machine"
)

// What a nest has besides for reductions: the accumulators' start, their rotation
// from step to step, the tail of a body unrolled by phases, and the end of a row.

// layReductions gives the accumulators on the stack their place, and a register to
// the offset that rotates if they have one.
func (n *nest) layReductions(take func() place64) {
	if !n.b.Reduces() {
		return
	}
	n.phase = -1
	if n.b.AccsOnStack() {
		n.accs = n.vectors(n.b.Graph.Accumulators())
	}
	if rotatesOnStack(n.b) {
		n.phase = take().reg
	}
}

// rotatesOnStack reports whether an offset finds accumulators on the stack.
func rotatesOnStack(b *machine.Body) bool { return b.Rotating() && b.AccsOnStack() }

// startReductions sets the accumulators to the identities of their combiners.
func (n *nest) startReductions() {
	if !n.b.Reduces() {
		return
	}
	inReg := map[int]int{} // registers by accumulator
	for _, p := range n.b.Accs {
		inReg[n.b.Graph.At(p.V).Slot] = p.Reg
	}
	for _, r := range n.b.Graph.Reductions {
		n.startReduction(r, inReg)
	}
	if n.phase >= 0 {
		n.do("XORQ", gp(n.phase), gp(n.phase))
	}
}

func (n *nest) startReduction(r *machine.Reduction, inReg map[int]int) {
	const scratch = 0 // pinned values are in the upper registers
	from, loaded := scratch, false
	load := func(reg int) {
		if !loaded {
			from, loaded = reg, true
			n.vector(reg, machine.Loc{Space: machine.InConst, Bits: r.Identity(n.b.Graph)})
		} else if reg != from {
			n.do("VMOVAPS", y(from), y(reg))
		}
	}
	for i := r.First; i < r.First+r.Phases*n.m.Parts(r.DType); i++ {
		if reg, ok := inReg[i]; ok {
			load(reg)
			continue
		}
		if !loaded {
			load(scratch)
		}
		n.do("VMOVUPS", y(from), mem(n.onStack(n.accs, i)))
	}
}

// rotate advances the accumulators by steps.
func (n *nest) rotate(steps int) {
	if !n.b.Rotating() {
		return
	}
	phases := n.b.Graph.Phases
	for i := 0; i < len(n.b.Accs); i += phases {
		group := n.b.Accs[i : i+phases]
		for at := range steps { // the cycles of a rotation by one or two
			from := at
			n.do("VMOVAPS", y(group[at].Reg), y(0))
			for ; from+steps < phases; from += steps {
				n.do("VMOVAPS", y(group[from+steps].Reg), y(group[from].Reg))
			}
			n.do("VMOVAPS", y(0), y(group[from].Reg))
		}
	}
	if n.phase >= 0 {
		n.do("ADDQ", imm(int64(n.m.Width*steps)), gp(n.phase))
		n.do("ANDQ", imm(int64(n.m.Width*(phases-1))), gp(n.phase))
	}
}

// phaseTail computes the last columns of a body unrolled by phases: whole steps as
// long as they fit, then a masked one.
func (n *nest) phaseTail() {
	n.here("tail")
	phases, lanes := n.b.Graph.Phases, n.lanes()
	part := func(phase int) string { return "part" + itoa(phase) }
	for phase := range phases - 1 {
		n.do("LEAQ", mem(at(index, lanes*(phase+1))), gp(cx))
		n.do("CMPQ", gp(cx), gp(cols))
		n.do("JGT", label(part(phase)))
		n.insts(n.b.Whole(phase))
	}
	for phase := phases - 1; phase >= 0; phase-- {
		if phase < phases-1 {
			n.here(part(phase))
		}
		if phase > 0 {
			n.do("ADDQ", imm(int64(lanes*phase)), gp(index))
		}
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JGE", label("fold"))
		n.insts(n.b.Masked(phase))
		if phase > 0 {
			n.do("JMP", label("fold"))
		}
	}
}

// endReductions stores the results of a row.
func (n *nest) endReductions() {
	if !n.b.Reduces() {
		return
	}
	n.here("fold")
	switch {
	case n.phase >= 0 && len(n.b.Accs) > 0 && n.hasArgReduction():
		n.rotateBack()
	case n.phase >= 0:
		n.do("XORQ", gp(n.phase), gp(n.phase))
	}
	n.insts(n.b.Last())
}

func (n *nest) hasArgReduction() bool {
	return slices.ContainsFunc(n.b.Graph.Reductions, func(r *machine.Reduction) bool { return r.Best != nil })
}

// rotateBack rotates until the accumulators in registers and those on the stack are
// where they began: positions and elements belong together.
func (n *nest) rotateBack() {
	n.here("turn")
	n.do("TESTQ", gp(n.phase), gp(n.phase))
	n.do("JEQ", label("back"))
	n.rotate(1)
	n.do("JMP", label("turn"))
	n.here("back")
}

// storeFirst stores the first element of a vector.
func (n *nest) storeFirst(i *machine.Inst) {
	v, p := i.Src[0].Index, n.pointer[i.Place.Operand]
	if p.reg < 0 {
		n.do("MOVQ", p.arg(), gp(dx))
		p.reg = dx
	}
	to := mem(at(p.reg, 0))
	switch i.Place.Size {
	case 1:
		n.do("VMOVQ", x(v), gp(ax))
		n.do("MOVB", byteOf(ax), to)
	case 4:
		n.do("VMOVD", x(v), to)
	case 8:
		n.do("VMOVQ", x(v), to)
	default:
		panic(fmt.Sprintf("BUG: codegen/avo: no store of %d bytes", i.Place.Size))
	}
}

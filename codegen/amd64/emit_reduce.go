package amd64

import (
	"fmt"
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
)

// The parts of a nest for reductions: the initial accumulators, their rotation from step to
// step, the tail of a body that is unrolled by phases, and the end of a row.

// allocateReductions assigns accumulators that do not fit into vector registers to the stack frame, and the
// offset by which they rotate to a general register.
func (n *nest) allocateReductions(take func() place64) {
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

// rotatesOnStack reports whether there are accumulators on the stack that rotate.
func rotatesOnStack(b *vector.Body) bool { return b.Rotating() && b.AccsOnStack() }

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
		each := r.Accumulators(n.b.Graph) / len(r.Combiners)
		for k := range r.Combiners {
			n.startAccumulators(r.First+each*k, each, r.Identity(n.b.Graph, k), inReg)
		}
	}
	if n.phase >= 0 {
		n.do("XORQ", gp(n.phase), gp(n.phase))
	}
}

// startAccumulators sets count accumulators to a constant. Those in registers are given by inReg.
func (n *nest) startAccumulators(first, count int, bits uint64, inReg map[int]int) {
	const scratch = 0 // is not pinned: pinned registers are the last ones
	from, loaded := scratch, false
	load := func(reg int) {
		if !loaded {
			from, loaded = reg, true
			n.vector(reg, vector.Loc{Space: vector.InConst, Bits: bits})
		} else if reg != from {
			n.do("VMOVAPS", y(from), y(reg))
		}
	}
	for i := first; i < first+count; i++ {
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
		for at := range steps { // a rotation by n steps has n cycles
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

// phaseTail computes the last columns of a body that is unrolled by phases: whole steps,
// then a masked one.
func (n *nest) phaseTail() {
	n.here("tail", "the last columns, fewer than an iteration has")
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
			n.here(part(phase), "the last of them, under a mask")
		}
		if phase > 0 {
			n.do("ADDQ", imm(int64(lanes*phase)), gp(index))
		}
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JGE", label("combine"))
		n.insts(n.b.Masked(phase))
		if phase > 0 {
			n.do("JMP", label("combine"))
		}
	}
}

// endReductions combines the accumulators of a row and stores the results.
func (n *nest) endReductions() {
	if !n.b.Reduces() {
		return
	}
	n.here("combine", "the row's accumulators become its results")
	switch {
	case n.phase >= 0 && len(n.b.Accs) > 0 && n.hasArgReduction():
		n.rotateBack()
	case n.phase >= 0:
		n.do("XORQ", gp(n.phase), gp(n.phase))
	}
	n.insts(n.b.Last())
}

// hasArgReduction reports whether an output is an arg-reduction.
func (n *nest) hasArgReduction() bool {
	return slices.ContainsFunc(n.b.Graph.Reductions, func(r *vector.Reduction) bool { return r.Best != nil })
}

// rotateBack rotates until all accumulators are where they began. An arg-reduction combines accumulators of elements with those
// of their positions, and one of the two may be in registers while the other is on the stack.
func (n *nest) rotateBack() {
	n.here("rotate", "accumulators return to their first registers")
	n.do("TESTQ", gp(n.phase), gp(n.phase))
	n.do("JEQ", label("rotated"))
	n.rotate(1)
	n.do("JMP", label("rotate"))
	n.here("rotated")
}

// storeFirst stores the first element of a vector.
func (n *nest) storeFirst(i *vector.Inst) {
	v, p := i.Src[0].Index, n.pointer[i.Place.Operand()]
	if p.reg < 0 {
		n.do("MOVQ", p.arg(), gp(dx))
		p.reg = dx
	}
	to := mem(at(p.reg, 0))
	switch i.Place.Size() {
	case 1:
		n.do("VMOVQ", x(v), gp(ax))
		n.do("MOVB", byteOf(ax), to)
	case 4:
		n.do("VMOVD", x(v), to)
	case 8:
		n.do("VMOVQ", x(v), to)
	default:
		panic(fmt.Sprintf("BUG: codegen/amd64: no store of %d bytes", i.Place.Size()))
	}
}

package arm64

import "github.com/stridefuse/stridefuse/codegen/vector"

// The parts of a nest for reductions: the initial accumulators, their rotation from step to step, the tail of a body that is unrolled by
// phases, and the end of a row.

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
			first := r.First + each*k
			for i := first; i < first+each; i++ {
				n.startAccumulator(i, r.Identity(n.b.Graph, k), inReg)
			}
		}
	}
	if n.rotates {
		n.do("MOV", x(phaseReg), x(zr))
	}
}

func (n *nest) startAccumulator(i int, bits uint64, inReg map[int]int) {
	if reg, ok := inReg[i]; ok {
		n.loadConst(reg, bits)
		return
	}
	n.loadConst(scratchV, bits)
	n.do("STR.Q", v(scratchV), mem(vectorOf(n.accs, i)))
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
			n.move(scratchV, group[at].Reg)
			for ; from+steps < phases; from += steps {
				n.move(group[from].Reg, group[from+steps].Reg)
			}
			n.move(group[from].Reg, scratchV)
		}
	}
	if n.rotates {
		n.do("ADD", x(phaseReg), x(phaseReg), imm(machine.Width*steps))
		n.do("AND", x(phaseReg), x(phaseReg), imm(machine.Width*(phases-1)))
	}
}

// phaseTail computes the last columns of a body that is unrolled by phases: whole steps, then a masked one.
func (n *nest) phaseTail() {
	phases, lanes := n.b.Graph.Phases, machine.Lanes()
	part := func(phase int) string { return "part" + itoa(phase) }
	for phase := range phases - 1 {
		n.do("CMP", x(leftReg), imm(lanes*(phase+1)))
		n.do("BLT", label(part(phase)))
		n.insts(n.b.Whole(phase))
	}
	for phase := phases - 1; phase >= 0; phase-- {
		if phase < phases-1 {
			n.here(part(phase))
		}
		if phase > 0 {
			n.do("SUBS", x(leftReg), x(leftReg), imm(lanes*phase))
			n.do("BEQ", label("combine"))
			n.advance(lanes * phase)
		}
		n.insts(n.b.Masked(phase))
		if phase > 0 {
			n.do("B", label("combine"))
		}
	}
}

// endReductions combines the accumulators of a row and stores the results.
func (n *nest) endReductions() {
	if !n.b.Reduces() {
		return
	}
	n.here("combine")
	switch {
	case n.rotates && len(n.b.Accs) > 0 && n.indexed():
		n.rotateBack()
	case n.rotates:
		n.do("MOV", x(phaseReg), x(zr))
	}
	n.insts(n.b.Last())
}

// rotateBack rotates until all accumulators are where they began. An arg-reduction combines accumulators of elements with those
// of their positions, and one of the two may be in registers while the other is on the stack.
func (n *nest) rotateBack() {
	n.here("rotate")
	n.do("CBZ", x(phaseReg), label("rotated"))
	n.rotate(1)
	n.do("B", label("rotate"))
	n.here("rotated")
}

// storeFirst stores the first element of a vector.
func (n *nest) storeFirst(i *vector.Inst) {
	n.rowOf(i.Place.Operand(), t0)
	n.do("STR."+partName(i.Place.Size()), v(i.Src[0].Index), mem(at(t0, 0)))
}

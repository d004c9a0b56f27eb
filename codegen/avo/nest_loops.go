package avo

import "github.com/stridefuse/stridefuse/codegen"

// The loops of a nest: whole iterations, masked steps, rows.

// lanes is how many elements a step has.
func (n *nest) lanes() int { return n.m.Lanes() }

// mainLoop computes whole iterations of a row.
func (n *nest) mainLoop() {
	n.loop("loop", func() {
		n.prefetch()
		n.insts(n.b.Main)
	})
}

// loop repeats an iteration as long as a whole one fits, and goes to the tail if
// none does. It keeps the last index from which one fits in ax, unless the body
// uses ax.
func (n *nest) loop(name string, body func()) {
	step := int64(n.lanes() * n.b.Unroll)
	n.do("MOVQ", gp(cols), gp(ax))
	n.do("SUBQ", imm(step), gp(ax))
	n.do("JLT", label("tail"))
	n.do("PCALIGN", imm(32))
	n.here(name)
	body()
	n.do("ADDQ", imm(step), gp(index))
	n.rotate(n.b.Unroll)
	if n.clobber {
		n.do("MOVQ", gp(cols), gp(ax))
		n.do("SUBQ", imm(step), gp(ax))
	}
	n.do("CMPQ", gp(index), gp(ax))
	n.do("JLE", label(name))
}

const (
	// prefetchAhead is how many bytes before their use a reducing kernel prefetches
	// operands.
	prefetchAhead = 1024
	// prefetchFrom is from how many instructions a step it does. The CPU looks some 250
	// instructions ahead; in a longer body that is too little to keep memory busy, in a
	// shorter one prefetches only take time.
	prefetchFrom = 6
)

// prefetch asks for the operands of later iterations of the main loop of a reducing
// kernel.
func (n *nest) prefetch() {
	if !n.b.Reduces() || len(n.b.Main) < prefetchFrom*n.b.Unroll {
		return
	}
	for i, in := range n.b.Graph.Kernel.In {
		size := in.DType.Size()
		for at := 0; at < n.lanes()*n.b.Unroll*size && !in.Splat; at += cacheLine {
			n.do("PREFETCHT0", mem(n.element(operandAt(i, size, prefetchAhead+at))))
		}
	}
}

// tailLoop computes the last columns in masked steps: one, or up to as many as the
// main loop is unrolled.
func (n *nest) tailLoop() {
	n.here("tail")
	n.do("CMPQ", gp(index), gp(cols))
	n.do("JGE", label(n.afterTail()))
	if n.b.Unroll > 1 {
		n.here("step")
	}
	n.insts(n.b.Tail)
	if n.b.Unroll > 1 {
		n.do("ADDQ", imm(int64(n.lanes())), gp(index))
		n.rotate(1)
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JLT", label("step"))
	}
}

// afterTail is the label after the last columns.
func (n *nest) afterTail() string {
	if n.b.Reduces() {
		return "fold"
	}
	return "next"
}

// nextRow advances all pointers by a row. After the last row they stay in place.
func (n *nest) nextRow() {
	n.here("next")
	n.nextOfTwo()
	n.do("DECQ", n.rows.arg())
	n.do("JLE", label("done"))
	n.movePointers()
	n.do("JMP", label("row"))
}

func (n *nest) movePointers() {
	n.do("MOVQ", frameArg(), gp(cx))
	for i, p := range n.pointer {
		step := mem(at(cx, codegen.FrameStep+8*i))
		if p.reg >= 0 {
			n.do("ADDQ", step, gp(p.reg))
			continue
		}
		n.do("MOVQ", step, gp(ax))
		n.do("ADDQ", gp(ax), p.arg())
	}
}

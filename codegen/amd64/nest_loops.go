package amd64

import "fmt"

// The loops of a nest: whole iterations, masked steps, rows.

// lanes returns the number of elements of a step.
func (n *nest) lanes() int { return n.m.Lanes() }

// step returns the number of elements of an iteration of the main loop.
func (n *nest) step() int64 { return int64(n.lanes() * n.b.Unroll) }

// mainLoop computes whole iterations of a row. It jumps to the tail if the row has none.
func (n *nest) mainLoop() {
	n.findLast()
	n.do("JLT", label("tail"))
	n.loop("loop", n.iteration())
}

// findLast puts the last index at which a whole iteration begins into ax.
func (n *nest) findLast() {
	n.do("MOVQ", gp(cols), gp(ax))
	n.do("SUBQ", imm(n.step()), gp(ax))
}

// loop writes a loop over whole iterations; ax has the index at which the last one begins. If the body overwrites ax, it
// is computed again after each iteration.
func (n *nest) loop(name, note string) {
	n.do("PCALIGN", imm(n.alignment()))
	n.here(name, note)
	if n.storesPast && n.past.ahead {
		n.prefetchAhead()
	}
	n.insts(n.b.Main)
	n.addIndex(n.step())
	n.rotate(n.b.Unroll)
	if n.clobber {
		n.findLast()
	}
	n.do("CMPQ", gp(index), gp(ax))
	n.do("JLE", label(name))
}

// iteration says what an iteration of the loops computes.
func (n *nest) iteration() string {
	return fmt.Sprintf("%d columns each: %s of %d", n.step(), counted(n.b.Unroll, "vector"), n.lanes())
}

// counted returns a number of things in words.
func counted(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return itoa(n) + " " + thing
}

// alignment returns the alignment of the loop's first instruction. A short loop that begins at a cache line fits into it: an
// iteration of a loop across two lines takes a Zen 3 one more cycle, unless the loop is among the shortest.
func (n *nest) alignment() int64 {
	if l := len(n.b.Main); l > 3 && l <= 12 {
		return 64
	}
	return 32
}

// tailLoop computes the last columns in masked steps, at most one per copy of the body in the main loop.
func (n *nest) tailLoop() {
	n.here("tail", "the last columns, fewer than an iteration has")
	n.do("CMPQ", gp(index), gp(cols))
	n.do("JGE", label(n.afterTail()))
	if n.b.Unroll > 1 {
		n.here("step", "a vector of them, the last one under a mask")
	}
	n.insts(n.b.Tail)
	if n.b.Unroll > 1 {
		n.addIndex(int64(n.lanes()))
		n.rotate(1)
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JLT", label("step"))
	}
}

// afterTail returns the label behind the last columns.
func (n *nest) afterTail() string {
	if n.b.Reduces() {
		return "combine"
	}
	return "next"
}

// nextRow advances the pointers to the next row, or ends the block after the last row.
func (n *nest) nextRow() {
	n.here("next", "the next row")
	n.do("DECQ", n.rows.arg())
	n.do("JLE", label(n.afterRows()))
	n.movePointers()
	n.do("JMP", label("row"))
}

// movePointers advances all pointers by a row.
func (n *nest) movePointers() {
	n.do("MOVQ", frameArg(), gp(cx))
	n.eachPointer(func(arg int, p place64) {
		step := mem(at(cx, frameStep+8*arg))
		if p.reg >= 0 {
			n.do("ADDQ", step, gp(p.reg))
			return
		}
		n.do("MOVQ", step, gp(ax))
		n.do("ADDQ", gp(ax), p.arg())
	})
}

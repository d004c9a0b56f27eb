package avo

import (
	"strconv"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/ir"
)

// nest writes the loops round a body: rows, within them the columns in steps of
// 8 or 16, then a tail of up to 8 columns at a time under a mask.
type nest struct {
	program
	b       *body
	pointer []place64 // of each operand
	rows    place64
	clobber bool // the body uses the scratch registers

	slots, spills, scratch, saved int // places in the frame
	accs                          int // the same of accumulators
	turn                          int // a register, or -1

	beside      []place64 // pointers in the other row of a pair
	pairs, side place64   // see pair.go

	exits                           []*exit // in the order of their tests
	places, kept, blockSpills, back int     // and what they have of the frame
}

// place64 is where a 64-bit value is: in a general register or in the frame.
type place64 struct {
	reg  int // or -1
	disp int
}

func (p place64) arg() arg {
	if p.reg >= 0 {
		return gp(p.reg)
	}
	return mem(stack(p.disp))
}

func itoa(n int) string { return strconv.Itoa(n) }

// emit writes the function of a body.
func (b *body) emit() *program {
	n := &nest{b: b}
	n.layFrame()
	n.prologue()
	n.here("row")
	n.insts(b.head)
	n.pinRow()
	n.startFolds()
	n.do("XORQ", gp(index), gp(index))
	n.pairLoop()
	n.mainLoop()
	if n.b.byTurns() {
		n.foldTail()
	} else {
		n.tailLoop()
	}
	n.endFolds()
	n.nextRow()
	n.here("done")
	n.do("VZEROUPPER")
	n.do("RET")
	n.detours()
	return &n.program
}

// layFrame gives everything its place: vectors on the stack, and what general
// registers don't reach for. Unit operands come first: one without a register
// takes a load more for each vector. A turn is an index, and has to have one.
func (n *nest) layFrame() {
	n.slots = n.local(32 * n.b.slots)
	n.spills = n.local(32 * n.b.spills)
	n.scratch = n.local(32 * n.b.scratch)
	if n.b.scratch > 0 {
		n.saved = n.local(8)
		n.clobber = true
	}
	n.layDetours()
	n.pointer = make([]place64, len(n.b.k.In)+len(n.b.k.Out))
	free := firstFree
	take := func(registers int) place64 {
		if free < registers {
			free++
			return place64{reg: free - 1}
		}
		return place64{reg: -1, disp: n.local(8)}
	}
	units := generalRegisters
	if n.b.turnsOnStack() {
		units--
	}
	for i := range n.pointer {
		if !n.splat(i) && !n.folded(i) {
			n.pointer[i] = take(units)
		}
	}
	n.layFolds(func() place64 { return take(generalRegisters) })
	n.layPair(func() place64 { return take(generalRegisters) })
	n.rows = take(generalRegisters)
	for i := range n.pointer {
		if n.splat(i) || n.folded(i) {
			n.pointer[i] = take(generalRegisters)
		}
	}
}

func (n *nest) splat(operand int) bool {
	return operand < len(n.b.k.In) && n.b.k.In[operand].Splat
}

func (n *nest) dtype(operand int) ir.DType {
	if in := n.b.k.In; operand >= len(in) {
		return n.b.k.OutType(operand - len(in))
	}
	return n.b.k.In[operand].DType
}

func (n *nest) prologue() {
	n.do("MOVQ", frameArg(), gp(cx))
	n.do("MOVQ", mem(at(cx, codegen.FrameCols)), gp(cols))
	n.do("TESTQ", gp(cols), gp(cols))
	n.do("JLE", label("done"))
	n.copyTo(at(cx, codegen.FrameRows), n.rows)
	if n.rows.reg >= 0 {
		n.do("TESTQ", n.rows.arg(), n.rows.arg())
	} else {
		n.do("TESTQ", gp(ax), gp(ax))
	}
	n.do("JLE", label("done"))
	for i, p := range n.pointer {
		n.copyTo(at(cx, codegen.FramePtr+8*i), p)
	}
	n.startPairs()
	for _, p := range n.b.pinned {
		if n.b.g.at(p.v).kind == kConst {
			n.vector(p.reg, loc{space: inConst, bits: n.b.g.at(p.v).bits})
		}
	}
}

// copyTo copies 8 bytes to a register, or through ax to the frame.
func (n *nest) copyTo(from memory, to place64) {
	if to.reg >= 0 {
		n.do("MOVQ", mem(from), gp(to.reg))
		return
	}
	n.do("MOVQ", mem(from), gp(ax))
	n.do("MOVQ", gp(ax), to.arg())
}

// pinRow loads the invariants of the row into their registers.
func (n *nest) pinRow() {
	for _, p := range n.b.pinned {
		switch v := n.b.g.at(p.v); {
		case v.kind == kSplat:
			n.broadcast(v.place.operand, p.reg)
		case v.kind != kConst:
			n.vector(p.reg, loc{space: inSlot, index: p.slot})
		}
	}
}

// mainLoop takes whole steps of a row.
func (n *nest) mainLoop() {
	n.loop("loop", func() {
		n.prefetch()
		n.insts(n.b.main)
	})
}

// loop repeats a step of the columns as long as a whole one fits, and goes to the
// tail if none does. It keeps the last index from which one does in ax, where the
// step leaves it there.
func (n *nest) loop(name string, body func()) {
	step := int64(8 * n.b.unroll)
	n.do("MOVQ", gp(cols), gp(ax))
	n.do("SUBQ", imm(step), gp(ax))
	n.do("JLT", label("tail"))
	n.do("PCALIGN", imm(32))
	n.here(name)
	body()
	n.do("ADDQ", imm(step), gp(index))
	n.nextTurn(n.b.unroll)
	if n.clobber {
		n.do("MOVQ", gp(cols), gp(ax))
		n.do("SUBQ", imm(step), gp(ax))
	}
	n.do("CMPQ", gp(index), gp(ax))
	n.do("JLE", label(name))
}

const (
	// ahead is how many bytes before their use a folding kernel asks for operands.
	ahead = 1024
	// slowFold is from how many instructions for 8 elements on it does: the machine
	// looks some 250 instructions ahead, which in a longer body is too little to keep
	// memory busy. In a shorter one asking is in the way.
	slowFold = 6
)

// prefetch asks for what later steps of the main loop of a folding kernel read.
func (n *nest) prefetch() {
	const line = 64
	if n.b.rest == nil || len(n.b.main) < slowFold*n.b.unroll {
		return
	}
	for i, in := range n.b.k.In {
		size := in.DType.Size()
		for at := 0; at < 8*n.b.unroll*size && !in.Splat; at += line {
			n.do("PREFETCHT0", mem(n.element(place{operand: i, size: size, disp: ahead + at})))
		}
	}
}

// wholeTails reports whether a masked step may have all 8 columns: after steps of
// 16 or 24. foldTail has whole steps besides.
func (b *body) wholeTails() bool { return b.unroll > 1 && !b.byTurns() }

// tailLoop takes the last columns, in masked steps: one, or up to as many as
// vectors in a step of the main loop.
func (n *nest) tailLoop() {
	n.here("tail")
	n.do("CMPQ", gp(index), gp(cols))
	n.do("JGE", label(n.b.afterTail()))
	if n.b.unroll > 1 {
		n.here("step")
	}
	n.insts(n.b.tail)
	if n.b.unroll > 1 {
		n.do("ADDQ", imm(8), gp(index))
		n.nextTurn(1)
		n.do("CMPQ", gp(index), gp(cols))
		n.do("JLT", label("step"))
	}
}

// nextRow moves all pointers down a row. The last row leaves them in place.
func (n *nest) nextRow() {
	n.here("next")
	n.nextOfPair()
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

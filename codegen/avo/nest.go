package avo

import (
	"strconv"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir"
)

// nest writes the loops round a body: rows, within them the columns in steps of the
// main loop, then the last columns in masked steps. Input is a Body and the frame
// of a call; output are the lines of a program.
//
//	prologue
//	row:  head of the row
//	loop: the main loop, while a whole iteration fits
//	tail: masked steps
//	next: pointers to the next row
type nest struct {
	program
	b       *machine.Body
	m       *machine.Machine
	pointer []place64 // of each operand
	rows    place64

	// clobber: the body uses the scratch registers, ax among them.
	clobber bool

	slots, spills, scratch, saved int // offsets in the frame
	accs                          int // the same of accumulators
	phase                         int // the register of the accumulators' offset, or -1

	second    []place64 // pointers in the other row of two streams
	pairs, on place64   // see twostream.go

	exits                             []*machine.Exit // in the order of their tests
	inputs, kept, coldSpills, resumes int             // and their offsets in the frame
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
func emit(b *machine.Body) *program {
	n := &nest{b: b, m: b.Graph.Machine()}
	n.layFrame()
	n.prologue()
	n.here("row")
	n.insts(n.b.Head)
	n.pinRow()
	n.startReductions()
	n.do("XORQ", gp(index), gp(index))
	n.twoStreamLoop()
	n.mainLoop()
	if n.b.PerPhase() {
		n.phaseTail()
	} else {
		n.tailLoop()
	}
	n.endReductions()
	n.nextRow()
	n.here("done")
	n.do("VZEROUPPER")
	n.do("RET")
	n.coldBlocks()
	return &n.program
}

// vectors takes places for vectors on the stack.
func (n *nest) vectors(count int) int { return n.local(n.m.Width * count) }

// layFrame gives everything its place: vectors on the stack, and what general
// registers do not suffice for. Unit operands come first: one without a register
// takes one more load for each vector. The phase is an index, so it needs a register.
func (n *nest) layFrame() {
	n.slots = n.vectors(n.b.Slots)
	n.spills = n.vectors(n.b.Spills)
	n.scratch = n.vectors(n.b.Scratch)
	if n.b.Scratch > 0 {
		n.saved = n.local(8)
		n.clobber = true
	}
	n.layColdBlocks()
	n.pointer = make([]place64, len(n.b.Graph.Kernel.In)+len(n.b.Graph.Kernel.Out))
	free := firstFree
	take := func(registers int) place64 {
		if free < registers {
			free++
			return place64{reg: free - 1}
		}
		return place64{reg: -1, disp: n.local(8)}
	}
	units := generalRegisters
	if rotatesOnStack(n.b) {
		units--
	}
	for i := range n.pointer {
		if !n.splat(i) && !n.reduced(i) {
			n.pointer[i] = take(units)
		}
	}
	n.layReductions(func() place64 { return take(generalRegisters) })
	n.layTwoStreams(func() place64 { return take(generalRegisters) })
	n.rows = take(generalRegisters)
	for i := range n.pointer {
		if n.splat(i) || n.reduced(i) {
			n.pointer[i] = take(generalRegisters)
		}
	}
}

func (n *nest) splat(operand int) bool {
	return operand < len(n.b.Graph.Kernel.In) && n.b.Graph.Kernel.In[operand].Splat
}

// reduced reports whether an operand is an output of one element a row.
func (n *nest) reduced(operand int) bool {
	in := len(n.b.Graph.Kernel.In)
	return operand >= in && n.b.Graph.Combiner(operand-in) != ir.OpInvalid
}

func (n *nest) dtype(operand int) ir.DType {
	if in := n.b.Graph.Kernel.In; operand >= len(in) {
		return n.b.Graph.OutType(operand - len(in))
	}
	return n.b.Graph.Kernel.In[operand].DType
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
	n.startTwoStreams()
	for _, p := range n.b.Pinned {
		if v := n.b.Graph.At(p.V); v.Kind == machine.KindConst {
			n.vector(p.Reg, machine.Loc{Space: machine.InConst, Bits: v.Bits})
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
	for _, p := range n.b.Pinned {
		switch v := n.b.Graph.At(p.V); {
		case v.Kind == machine.KindSplat:
			n.broadcast(v.Place.Operand, p.Reg)
		case v.Kind != machine.KindConst:
			n.vector(p.Reg, machine.Loc{Space: machine.InSlot, Index: p.Slot})
		}
	}
}

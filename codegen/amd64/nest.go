package amd64

import (
	"strconv"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// nest writes the loops around a body. For each row it computes the columns in iterations of the main loop, then the last
// columns in masked steps. It turns a Body into a program that reads an abi.Frame.
//
//	prologue
//	row:  head of the row
//	loop: the main loop, while a whole iteration fits
//	tail: masked steps
//	next: pointers to the next row
//
// Some nests also have a main loop that stores past the caches (nest_nontemporal.go) or blocks of rows of windows
// (rows_together.go).
type nest struct {
	Program
	b       *vector.Body
	t       *Target
	m       *vector.Machine
	pointer []place64 // of each operand
	args    []int     // the argument of each operand
	rows    place64

	multiples map[int]int // registers of multiples of the index, by the factor: see interleaved.go

	clobber bool // the body overwrites the scratch registers ax, cx and dx

	vectorArea                       // the vectors in the stack frame
	slots, spills, scratch, accs int // offsets in it; accs is that of the accumulators
	saved                        int // offset in the stack frame
	few                          int // offset of the bytes of a partial step in the stack frame, or -1: see bytes.go
	phase                        int // register of the offset that rotates the accumulators, or -1

	exits                    []*vector.Exit // to cold blocks, in the order of their tests
	inputs, kept, coldSpills int            // offsets in the area of vectors: inputs and results, saved registers, spills of cold blocks
	exit                     int            // offset in the stack frame: the number of the exit to a cold block

	past       *nonTemporal // the main loop that stores past the caches, or nil
	storesPast bool         // that loop is being written

	together *together // rows that are computed together, or nil
	inBlock  bool      // that block is being written
}

// place64 is the place of a 64-bit value: a general register or an offset in the stack frame.
type place64 struct {
	reg  int // or -1
	disp int // offset in the stack frame, if reg is -1
}

func (p place64) arg() Arg {
	if p.reg >= 0 {
		return gp(p.reg)
	}
	return mem(stack(p.disp))
}

func itoa(n int) string { return strconv.Itoa(n) }

// emit writes the function of a body, which may have a main loop that stores past the caches.
func emit(b *vector.Body, past *nonTemporal) *Program {
	n := &nest{b: b, few: -1, t: b.Graph.Target.(*Target), m: b.Graph.Machine(), past: past}
	n.together = newTogether(b)
	n.Lines = make([]Line, 0, 64+len(b.Head)+2*len(b.Main)+len(b.Tail)) // about as many as a nest without reductions has
	n.allocate()
	n.Notes = n.whereabouts
	n.prologue()
	n.choosePast()
	n.chooseTogether()
	n.here("row", "each row")
	n.insts(n.b.Head)
	n.pinRow()
	n.startReductions()
	n.beginIndex()
	n.mainLoop()
	if n.b.PerPhase() {
		n.phaseTail()
	} else {
		n.tailLoop()
	}
	n.endReductions()
	n.nextRow()
	n.here("done", "all rows are done")
	n.do("VZEROUPPER")
	n.do("RET")
	n.nonTemporalLoop()
	n.blocksOfRows()
	n.coldBlocks()
	return &n.Program
}

// allocate assigns vectors to the stack frame, and pointers and counters to general registers. When registers run out, the
// rest goes to the stack frame. Pointers of unit operands come first, as one in the stack frame costs a load for each
// vector. The phase is used as an index, so it must have a register.
func (n *nest) allocate() {
	n.slots = n.vectors(n.b.Slots)
	n.spills = n.vectors(n.b.Spills)
	n.scratch = n.vectors(n.b.Scratch)
	if n.b.Scratch > 0 {
		n.saved = n.local(8)
		n.clobber = true
	}
	n.reserveColdBlocks()
	n.pointer = make([]place64, len(n.b.Graph.Kernel.In)+len(n.b.Graph.Kernel.Out))
	free := n.allocateMultiples(firstFree)
	place := func(registers int) place64 { // one of the first general registers, if one is free
		if free < registers {
			free++
			return place64{reg: free - 1}
		}
		return place64{reg: -1, disp: n.local(8)}
	}
	units := GeneralRegisters
	if rotatesOnStack(n.b) {
		units--
	}
	for i := range n.pointer {
		switch {
		case n.member(i).At > 0:
			n.pointer[i] = n.pointer[i-1]
		case !n.splat(i) && !n.reduced(i):
			n.pointer[i] = place(units)
		}
	}
	n.allocateReductions(func() place64 { return place(GeneralRegisters) })
	n.placeVectors(func() int {
		if n.together != nil || free == GeneralRegisters { // its blocks take all registers
			return -1
		}
		return place(GeneralRegisters).reg
	})
	n.rows = place(GeneralRegisters)
	for i := range n.pointer {
		if n.splat(i) || n.reduced(i) {
			n.pointer[i] = place(GeneralRegisters)
		}
	}
}

// splat reports whether an operand is a splat.
func (n *nest) splat(operand int) bool {
	return operand < len(n.b.Graph.Kernel.In) && n.b.Graph.Kernel.In[operand].Splat
}

// member returns which member of an interleave group an operand is.
func (n *nest) member(operand int) kernel.Member {
	in := n.b.Graph.Kernel.In
	if operand < len(in) {
		return in[operand].Member
	}
	return n.b.Graph.Kernel.OutMemberOf(operand - len(in))
}

// eachPointer calls f for the pointer of each argument.
func (n *nest) eachPointer(f func(arg int, p place64)) {
	for i, p := range n.pointer {
		if n.member(i).At == 0 {
			f(n.args[i], p)
		}
	}
}

// reduced reports whether an operand is an output with one element for each row.
func (n *nest) reduced(operand int) bool {
	in := len(n.b.Graph.Kernel.In)
	return operand >= in && n.b.Graph.Combiner(operand-in) != ir.OpInvalid
}

// dtype returns the element type of an operand.
func (n *nest) dtype(operand int) ir.DType {
	if in := n.b.Graph.Kernel.In; operand >= len(in) {
		return n.b.Graph.OutType(operand - len(in))
	}
	return n.b.Graph.Kernel.In[operand].DType
}

// prologue reads the frame, and returns if there is nothing to compute. It loads the pinned
// constants.
func (n *nest) prologue() {
	n.do("MOVQ", frameArg(), gp(cx))
	n.do("MOVQ", mem(at(cx, frameCols)), gp(cols))
	n.do("TESTQ", gp(cols), gp(cols))
	n.do("JLE", label("done"))
	n.copyTo(at(cx, frameRows), n.rows)
	if n.rows.reg >= 0 {
		n.do("TESTQ", n.rows.arg(), n.rows.arg())
	} else {
		n.do("TESTQ", gp(ax), gp(ax))
	}
	n.do("JLE", label("done"))
	n.alignVectors()
	n.eachPointer(func(arg int, p place64) { n.copyTo(at(cx, framePtr+8*arg), p) })
	for _, p := range n.b.Pinned {
		if v := n.b.Graph.At(p.V); v.Kind == vector.KindConst {
			n.vector(p.Reg, vector.Loc{Space: vector.InConst, Bits: v.Bits, Index: v.Slot})
		}
	}
}

// copyTo copies 8 bytes to a register, or through ax to the stack frame.
func (n *nest) copyTo(from Memory, to place64) {
	if to.reg >= 0 {
		n.do("MOVQ", mem(from), gp(to.reg))
		return
	}
	n.do("MOVQ", mem(from), gp(ax))
	n.do("MOVQ", gp(ax), to.arg())
}

// pinRow loads a row's pinned invariants that the head does not leave in their registers.
func (n *nest) pinRow() {
	for _, p := range n.b.Pinned {
		switch v := n.b.Graph.At(p.V); {
		case v.Kind == vector.KindSplat:
			n.broadcast(v.Place.Operand(), p.Reg)
		case p.Slot >= 0:
			n.vector(p.Reg, vector.Loc{Space: vector.InSlot, Index: p.Slot})
		}
	}
}

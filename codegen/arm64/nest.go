package arm64

import (
	"slices"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// nest writes the loops around a body. For each row it computes the columns in iterations of the main loop, then the last
// columns in steps of the tail. It turns a Body into a program that reads an abi.Frame.
//
//	row:  pointers and head of the row
//	loop: the main loop, while a whole iteration fits
//	tail: steps of at most 4 elements
//	next: the next row
//
// Pointers of operands advance along the row.
type nest struct {
	Program
	b       *vector.Body
	t       *Target
	pointer []int // register of each operand that advances, or -1
	args    []int // the argument that each operand is in
	masks   int   // offset in the pool of the masks of the tail, or -1

	slots, spills, scratch, accs Memory // vectors on the stack
	rotates                      bool   // accumulators on the stack rotate, by phaseReg bytes

	exits                    []*vector.Exit // to cold blocks, in the order of their tests
	inputs, kept, coldSpills Memory         // inputs and results, saved registers, spills of cold blocks
	exit                     Memory         // the number of the exit to a cold block
}

// The general registers of a nest, for function r.
const (
	frameReg = iota // the kernel's argument
	poolReg         // the constants
	leftReg         // columns of the row behind those that the pointers have passed; in the main loop without those of an iteration
	rowReg          // the row
	indexReg        // the column, if the body reads it
	t0
	t1
	t2
	t3
	phaseReg
	firstPointer

	unitPointers = GeneralRegisters - firstPointer // operands that advance along a row
)

// The offsets of abi.Frame's fields in bytes. A test compares them with the Go struct.
const (
	frameRows = 0
	frameCols = 8
	framePtr  = 16
	frameStep = framePtr + 8*kernel.MaxOperands
)

// emit writes the function of a body.
func emit(b *vector.Body) *Program {
	n := &nest{b: b, t: b.Graph.Target.(*Target), args: b.Graph.Kernel.ArgsOf(), masks: -1}
	n.allocate()
	n.prologue()
	n.here("row")
	n.pointers()
	n.insts(b.Head)
	n.pinRow()
	n.startReductions()
	n.do("LDR", x(leftReg), mem(at(frameReg, frameCols)))
	if n.indexed() {
		n.do("MOV", x(indexReg), x(zr))
	}
	n.mainLoop()
	if b.PerPhase() {
		n.phaseTail()
	} else {
		n.tailLoop()
	}
	n.endReductions()
	n.here("next")
	n.do("ADD", x(rowReg), x(rowReg), imm(1))
	n.do("LDR", x(t0), mem(at(frameReg, frameRows)))
	n.do("CMP", x(rowReg), x(t0))
	n.do("BLT", label("row"))
	n.here("done")
	n.do("RET")
	n.coldBlocks()
	n.dropPool()
	return &n.Program
}

// vectors reserves places for vectors in the stack frame.
func (n *nest) vectors(count int) Memory { return n.local(machine.Width * count) }

// vectorOf returns the address of vector i of those that begin at an address.
func vectorOf(m Memory, i int) Memory {
	m.Disp += machine.Width * i
	return m
}

// allocate assigns pointers to general registers, and vectors to the stack frame.
func (n *nest) allocate() {
	n.slots, n.spills, n.scratch = n.vectors(n.b.Slots), n.vectors(n.b.Spills), n.vectors(n.b.Scratch)
	n.reserveColdBlocks()
	if n.b.Reduces() && n.b.AccsOnStack() {
		n.accs = n.vectors(n.b.Graph.Accumulators())
		n.rotates = n.b.Rotating()
	}
	next := firstPointer
	for i := range len(n.b.Graph.Kernel.In) + len(n.b.Graph.Kernel.Out) {
		reg := -1
		switch {
		case member(n.b.Graph.Kernel, i).At > 0:
			reg = n.pointer[i-1]
		case !n.splat(i) && !n.reduced(i):
			reg = r(next)
			next++
		}
		n.pointer = append(n.pointer, reg)
	}
}

// splat reports whether an operand is a splat.
func (n *nest) splat(operand int) bool {
	in := n.b.Graph.Kernel.In
	return operand < len(in) && in[operand].Splat
}

// reduced reports whether an operand is an output with one element for each row.
func (n *nest) reduced(operand int) bool {
	in := len(n.b.Graph.Kernel.In)
	return operand >= in && n.b.Graph.Combiner(operand-in) != ir.OpInvalid
}

// dtype returns the element type of an operand.
func (n *nest) dtype(operand int) ir.DType {
	in := n.b.Graph.Kernel.In
	if operand >= len(in) {
		return n.b.Graph.OutType(operand - len(in))
	}
	return in[operand].DType
}

// indexed reports whether the body reads the column.
func (n *nest) indexed() bool {
	for i := range n.b.Graph.Reductions {
		if n.b.Graph.Reductions[i].Best != nil {
			return true
		}
	}
	return false
}

// prologue returns if there is nothing to compute, and loads the pinned constants.
func (n *nest) prologue() {
	n.do(OpFrame, x(frameReg))
	for _, field := range []int{frameCols, frameRows} {
		n.do("LDR", x(t0), mem(at(frameReg, field)))
		n.do("CMP", x(t0), imm(0))
		n.do("BLE", label("done"))
	}
	n.do(OpPool, x(poolReg))
	for _, p := range n.b.Pinned {
		if v := n.b.Graph.At(p.V); v.Kind == vector.KindConst {
			n.load(p.Reg, vector.Loc{Space: vector.InConst, Bits: v.Bits, Index: v.Slot})
		}
	}
	n.do("MOV", x(rowReg), x(zr))
}

// dropPool removes the line that loads the address of the constants, if there are none.
func (n *nest) dropPool() {
	if len(n.Pool) > 0 {
		return
	}
	for i, l := range n.Lines {
		if l.Op == OpPool {
			n.Lines = append(n.Lines[:i], n.Lines[i+1:]...)
			return
		}
	}
}

// pointers sets the pointers of the operands that advance to the first column of the row.
func (n *nest) pointers() {
	for i, reg := range n.pointer {
		if reg >= 0 && member(n.b.Graph.Kernel, i).At == 0 {
			n.rowOf(i, reg)
		}
	}
}

// rowOf sets a register to the address of an operand in the row.
func (n *nest) rowOf(operand, reg int) {
	arg := n.args[operand]
	n.do("LDR", x(reg), mem(at(frameReg, framePtr+8*arg)))
	n.do("LDR", x(t1), mem(at(frameReg, frameStep+8*arg)))
	n.do("MADD", x(reg), x(t1), x(rowReg), x(reg))
}

// pinRow loads a row's pinned invariants that the head does not leave in their registers.
func (n *nest) pinRow() {
	for _, p := range n.b.Pinned {
		switch node := n.b.Graph.At(p.V); {
		case node.Kind == vector.KindSplat:
			n.broadcast(node.Place.Operand(), p.Reg)
		case p.Slot >= 0:
			n.do("LDR.Q", v(p.Reg), mem(vectorOf(n.slots, p.Slot)))
		}
	}
}

// step returns the number of elements of an iteration of the main loop.
func (n *nest) step() int { return machine.Lanes() * n.b.Unroll }

// postIncrement lets an access of a main loop, which begins at a line, advance each pointer whose accesses are in order and without gaps. The
// first access advances the pointer by the whole iteration, and the others have negative offsets, so that they wait for one addition
// instead of one each. It returns those pointers. Cold blocks read operands at the pointers, so a loop with one has no such accesses.
func (n *nest) postIncrement(begin int) (advanced []int) {
	if len(n.exits) > 0 {
		return nil
	}
	for operand, reg := range n.pointer {
		whole := n.step() * n.dtype(operand).Size()
		var accesses []*Arg
		next := 0
		for i := range n.Lines[begin:] {
			l := &n.Lines[begin+i]
			for a := range l.Args {
				if m := &l.Args[a]; m.Kind == ArgMem && m.Mem.Base == reg && next >= 0 {
					if m.Mem.Disp != next || !bytesOf[l.Op].reaches(whole, len(accesses) == 0) {
						next = -1
						break
					}
					accesses = append(accesses, m)
					next += bytesOf[l.Op].bytes
				}
			}
		}
		if reg < 0 || next != whole {
			continue
		}
		for i, m := range accesses {
			m.Mem.Disp -= whole
			if i == 0 {
				m.Mem.Post, m.Mem.Disp = true, whole
			}
		}
		advanced = append(advanced, reg)
	}
	return advanced
}

// access is how many bytes an instruction accesses, and the least constant that is too large to add to its pointer.
type access struct{ bytes, beyond int }

// bytesOf has the accesses to operands in a main loop.
var bytesOf = map[string]access{
	"LDR.S": {4, 256}, "LDR.D": {8, 256}, "LDR.Q": {16, 256}, "STR.S": {4, 256}, "STR.D": {8, 256}, "STR.Q": {16, 256},
	"LDP.Q": {32, 1024}, "STP.Q": {32, 1024},
}

// reaches reports whether the access can be at an offset between -whole and 0, or can be the first one, which advances by whole.
func (a access) reaches(whole int, first bool) bool {
	return whole < a.beyond || !first && whole == a.beyond
}

// advance moves the pointers by elements, except those that have moved.
func (n *nest) advance(elements int, moved ...int) {
	for i, reg := range n.pointer {
		if m := member(n.b.Graph.Kernel, i); reg >= 0 && elements > 0 && m.At == 0 && !slices.Contains(moved, reg) {
			n.do("ADD", x(reg), x(reg), imm(elements*n.dtype(i).Size()*max(1, int(m.Of))))
		}
	}
	if n.indexed() && elements > 0 {
		n.do("ADD", x(indexReg), x(indexReg), imm(elements))
	}
}

// mainLoop computes whole iterations of a row, and leaves the number of other columns in leftReg.
func (n *nest) mainLoop() {
	n.do("SUBS", x(leftReg), x(leftReg), imm(n.step()))
	n.do("BLT", label("tail"))
	n.do(OpAlign, imm(16))
	n.here("loop")
	body := len(n.Lines)
	n.insts(pairAccesses(n.b.Main, slices.Concat(n.b.Accs, n.b.Pinned)))
	n.joinPairs(body)
	advanced := n.postIncrement(body)
	n.advance(n.step(), advanced...)
	n.rotate(n.b.Unroll)
	n.do("SUBS", x(leftReg), x(leftReg), imm(n.step()))
	n.do("BGE", label("loop"))
	n.here("tail")
	n.do("ADDS", x(leftReg), x(leftReg), imm(n.step()))
	n.do("BEQ", label(n.afterTail()))
}

// tailLoop computes the last columns, in at most one step for each copy of the body in the main loop.
func (n *nest) tailLoop() {
	if n.b.Unroll == 1 {
		n.insts(n.b.Tail)
		return
	}
	n.here("step")
	n.insts(n.b.Tail)
	n.advance(machine.Lanes())
	n.rotate(1)
	n.do("SUBS", x(leftReg), x(leftReg), imm(machine.Lanes()))
	n.do("BGT", label("step"))
}

// afterTail returns the label behind the last columns.
func (n *nest) afterTail() string {
	if n.b.Reduces() {
		return "combine"
	}
	return "next"
}

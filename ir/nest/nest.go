// Package nest is the schedule of a plan: what a machine does, as data. A plan's steps
// say what is computed; a nest says by which loops, in blocks of what size, with which
// calls of kernels, and through which local memory. It has a text that parses back, a
// verifier and an evaluator. Package passes/schedule makes nests, package runtime runs
// them, and neither imports the other.
package nest

import (
	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Program is a plan with its schedule.
type Program struct {
	Name    string
	Buffers []plan.Buffer
	Arena   int    // bytes that the temporaries need together
	Tasks   []Task // one after the other
	Ledger  []plan.Decision
}

// Task is what several goroutines compute together: one step of the plan, or the steps
// of a row group. The iterations of its parts' loops are independent of each other. A step
// that needs it has several tasks, one after the other; the first of them has its choice.
type Task struct {
	First, Last int    // the steps of the plan that it computes
	Pos         ir.Pos // the line of the user's that the first of them comes from
	Slots       []Slot
	Scratch     int    // bytes of local memory that one goroutine needs
	Parts       []Nest // in any order, and at the same time
	Choices     []Choice
	Work        float64 // estimate of what it costs, in float32 additions
	Elems       int     // of the steps' index spaces together
	Block       int     // of a row group: how many rows an iteration takes; else 0
}

// Continues reports whether a task goes on with the step of the task before it.
func (p *Program) Continues(task int) bool {
	t := &p.Tasks[task]
	return task > 0 && t.First == t.Last && p.Tasks[task-1].First == t.First && p.Tasks[task-1].Last == t.Last
}

// Slot is memory that calls read and write.
type Slot struct {
	Kind  SlotKind
	DType ir.DType
	// Buffer is that of the program, for Operand.
	Buffer int
	// Offset is the first byte in the goroutine's local memory, for Scratch; a multiple
	// of 64.
	Offset int
	// Elems is how many elements Scratch, Table and Bytes hold.
	Elems int
	// Bits is what each element of a Table is.
	Bits uint64
}

// SlotKind says whose memory a slot is.
type SlotKind uint8

// The kinds of slot.
const (
	Operand SlotKind = iota // a buffer of the program
	Scratch                 // of the goroutine: nothing is kept from one iteration of a part to the next
	Table                   // the same element again and again, never written
	Bytes                   // the 256 elements of one byte in the order of their bits, never written
)

// Nest is loops round items: for each combination of the loops' iterations, the outer
// loop first, its items run in order. A part of a task has at least no loop: then it
// is one iteration.
type Nest struct {
	Loops []Loop
	Items []Item
}

// Loop runs over Extent indices, Tile at a time: the last iteration may have fewer. The
// loops that enclose an item are numbered from the outermost one, a part's first loop
// being 0.
type Loop struct {
	Extent Size
	Tile   int
}

// Item is a call or a nest: one of the two is set.
type Item struct {
	Call *Call
	Nest *Nest
}

// Size is a number of elements: N, or N times the indices of the present iteration of
// an enclosing loop.
type Size struct {
	Loop int // -1 for none
	N    int
}

// Fixed returns a size that is the same in every iteration.
func Fixed(n int) Size { return Size{-1, n} }

// Of returns as many as the present iteration of a loop has indices.
func Of(loop int) Size { return Size{loop, 1} }

// Call calls a kernel on a block of Rows x Cols elements.
type Call struct {
	Kernel kernel.Code
	Rows   Size
	Cols   Size
	Args   []Arg
	Fields []Size // of Kernel.Fields: those in bytes are in bytes here
	// NonTemporal has the kernel store past the caches: see kernel.NonTemporal.
	NonTemporal bool
}

// Arg is where a call finds an argument: at Offset plus, for each enclosing loop, its
// iteration times the loop's stride. All count elements of the slot's type, which the
// argument's type may differ from where a kernel copies bytes.
type Arg struct {
	Slot    int
	Offset  int
	Strides []int // of the enclosing loops
	Step    int   // from one line of the argument to the next: see kernel.Arg
}

// Choice says how a step is computed, and what was not chosen.
type Choice struct {
	Strategy    string
	Kernel      string  // the signature of what computes the elements
	Engine      string  // of that kernel, "avx2" or "portable"; "avx2+portable" for a tiling of both
	Kernels     int     // 1, or how many kernels a tiling calls
	Cost        float64 // estimate in additions
	Packed      []int   // operands of the step that go through local memory, the inputs first
	NonTemporal []int   // outputs that are stored past the caches
	Rejected    []Rejected
}

// Rejected is a strategy that was not chosen: what it costs at least, or why it can't
// compute the step.
type Rejected struct {
	Strategy string
	Cost     float64
	Why      string
}

// Buffer returns the slot of a program's buffer.
func Buffer(buffer int, d ir.DType) Slot { return Slot{Kind: Operand, DType: d, Buffer: buffer} }

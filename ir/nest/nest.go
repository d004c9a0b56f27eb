// Package nest describes schedules: what a machine does to compute a plan, as data. A plan's steps say what is computed; a nest says by which
// loops, in blocks of which size, with which calls of kernels, and through which local memory. Nests have a text that parses
// back, a verifier and an evaluator. Package passes/schedule makes nests, package runtime runs them, and neither imports the
// other.
package nest

import (
	"iter"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// Program is a plan with its schedule.
type Program struct {
	Name    string
	Buffers []plan.Buffer
	Arena   int    // bytes that all temporaries together need
	Tasks   []Task // in order of execution
	Ledger  []plan.Decision
}

// Task is a unit of work for several goroutines: one step of the plan, or the steps of a row group. The iterations of its parts'
// loops are independent of each other. A step may need several tasks, one after the other; the first of them has its choice.
type Task struct {
	First, Last int    // the steps of the plan that it computes
	Pos         ir.Pos // the user's line that the first step comes from
	Slots       []Slot
	Scratch     int    // bytes of local memory that one goroutine needs
	Parts       []Nest // in any order, and at the same time; they never change: see Loops
	Choices     []Choice
	Work        float64 // estimated cost, in float32 additions
	Elems       int     // size of the steps' index spaces together
	Block       int     // of a row group: the number of rows of an iteration; else 0
}

// Loops identifies the parts of a task; nil if there are none. Tasks with equal loops may share one list of Parts, as the layers
// of a model do: Loops then returns the same pointer for each, and the tasks differ only in their other fields, such as the
// buffers of their slots. What is derived from the parts of one task holds for the others.
func (t *Task) Loops() *Nest {
	if len(t.Parts) == 0 {
		return nil
	}
	return &t.Parts[0]
}

// Of returns the parts with only those items that are for a step of the plan, if the task has several.
func (t *Task) Of(step int) []Nest {
	if t.First == t.Last {
		return t.Parts
	}
	var parts []Nest
	for i := range t.Parts {
		part := Nest{Loops: t.Parts[i].Loops}
		for _, it := range t.Parts[i].Items {
			if t.First+it.Step == step {
				part.Items = append(part.Items, it)
			}
		}
		if len(part.Items) > 0 {
			parts = append(parts, part)
		}
	}
	return parts
}

// Continues reports whether a task continues the step of the task before it.
func (p *Program) Continues(task int) bool {
	t := &p.Tasks[task]
	return task > 0 && t.First == t.Last && p.Tasks[task-1].First == t.First && p.Tasks[task-1].Last == t.Last
}

// Slot is memory that calls read and write.
type Slot struct {
	Kind  SlotKind
	DType ir.DType
	// Buffer is the program's buffer, for Operand.
	Buffer int
	// Offset is the first byte in the goroutine's local memory, for Scratch. It is a multiple of 64.
	Offset int
	// Elems is the number of elements of Scratch, Table and Bytes.
	Elems int
	// Bits is the value of each element of a Table.
	Bits uint64
}

// SlotKind is the kind of memory of a slot.
type SlotKind uint8

// The kinds of slot.
const (
	Operand SlotKind = iota // a buffer of the program
	Scratch                 // local to the goroutine; iterations of a part do not keep its content
	Table                   // one element, repeated; never written
	Bytes                   // the 256 1-byte elements in the order of their bits; never written
)

// Nest is loops around items: for each combination of the loops' iterations, the last loop fastest, its items run in
// order. A part of a task may have no loop, and is then one iteration.
type Nest struct {
	Loops []Loop
	Items []Item
}

// Loop runs over Extent indices, Tile at a time; the last iteration may have fewer. The loops that enclose an item are numbered
// from the outermost one. A part's first loop is number 0.
type Loop struct {
	Extent Size
	Tile   int
	Name   string // of the axis that it goes through, such as a symbolic size, or "": see Named
}

// Item is a call or a nest: one of the two is set.
type Item struct {
	Call *Call
	Nest *Nest
	Step int // of an item of a part, if its task has several steps: the step that it is for, counted from the task's first
}

// Size is a number of elements: N, or N times the indices of the present iteration of
// an enclosing loop.
type Size struct {
	Loop int // -1 for none
	N    int
}

// Fixed returns a size that is n in every iteration.
func Fixed(n int) Size { return Size{-1, n} }

// Of returns the size of the present iteration of a loop: its number of indices.
func Of(loop int) Size { return Size{loop, 1} }

// Call calls a kernel on a block of Rows x Cols elements.
type Call struct {
	Kernel kernel.Code
	Rows   Size
	Cols   Size
	Args   []Arg
	Fields []Size // the values of Kernel.Fields; distances are in bytes
	// NonTemporal makes the kernel store past the caches: see kernel.NonTemporal.
	NonTemporal bool
}

// Arg is the place of a call's argument: Offset plus, for each enclosing loop, the iteration times the loop's stride. All of these
// count elements of the slot's type. The argument's type may be another one if the kernel copies bytes.
type Arg struct {
	Slot    int
	Offset  int
	Strides []int // of the enclosing loops
	Step    int   // distance of the argument's lines: see kernel.Arg
}

// Choice records how a step is computed, and which strategies were not chosen.
type Choice struct {
	Strategy    string
	Kernel      string  // the signature of the kernel that computes the elements
	Engine      string  // of that kernel, "avx2" or "portable"; "avx2+portable" for a tiling of both
	Kernels     int     // 1, or the number of kernels that a tiling calls
	Cost        float64 // estimated, in additions
	Packed      []int   // operands of the step that go through local memory, the inputs first
	NonTemporal []int   // outputs that are stored past the caches
	Entries     int     // of lookup tables: how many elements the kernels compute, and all others are looked up; else 0
	Rejected    []Rejected
}

// Rejected is a strategy that was not chosen, with its least cost or the reason why it can't compute the step.
type Rejected struct {
	Strategy string
	Cost     float64
	Why      string
}

// Buffer returns the slot of a program's buffer.
func Buffer(buffer int, d ir.DType) Slot { return Slot{Kind: Operand, DType: d, Buffer: buffer} }

// Calls yields the calls of nests, those of the nests in them included.
func Calls(nests []Nest) iter.Seq[*Call] {
	return func(yield func(*Call) bool) {
		for c := range CallCounts(nests) {
			if !yield(c) {
				return
			}
		}
	}
}

// CallCounts yields the calls of nests, as Calls does, with the number of times that each runs, at most: the last iteration of
// a loop may cover fewer indices, and have fewer iterations inside. Rows and columns of the calls have their numbers N for the
// first iteration: the yielded Call is a copy with sizes that refer to no loop.
func CallCounts(nests []Nest) iter.Seq2[*Call, int] {
	return func(yield func(*Call, int) bool) { yieldCalls(nests, nil, 1, yield) }
}

// yieldCalls is CallCounts for nests inside loops. An iteration of loop i covers covers[i] indices, and the nests run times times.
func yieldCalls(nests []Nest, covers []int, times int, yield func(*Call, int) bool) bool {
	fixed := func(s Size, covers []int) Size {
		if s.Loop >= 0 && s.Loop < len(covers) {
			return Fixed(s.N * covers[s.Loop])
		}
		return Fixed(s.N)
	}
	for i := range nests {
		inside, n := slices.Clip(covers), times
		for _, l := range nests[i].Loops {
			extent := fixed(l.Extent, inside).N
			inside, n = append(inside, min(extent, l.Tile)), n*((extent+l.Tile-1)/max(l.Tile, 1))
		}
		for _, it := range nests[i].Items {
			if it.Call != nil {
				c := *it.Call
				c.Rows, c.Cols = fixed(c.Rows, inside), fixed(c.Cols, inside)
				if !yield(&c, n) {
					return false
				}
			}
			if it.Nest != nil && !yieldCalls([]Nest{*it.Nest}, inside, n, yield) {
				return false
			}
		}
	}
	return true
}

package plan

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Plan is a program for one binding of sizes and input layouts: buffers and
// the steps that fill them. It holds no data and no pointers.
type Plan struct {
	Name    string
	Buffers []Buffer // params, results, constants, temporaries
	Steps   []FlatStep
	Rows    []RowGroup // in order, without a common step
	Arena   int        // bytes that the temporaries need together
	Ledger  []Decision
}

// BufferKind says who owns a buffer's memory.
type BufferKind uint8

// The kinds of buffer.
const (
	ParamBuffer   BufferKind = iota // the caller's input, never written
	ResultBuffer                    // the caller's output, row-major
	ConstBuffer                     // one element, of the plan
	TempBuffer                      // a range of the arena, row-major
	ScratchBuffer                   // of a row group: one block of rows
	IotaBuffer                      // 0, 1, 2, ... of a type of Ints: a table that no plan owns
)

// ReadOnly reports whether no step writes such a buffer.
func (k BufferKind) ReadOnly() bool {
	return k == ParamBuffer || k == ConstBuffer || k == IotaBuffer
}

// Buffer is a linear run of elements.
type Buffer struct {
	Kind  BufferKind
	DType ir.DType
	Shape []int
	At    *layout.Layout // param: where the elements sit; nil is row-major
	Name  string
	Index int    // param, result: its position among its kind
	Bits  uint64 // const: the element
	// Offset is in bytes, a multiple of 64: of a temporary from the start of the
	// arena, of a scratch buffer's block from the start of its group's scratch.
	Offset int
}

// Size returns the number of elements.
func (b *Buffer) Size() int {
	n := 1
	for _, e := range b.Shape {
		n *= e
	}
	return n
}

// Step runs a kernel over an index space: for each index of Extents, operand
// o is at o.Offset + sum index*o.Strides, in elements of its buffer. The last
// axis is the kernel's columns, the one before its rows.
//
// Where the kernel folds an output, the columns are the folded axis, cut into
// chunks of FoldChunk: along it that output's stride is from chunk to chunk.
//
// Where Down is set, the rows are the folded axis. An output whose buffer the
// kernel also reads accumulates: its instruction combines that operand with the
// element of the row. The executor calls the kernel so that each chunk of
// FoldChunk rows is folded as FoldRow says, lane by lane; the accumulators'
// strides along the rows are from chunk to chunk.
//
// Where the kernel is a DotKernel, the last three axes are the pairs, the rows and
// the columns of a product; the left operand stays where it is along the columns,
// the right one along the rows, the output along the pairs. With Panels, the right
// matrix is packed: its columns in panels of DotColumns, one panel
// behind the other, each row by row; the last may lack columns. The operand then has the strides
// 1 along the pairs and the number of pairs along the columns: as columns would
// lie one behind the other, and as the panels do.
//
// Where Scan is set, the kernel folds its one operand, and has no other
// instruction; the output has all the running values that ScanLine gives, and
// strides as any output. The scanned axis is the columns, or with Down the rows.
type FlatStep struct {
	Kernel   *kernel.Kernel
	Extents  []int    // at least two
	Operands []Access // the kernel's inputs, then its outputs
	Down     bool
	Scan     ScanKind
	Panels   bool
	Rows     int // rows of one block: a kernel call
	Cols     int // columns of one block
	Pos      ir.Pos
}

// Accumulates reports whether operand o of a Down step is an accumulator: an
// output in a buffer that the kernel reads too, or that input.
func (s *FlatStep) Accumulates(o int) bool {
	ins := len(s.Kernel.In)
	others := s.Operands[:ins]
	if o < ins {
		others = s.Operands[ins:]
	}
	return s.Down && s.Scan == NoScan && slices.ContainsFunc(others, func(a Access) bool { return a.Buffer == s.Operands[o].Buffer })
}

// Reach returns the extents over which operand o moves: the step's, with chunks
// in place of the elements that are folded.
func (s *FlatStep) Reach(o int) []int {
	axis := len(s.Extents) - 1
	switch ins := len(s.Kernel.In); {
	case s.Scan != NoScan:
		return s.Extents
	case s.Kernel.Dots():
		if o < ins || axis < 2 {
			return s.Extents
		}
		axis -= 2
		extents := slices.Clone(s.Extents)
		extents[axis] = min(1, extents[axis])
		return extents
	case s.Accumulates(o):
		axis--
	case o < ins || s.Kernel.FoldOf(o-ins) == ir.OpInvalid:
		return s.Extents
	}
	extents := slices.Clone(s.Extents)
	extents[axis] = ir.Chunks(extents[axis])
	return extents
}

// Folds reports whether the step folds an output, or pairs into it.
func (s *FlatStep) Folds() bool {
	return s.Scan == NoScan && (s.Down || s.Kernel.Fold != nil || s.Kernel.Dots())
}

// ScanKind says that a step stores the running values of a line.
type ScanKind uint8

// The kinds of scan.
const (
	NoScan    ScanKind = iota
	Inclusive          // each with the element itself
	Exclusive          // each without it
)

// RowGroup is a run of steps that share their outer axes: the executor takes all
// of them through one block of rows before the next, so that what they hand on
// stays in the cache. Each step has Outer's axes but the last as its leading
// ones.
//
// A scratch buffer is memory for one block: the strides of its accesses are 0
// along those leading axes, and along the last outer axis count from the start
// of the block.
type RowGroup struct {
	First, Last int   // steps
	Outer       []int // extents; the last axis is cut into blocks
	Along       []int // which axis of each step is the last outer one
	Block       int   // how many indices of it at a time
	Scratch     int   // bytes of scratch for one block
}

// OneBlock returns step i of the plan, of the group, for one block of rows: what
// scratch buffers see of it. It is nil if the step does not have the axes.
func (g *RowGroup) OneBlock(s *FlatStep, i int) *FlatStep {
	lead := len(g.Outer) - 1
	if lead < 0 || s.Kernel == nil || i < g.First || i-g.First >= len(g.Along) {
		return nil
	}
	along, last := g.Along[i-g.First], len(s.Extents)-1
	switch {
	case along < lead || along > last || !slices.Equal(s.Extents[:lead], g.Outer[:lead]) || s.Extents[along] != g.Outer[lead]:
		return nil
	case s.Down && along == last-1 || s.Kernel.Fold != nil && along == last:
		return nil // the folded axis
	case s.Kernel.Dots() && (along == last-2 || s.Panels && along == last):
		return nil // the pairs; panels
	}
	one := *s
	one.Extents = slices.Clone(s.Extents)
	for k := range lead {
		one.Extents[k] = min(1, s.Extents[k])
	}
	one.Extents[along] = min(g.Block, s.Extents[along])
	return &one
}

// Inner returns the stride along the columns: 1 is unit, 0 is splat. A unit
// operand with any other than 1 is packed into scratch before the kernel reads it.
func (a Access) Inner() int { return a.Strides[len(a.Strides)-1] }

// Decision is an entry of the ledger: what the compiler chose, and why.
type Decision struct {
	Kind   DecisionKind
	Op     ir.Op  // the value that it is about
	Pos    ir.Pos //
	Reason string // a sentence
	Bytes  int    // memory traffic that it costs, or saves if fused
	Step   int    // the step that it concerns, -1 for none
}

// DecisionKind classifies decisions.
type DecisionKind uint8

// The kinds of decision.
const (
	Fused        DecisionKind = iota // computed in the loop of another value
	Materialized                     // an intermediate value gets memory: why not fused
	Copied                           // elements moved because no stride describes them
	Staged                           // kept for a block of rows, in the cache
	Recomputed                       // computed again in each loop that reads it
	Rewritten                        // computed by other ops
)

func (k DecisionKind) String() string {
	if int(k) >= len(decisionKinds) {
		return "invalid"
	}
	return decisionKinds[k]
}

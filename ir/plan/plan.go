package plan

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Plan is a program for one binding of sizes and input layouts: buffers and
// the steps that fill them. It holds no data and no pointers.
type Plan struct {
	Name    string
	Buffers []Buffer // params, results, constants, temporaries
	Steps   []Step
	Rows    []RowGroup // in order, without a common step
	Arena   int        // bytes that all temporaries together need
	Ledger  []Decision
}

// BufferKind is the kind of a buffer, and determines who owns its memory.
type BufferKind uint8

// The kinds of buffer.
const (
	ParamBuffer   BufferKind = iota // the caller's input, never written
	ResultBuffer                    // the caller's output, row-major
	ConstBuffer                     // one element, of the plan
	TempBuffer                      // a range of the arena, row-major
	ScratchBuffer                   // of a row group: one block of rows
	IotaBuffer                      // 0, 1, 2, ... of a type of Ints: a table shared by all plans
)

// ReadOnly reports whether steps never write a buffer of the kind.
func (k BufferKind) ReadOnly() bool {
	return k == ParamBuffer || k == ConstBuffer || k == IotaBuffer
}

// Buffer is a linear run of elements.
type Buffer struct {
	Kind  BufferKind
	DType ir.DType
	Shape []int
	At    *layout.Layout // param: the places of the elements; nil is row-major
	Name  string
	Index int    // param, result: its position among its kind
	Bits  uint64 // const: the element
	// Offset is a multiple of 64, in bytes: of a temporary from the start of the arena, of a scratch buffer's block from
	// the start of its group's scratch.
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

// RowGroup is a run of steps that share their outer axes. The runtime takes one block of rows through all steps before the next
// block, so that values passed between the steps stay in the cache. Each step has Outer's axes except the last as its leading
// axes.
//
// A scratch buffer is memory for one block: the strides of its accesses are 0
// along those leading axes, and along the last outer axis count from the start
// of the block.
type RowGroup struct {
	First, Last int   // steps
	Outer       []int // extents; the last axis is cut into blocks
	Along       []int // the axis of each step that is the last outer one
	Block       int   // number of its indices in a block
	Scratch     int   // bytes of scratch for one block
}

// OneBlock returns step i of the plan, which is in the group, for one block of rows: the part that scratch buffers hold. It returns nil if
// the step does not have the axes.
func (g *RowGroup) OneBlock(s *Step, i int) *Step {
	lead := len(g.Outer) - 1
	if lead < 0 || s.Body == nil || i < g.First || i-g.First >= len(g.Along) {
		return nil
	}
	along := g.Along[i-g.First]
	if along < lead || along >= len(s.Axes) || s.Axes[along] != (Axis{Extent: g.Outer[lead]}) {
		return nil
	}
	one := *s
	one.Axes = slices.Clone(s.Axes)
	for k := range lead {
		if s.Axes[k] != (Axis{Extent: g.Outer[k]}) {
			return nil
		}
		one.Axes[k].Extent = min(1, s.Axes[k].Extent)
	}
	one.Axes[along].Extent = min(g.Block, s.Axes[along].Extent)
	for _, a := range s.In {
		if a.Panel != nil && a.Panel.Axis == along {
			return nil
		}
	}
	return &one
}

// Decision is an entry of the ledger: a choice of the compiler, and its reason.
type Decision struct {
	Kind   DecisionKind
	Op     ir.Op  // the value that it is about
	Pos    ir.Pos //
	Reason string // a sentence
	Bytes  int    // memory traffic that it costs, or saves if Fused
	Step   int    // the step that it concerns, -1 for none
	Out    int    // the output of the step that is the value, if one is
}

// DecisionKind classifies decisions.
type DecisionKind uint8

// The kinds of decision.
const (
	Fused        DecisionKind = iota // computed in the loop of another value
	Materialized                     // an intermediate value gets memory, because it was not fused
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

package ir

// Plan is a program for one binding of sizes and input layouts: buffers and
// the steps that fill them. It holds no data and no pointers.
type Plan struct {
	Name    string
	Buffers []Buffer // params, results, constants, temporaries
	Steps   []Step
	Arena   int // bytes that the temporaries need together
	Ledger  []Decision
}

// BufferKind says who owns a buffer's memory.
type BufferKind uint8

// The kinds of buffer.
const (
	ParamBuffer  BufferKind = iota // the caller's input, never written
	ResultBuffer                   // the caller's output, row-major
	ConstBuffer                    // one element, of the plan
	TempBuffer                     // a range of the arena, row-major
)

// Buffer is a linear run of elements.
type Buffer struct {
	Kind   BufferKind
	DType  DType
	Shape  []int
	At     *Layout // param: where the elements sit; nil is row-major
	Name   string
	Index  int    // param, result: its position among its kind
	Bits   uint64 // const: the element
	Offset int    // temporary: bytes from the start of the arena, a multiple of 64
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
type Step struct {
	Kernel   *Kernel
	Extents  []int    // at least two
	Operands []Access // the kernel's inputs, then its outputs
	Rows     int      // rows of one block: a kernel call
	Cols     int      // columns of one block
	Pos      Pos
}

// Access is how a step reads or writes a buffer.
type Access struct {
	Buffer  int
	Offset  int
	Strides []int
}

// Inner returns the stride along the columns: 1 is unit, 0 is splat, any other
// is packed into scratch before the kernel reads it.
func (a Access) Inner() int { return a.Strides[len(a.Strides)-1] }

// Decision is an entry of the ledger: what the compiler chose, and why.
type Decision struct {
	Kind   DecisionKind
	Op     Op     // the value that it is about
	Pos    Pos    //
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
	Recomputed                       // computed again in each loop that reads it
)

func (k DecisionKind) String() string {
	if int(k) >= len(decisionKinds) {
		return "invalid"
	}
	return decisionKinds[k]
}

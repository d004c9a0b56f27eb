package vector

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// A kernel is lowered to a graph of nodes: values of one vector register, and the
// instructions that compute them. Equal nodes are one node, so that the copies of
// an unrolled body and its tail share their invariants.

// Ref names a node.
type Ref int32

// None is the absence of a node.
const None Ref = -1

// Kind is the kind of a node. It is of 16 bits so that a Node has no gaps: it is then hashed as one piece of memory.
type Kind uint16

// The kinds of nodes.
const (
	KindOp      Kind = iota // the result of an instruction
	KindConst               // 8 bytes of constant memory, repeated over the register; or a vector of a table
	KindSplat               // a splat operand in every lane, loaded once a row
	KindLoad                // a full vector of a unit operand, read in place
	KindScratch             // a vector that a scalar loop left on the stack
	KindAcc                 // an accumulator of a reduction when a step begins
	KindInput               // a vector that a cold block finds on the stack
	KindResult              // a result of a cold block
)

// Class is the class of registers that may hold a value.
type Class uint8

// The classes. A machine without mask registers has only vectors.
const (
	ClassVector   Class = iota
	ClassMask           // a mask register, with a bit for each narrow lane
	ClassWideMask       // a mask register, with a bit for each 8-byte lane of one vector
)

// Node is a value. Only the fields of its kind are set, so nodes compare.
type Node struct {
	Op    *Opcode // KindOp
	Bits  uint64  // KindConst: the bytes, or the name of the table
	Slot  int     // number of the scratch vector, accumulator, cold entry, input, result or slot; KindConst: 1 if it is a table
	Arg   [4]Ref  // KindOp: the sources; KindScratch, KindResult: the node that makes it
	Place Place   // KindLoad, and KindOp that addresses an operand
	Kind  Kind
	Class Class // set by Add for KindOp, unless the class depends on the machine
	Imm   uint8 // KindOp
}

// Place is an address in the present step of an operand: the operand's number, and the distance in bytes from the element
// at the index of the step. For a splat only the operand matters.
type Place struct {
	operand int32
	disp    int32
	bytes   int16
	size    int8
	Tail    bool
}

// PlaceOf returns the place of bytes of an operand whose elements have a size. The fields are narrow, as each instruction and
// node has a place.
func PlaceOf(operand, size, disp, bytes int) Place {
	return Place{operand: int32(operand), size: int8(size), disp: int32(disp), bytes: int16(bytes)}
}

// At returns the place of other bytes of the operand.
func (a Place) At(disp, bytes int) Place {
	a.disp, a.bytes = int32(disp), int16(bytes)
	return a
}

// InTail returns the place in a step of the tail.
func (a Place) InTail(tail bool) Place {
	a.Tail = tail
	return a
}

// Operand returns the operand's number.
func (a Place) Operand() int { return int(a.operand) }

// Size returns the bytes of an element.
func (a Place) Size() int { return int(a.size) }

// Disp returns the distance in bytes from the element at the index of the step.
func (a Place) Disp() int { return int(a.disp) }

// Bytes returns how many bytes are read or written.
func (a Place) Bytes() int { return int(a.bytes) }

// overlaps reports whether two operands of one layout would share bytes at a and b
// if they were the same buffer.
func (a Place) overlaps(b Place) bool {
	return a.Size() == b.Size() && a.Disp() < b.Disp()+b.Bytes() && b.Disp() < a.Disp()+a.Bytes()
}

// Graph holds the nodes of one kernel.
type Graph struct {
	Target
	Kernel     *kernel.Kernel
	Reductions []*Reduction

	m          *Machine
	combine    []ir.Op // the combiner of each output; nil if all are stored
	nodes      []Node
	invariant  []bool // whether each value is the same along a row
	uses       []int  // of the kernel's values
	index      map[Node]Ref
	secondPart map[Ref]Ref // the second vector of a value, by its first
	outline    *outline
	entries    []*Entry // of cold blocks, of all copies

	allocator allocator // its memory serves one allocation after another
	scheduler scheduler // likewise

	Phases int // steps until a lane has its next element, which is the number of accumulators for each vector of a value

	scratch int            // scratch vectors in use
	loops   int            // scalar loops of the present copy
	loop    map[[4]Ref]int // the first scratch vector of each
}

// NewGraph returns an empty graph for the values of an expanded kernel whose outputs have
// the given combiners: see Compile.
func NewGraph(t Target, k *kernel.Kernel, combine []ir.Op) *Graph {
	nodes := 6 * (len(k.In) + len(k.Body)) // a guess, for a few copies of the body
	g := &Graph{Target: t, Kernel: k, combine: combine, m: t.Machine(), index: make(map[Node]Ref, nodes), loop: map[[4]Ref]int{}, secondPart: map[Ref]Ref{}, nodes: make([]Node, 0, nodes), invariant: make([]bool, 0, nodes)}
	g.countUses()
	g.outline = newOutline(g.m, k)
	g.Reductions = g.reductions()
	g.assignAccumulators()
	return g
}

// countUses counts how many instructions and stores read each value of the kernel.
func (g *Graph) countUses() {
	k := g.Kernel
	g.uses = make([]int, len(k.In)+len(k.Body))
	for _, in := range k.Body {
		for _, a := range in.Args[:in.Arity()] {
			g.uses[a]++
		}
	}
	for _, out := range k.Out {
		g.uses[out]++
	}
}

// Uses returns the number of instructions and stores that read a value of the kernel.
func (g *Graph) Uses(r kernel.Ref) int { return g.uses[r] }

// Combiner returns the op that combines output i of the kernel, OpInvalid if it is stored.
func (g *Graph) Combiner(i int) ir.Op {
	if g.combine == nil {
		return ir.OpInvalid
	}
	return g.combine[i]
}

// OutType returns the element type of output i of the kernel.
func (g *Graph) OutType(i int) ir.DType {
	if g.Combiner(i).IsArgReduction() {
		return ir.Int32
	}
	return g.Kernel.OutType(i)
}

// At returns a node.
func (g *Graph) At(r Ref) *Node { return &g.nodes[r] }

// Add returns the node equal to n, adding it if there is none.
func (g *Graph) Add(n Node) Ref {
	if n.Kind == KindOp && n.Class == ClassVector {
		n.Class = n.Op.Result
	}
	if r, ok := g.index[n]; ok {
		return r
	}
	inv := n.Kind == KindConst || n.Kind == KindSplat || n.Kind == KindScratch || n.Kind == KindOp && n.Op.Form.pure()
	for _, a := range n.Arg {
		inv = inv && (a == None || g.invariant[a])
	}
	r := Ref(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.invariant = append(g.invariant, inv)
	g.index[n] = r
	return r
}

// Invariant reports whether a value is the same along a row.
func (g *Graph) Invariant(r Ref) bool { return g.invariant[r] }

// Args returns the sources of a node, the unused ones None.
func Args(args ...Ref) [4]Ref {
	a := [4]Ref{None, None, None, None}
	copy(a[:], args)
	return a
}

// Const returns a constant of 8 bytes, repeated over the vector.
func (g *Graph) Const(bits uint64) Ref { return g.Add(Node{Kind: KindConst, Bits: bits, Arg: Args()}) }

// Table returns the table with a name, repeated over the vector.
func (g *Graph) Table(name uint64) Ref {
	return g.Add(Node{Kind: KindConst, Bits: name, Slot: 1, Arg: Args()})
}

// Constant returns the constant of a type with the given bits; true has all bits set.
func (g *Graph) Constant(d ir.DType, bits uint64) Value {
	switch {
	case d == ir.Bool:
		return One(g.Add(Node{Kind: KindConst, Class: g.m.class(ClassMask), Bits: -(bits & 1), Arg: Args()}))
	case g.m.Parts(d) == 2:
		return Two(g.Const(bits), g.Const(bits))
	case ir.Stored.Has(d): // a lane has the byte without a sign, as loads leave it
		bits = uint64(uint8(bits))
	}
	bits &= 1<<(8*g.m.Lane) - 1
	for width := 8 * g.m.Lane; width < 64; width *= 2 {
		bits |= bits << width
	}
	return One(g.Const(bits))
}

// Acc returns accumulator slot.
func (g *Graph) Acc(slot int) Ref { return g.Add(Node{Kind: KindAcc, Slot: slot, Arg: Args()}) }

// Carry returns the node by which an accumulator takes its next value.
func (g *Graph) Carry(acc, next Ref) Ref {
	return g.Add(Node{Kind: KindOp, Op: OpCarry, Slot: g.At(acc).Slot, Arg: Args(next)})
}

// keep stores a value in a slot of the stack.
func (g *Graph) keep(v Ref, slot int) Ref {
	return g.Add(Node{Kind: KindOp, Op: OpKeep, Slot: slot, Arg: Args(v)})
}

// ScalarLoop computes two results of two operands of 8-byte lanes, one element after another, and returns the chosen result, 0
// or 1. operands are the two vectors of the first operand, then those of the second; the loop overwrites the first with its
// first result and the second with its second. Equal operands share a loop.
func (g *Graph) ScalarLoop(op *Opcode, operands [4]Ref, result int) Value {
	first, ok := g.loop[operands]
	if !ok {
		first = len(operands) * g.loops
		g.loop[operands] = first
		g.loops++
	}
	g.scratch = max(g.scratch, first+len(operands))
	loop := g.Add(Node{Kind: KindOp, Op: op, Arg: operands, Slot: first})
	part := func(p int) Ref {
		return g.Add(Node{Kind: KindScratch, Arg: Args(loop), Slot: first + 2*result + p})
	}
	return Two(part(0), part(1))
}

// args lists the nodes that r reads. The test of a cold block first lists those that the main path needs.
func (g *Graph) args(r Ref) []Ref {
	n := g.At(r)
	if g.isCold(r) {
		e := g.entries[n.Slot]
		return slices.Concat(e.Z, e.Test, e.In)
	}
	return n.args()
}

// args lists the sources of a node that tests no cold block.
func (n *Node) args() []Ref {
	i := 0
	for i < len(n.Arg) && n.Arg[i] != None {
		i++
	}
	return n.Arg[:i]
}

func (g *Graph) isCold(r Ref) bool {
	n := g.At(r)
	return n.Kind == KindOp && n.Op.Form == FormCold
}

package avo

import "math"

// A kernel is lowered to a graph of nodes: values of one vector register, and
// the instructions that make them. Equal nodes are one, so that invariant
// values are shared by the copies of an unrolled body and by its tail.

// ref names a node.
type ref int32

// none is the absence of a node.
const none ref = -1

type kind uint8

const (
	kOp      kind = iota // the result of an instruction
	kConst               // 8 bytes from RODATA in every quarter of a register
	kSplat               // a splat operand in every lane, loaded once a row
	kLoad                // a full vector of a unit operand, read in place
	kScratch             // a vector that a scalar loop left on the stack
	kAcc                 // an accumulator of a fold when a step begins
	kInput               // a vector that a block finds on the stack
	kResult              // a result of a detour
)

// node is a value. Only the fields of its kind are set, so nodes compare.
type node struct {
	kind  kind
	op    *opcode // kOp
	imm   uint8   // kOp
	arg   [4]ref  // kOp: sources in Intel's order; kScratch: the loop's node
	bits  uint64  // kConst
	place place   // kLoad, and kOp that addresses an operand
	slot  int     // kScratch and scalar loops: which scratch vectors; kAcc and CARRY: which accumulator; detours: which stub
}

// place is an address in the present step of a unit operand: the operand's
// number and the distance in bytes from the element at the index register. For
// a splat only the operand counts.
type place struct {
	operand int
	size    int // of an element
	disp    int
	bytes   int // that are read or written
	tail    bool
}

// overlaps reports whether two operands of one layout would share bytes at a
// and b if they were the same buffer.
func (a place) overlaps(b place) bool {
	return a.size == b.size && a.disp < b.disp+b.bytes && b.disp < a.disp+a.bytes
}

// graph holds the nodes of one kernel.
type graph struct {
	nodes     []node
	invariant []bool // does not change along a row
	index     map[node]ref
	scratch   int            // scratch vectors in use
	twin      map[ref]ref    // the same value of the other four elements
	divs      int            // scalar loops of the present copy
	div       map[[4]ref]int // and where each leaves its results
	outline   *outline
	stubs     []*stub // of all copies
	turns     int     // see fold.go
}

func newGraph() *graph {
	return &graph{index: map[node]ref{}, div: map[[4]ref]int{}, twin: map[ref]ref{}}
}

func (g *graph) isInvariant(r ref) bool { return g.invariant[r] }

func (g *graph) at(r ref) *node { return &g.nodes[r] }

// add returns the node equal to n, making it if there is none.
func (g *graph) add(n node) ref {
	if r, ok := g.index[n]; ok {
		return r
	}
	inv := n.kind == kConst || n.kind == kSplat || n.kind == kScratch || n.kind == kOp && n.op.form.pure()
	for _, a := range n.arg {
		inv = inv && (a == none || g.invariant[a])
	}
	r := ref(len(g.nodes))
	g.nodes = append(g.nodes, n)
	g.invariant = append(g.invariant, inv)
	g.index[n] = r
	return r
}

// op appends an instruction by its name.
func (g *graph) op(name string, args ...ref) ref { return g.imm(name, 0, args...) }

// imm appends an instruction with an immediate operand.
func (g *graph) imm(name string, imm uint8, args ...ref) ref {
	n := node{kind: kOp, op: opcodeOf(name), imm: imm, arg: args4(args)}
	return g.add(n)
}

// placed appends an instruction that addresses an operand.
func (g *graph) placed(name string, p place, args ...ref) ref {
	return g.add(node{kind: kOp, op: opcodeOf(name), place: p, arg: args4(args)})
}

func args4(args []ref) [4]ref {
	a := [4]ref{none, none, none, none}
	copy(a[:], args)
	return a
}

var noArgs = args4(nil)

func (g *graph) c64(bits uint64) ref { return g.add(node{kind: kConst, bits: bits, arg: noArgs}) }
func (g *graph) c32(bits uint32) ref { return g.c64(uint64(bits)<<32 | uint64(bits)) }
func (g *graph) i32(v int32) ref     { return g.c32(uint32(v)) }
func (g *graph) i64(v int64) ref     { return g.c64(uint64(v)) }
func (g *graph) f32(v float32) ref   { return g.c32(math.Float32bits(v)) }
func (g *graph) f64(v float64) ref   { return g.c64(math.Float64bits(v)) }
func (g *graph) zero() ref           { return g.c64(0) }
func (g *graph) ones() ref           { return g.c64(^uint64(0)) }

// constant reports whether r is a constant, and its bits.
func (g *graph) constant(r ref) (uint64, bool) {
	n := g.at(r)
	return n.bits, n.kind == kConst
}

// is reports whether r is the result of the named instruction.
func (g *graph) is(r ref, name string) bool {
	n := g.at(r)
	return n.kind == kOp && n.op.name == name
}

// high returns the upper half of r, in the lower half of a register. The upper
// half of a vector in memory needs no instruction.
func (g *graph) high(r ref) ref {
	if n := *g.at(r); n.kind == kLoad && n.place.bytes == 32 {
		n.place.disp += 16
		n.place.bytes = 16
		return g.add(n)
	}
	if g.at(r).kind == kConst || g.at(r).kind == kSplat {
		return r
	}
	return g.imm("VEXTRACTF128", 1, r)
}

// joined returns a vector of two halves.
func (g *graph) joined(low, high ref) ref { return g.imm("VINSERTF128", 1, low, high) }

// evens returns the lower 32 bits of each 64-bit lane of two vectors.
func (g *graph) evens(low, high ref) ref {
	return g.imm("VPERMQ", 0xd8, g.imm("VSHUFPS", 0x88, low, high))
}

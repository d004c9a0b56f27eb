package ir

import (
	"cmp"
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Op names an operation. Its row in the table says everything else about it.
type Op uint8

// Kind says at which stage of the compiler an op is handled.
type Kind uint8

// The kinds of op.
const (
	Source   Kind = iota // makes a value from nothing
	View                 // moves indices, computes nothing; gone after the views pass
	Lane                 // elementwise; every target has it
	Composed             // elementwise; its row expands it into lane ops
	Inner                // elementwise; expansions alone have it
	Reduce               // one element of each line along some axes, by the tree of ReduceLine
	Scan                 // each element of a line from those up to it
	Contract             // each element from a row of one operand and a column of the other
	Convolve             // each element from a window of one operand and weights; gone after the taps pass
	Line                 // each line of it from a line of each operand
	Join                 // each element from one of its operands, which are parts of it
)

// ResultRule says how the element type of a result follows from the operands.
type ResultRule uint8

// The rules.
const (
	SameType   ResultRule = iota // as the last operand
	GivesBool                    // bool
	GivenType                    // stated with the op: cast, bitcast, const
	GivesIndex                   // int32: a place along a line
)

// OpInfo is a row of the op table.
type OpInfo struct {
	Name   string
	Method string // what errors call it, as package graph does; "" if that is Name
	// Internal ops are made by passes and expansions, not by users.
	Internal bool
	Doc      string // the meaning in a line; x, y, z are the operands
	Kind     Kind
	Arity    int    // how many operands it has
	More     bool   // more operands may follow those
	Domain   DTypes // what the operands may be
	Result   ResultRule
	Mask     bool // the first operand is bool whatever the others are

	Commutative bool    // f(x,y) == f(y,x), bit for bit but for a NaN's payload
	Associative DTypes  // those of which f(f(x,y),z) == f(x,f(y,z)), bit for bit but for a NaN's payload, of a commutative op
	Involution  DTypes  // those in which f(f(x)) == x
	Idempotent  bool    // f(f(x)) == f(x), or f(x,x) == x
	Rounds      bool    // of Reals: the result is that of real numbers, rounded
	Divides     bool    // by its second operand; integers give 0 where that is zero
	Cost        float64 // time of one float32, where that of an addition beside its loads, some 0.01 ns, is 1; a long expansion takes 1.75 for each
	// Identity returns the element c with f(x,c) == x for each x, bit for bit but
	// for a NaN's payload. Where the op commutes, f(c,x) == x too.
	Identity func(d DType) (bits uint64, ok bool)

	// By is the lane op that a reduction or scan combines elements with. For an
	// arg-reduction it is the op that gives the element whose index is the result. It is
	// associative but for rounding, commutes, and has an identity. For a product of matrices it
	// is the op that multiplies.
	By Op

	Hash     uint64                // of the name: canonical forms outlive the order of the table
	attrs    []*attribute          // of the op, in the order of printing
	fromType func(a *Attr, t Type) // fills the attributes that a value's printed type states

	// Infer returns the type of a result, or what is wrong with the attributes or the
	// operands, whose number is right. Eval returns the elements of the value v in
	// row-major order, given those of its operands; all sizes are numbers. Every op has
	// both but elementwise ops and views, whose type and meaning follow from what is below.
	Infer func(op Op, a Attr, args []Type) (Type, error)
	Eval  func(v *Value, args [][]uint64) []uint64

	// Line computes a line of the result from lines of the operands, whose type is d, but
	// for indices.
	Line func(f Arithmetic, op Op, d DType, in [][]uint64) []uint64
	// An op on lines that Sorts orders their elements, the greatest first if Descending.
	// The result of an op that orders or searches lines is Places, as Int64, or else elements.
	Sorts, Descending, Places bool
	// The second operand of an op on lines that is Indexed has indices: see takesIndices.
	Indexed bool
	// The second operand of an op on lines that is Ragged has offsets, and the third one, if there is one, indices.
	Ragged bool
	// Elements that an op on lines finds by indices are multiplied by those of its last operand if it is Weighted.
	Weighted bool

	// Part returns the layout of operand i of a join in the join's.
	Part func(v *Value, i int, l layout.Layout) (layout.Layout, error)

	// Shape returns the shape of a view of an operand, Layout what the view v makes
	// of its operand's layout.
	Shape  func(a Attr, s Shape) (Shape, error)
	Layout func(v *Value, l layout.Layout) (layout.Layout, error)

	// Meaning of a lane op on one element of each operand.
	Ref func(in, out DType, a [3]uint64) uint64
	// Fast are the types on which a composed op has a fast expansion beside the default one.
	Fast DTypes
}

// Gathers reports whether an op on lines reads elements of its first operand by indices.
func (o *OpInfo) Gathers() bool { return o.Indexed && !o.Scatters() }

// Scatters reports whether an op on lines stores its third operand, the updates, by indices.
func (o *OpInfo) Scatters() bool { return o.Indexed && o.Arity == 3 && !o.Weighted }

// Searches reports whether an op on lines finds the places of its second operand in lines of the first.
func (o *OpInfo) Searches() bool { return o.Places && !o.Sorts }

// holdsIndices reports whether operand i of an op on lines has indices or offsets.
func (o *OpInfo) holdsIndices(i int) bool {
	return i == 1 && (o.Indexed || o.Ragged) || i == 2 && o.Ragged
}

// Info returns the row of op.
func (op Op) Info() *OpInfo {
	if op >= numOps {
		op = OpInvalid
	}
	return &table[op]
}

func (op Op) String() string { return op.Info().Name }

// Method returns the name of the method of package graph, in lower case.
func (op Op) Method() string { return cmp.Or(op.Info().Method, op.Info().Name) }

// IsElementwise reports whether op computes each element from the elements at
// the same index of its operands.
func (op Op) IsElementwise() bool { return kinds[op]&elementwise != 0 }

// IsArgReduction reports whether op gives the place of an element along a line.
func (op Op) IsArgReduction() bool { return op.Info().Result == GivesIndex }

// Accumulates reports whether op computes an element from many of an operand: it
// reduces, scans, multiplies matrices, orders elements or combines them by indices.
func (op Op) Accumulates() bool { return kinds[op]&accumulates != 0 }

// IsComputed reports whether op computes elements in a loop.
func (op Op) IsComputed() bool { return kinds[op]&(elementwise|accumulates|line|join) != 0 }

// IsProduct reports whether op multiplies matrices.
func (op Op) IsProduct() bool { return kinds[op]&product != 0 }

// IsLine reports whether op computes lines from lines.
func (op Op) IsLine() bool { return kinds[op]&line != 0 }

// IsJoin reports whether the operands of op are parts of its result: they are stored
// where those are.
func (op Op) IsJoin() bool { return kinds[op]&join != 0 }

// kinds has what passes ask of every value, by op. A row of the table takes a call and a
// multiplication: a twentieth of compiling a chain was that.
var kinds [1 << 8]kindSet

type kindSet uint8

const (
	elementwise kindSet = 1 << iota
	accumulates
	product
	line
	join
	view
)

// kindsOf returns what the kind of a row of the table says of its op.
func kindsOf(op Op) kindSet {
	switch op.Info().Kind {
	case Lane, Composed:
		return elementwise
	case Reduce, Scan:
		return accumulates
	case Contract:
		return accumulates | product
	case Convolve:
		return accumulates
	case Line:
		if op.MovesBits() {
			return line
		}
		return line | accumulates
	case Join:
		return join
	case View:
		return view
	}
	return 0
}

// takes reports whether op has n operands.
func (op Op) takes(n int) bool {
	info := op.Info()
	return n == info.Arity || n > info.Arity && info.More
}

// Attributes returns the names that the op's attributes have in text. What the printed
// type states is not among them.
func (op Op) Attributes() []string {
	var names []string
	for _, a := range op.Info().attrs {
		names = append(names, a.name)
	}
	return names
}

// IsView reports whether op only moves indices.
func (op Op) IsView() bool { return kinds[op]&view != 0 }

// Ops returns all operations in the order of the table.
func Ops() []Op {
	out := make([]Op, 0, numOps-1)
	for op := OpInvalid + 1; op < numOps; op++ {
		out = append(out, op)
	}
	return out
}

// OpByName finds an operation by its name in IR text.
func OpByName(name string) (Op, bool) {
	op, ok := opNames[name]
	return op, ok
}

var opNames = map[string]Op{}

// Mix returns a hash of a hash and a word.
func Mix(h, x uint64) uint64 {
	return bits.RotateLeft64((h^x)*0x9e3779b97f4a7c15, 29) ^ x*0xbf58476d1ce4e5b9
}

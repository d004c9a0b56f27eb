package ir

import (
	"cmp"
	"math/bits"

	"github.com/stridefuse/stridefuse/ir/layout"
)

// Op is an operation. Its row in the table holds everything else about it.
type Op uint8

// Kind tells at which stage of the compiler an op is handled.
type Kind uint8

// The kinds of op.
const (
	Source   Kind = iota // has no operands
	View                 // moves indices and computes nothing; removed by the views pass
	Lane                 // elementwise; every target implements it
	Composed             // elementwise; its row expands it into lane ops
	Inner                // elementwise; occurs only in expansions
	Reduce               // one element of each line along some axes, by the tree of ReduceLine
	Scan                 // each element from the elements of a line up to it
	Contract             // each element from a row of one operand and a column of the other
	Convolve             // each element from a window of one operand and weights; removed by the taps pass
	Line                 // each line from a line of each operand
	Join                 // each element from one of the operands, which are parts of the result
)

// ResultRule determines the element type of a result from the operands.
type ResultRule uint8

// The rules.
const (
	SameType   ResultRule = iota // as the last operand
	GivesBool                    // bool
	GivenType                    // stated with the op: cast, bitcast, const
	GivesIndex                   // int32: a position along a line
)

// OpInfo is a row of the op table.
type OpInfo struct {
	Name   string
	Method string // its name in errors and in package graph; "" if that is Name
	// Internal ops are made by passes and expansions only.
	Internal bool
	Doc      string // the meaning in one line; x, y, z are the operands
	Kind     Kind
	Arity    int    // number of operands
	More     bool   // additional operands may follow
	Domain   DTypes // allowed element types of the operands
	Result   ResultRule
	Mask     bool // the first operand is bool for every Domain type

	Commutative bool    // f(x,y) == f(y,x), bit for bit except for a NaN's payload
	Associative DTypes  // the types for which f(f(x,y),z) == f(x,f(y,z)), bit for bit except for a NaN's payload, of a commutative op
	Involution  DTypes  // the types for which f(f(x)) == x
	Idempotent  bool    // f(f(x)) == f(x), or f(x,x) == x
	Rounds      bool    // on Reals the result is the exact one, rounded
	Divides     bool    // by its second operand; integer division by zero gives 0
	Cost        float64 // time for a float32, in units of an addition without its loads, some 0.01 ns; each operation of a long expansion takes 1.75
	// Identity returns the element c with f(x,c) == x for each x, bit for bit except for a NaN's payload. If the
	// op commutes, f(c,x) == x too.
	Identity func(d DType) (bits uint64, ok bool)

	// By is the lane op by which a reduction or scan combines elements. It is associative up to rounding, commutes, and has an
	// identity. For an arg-reduction it is the op that selects the element whose index is the result. For a product
	// of matrices it is the op that multiplies.
	By Op
	// Right is the type of the right operand of a contraction whose elements are pairs of bytes, which OpHalves widens to the
	// left operand's type. It is Invalid if both operands have the same type.
	Right DType

	Hash     uint64                // of the name, so that canonical forms do not depend on the order of the table
	attrs    []*attribute          // of the op, in the order of printing
	fromType func(a *Attr, t Type) // sets the attributes that a value's printed type determines

	// Infer returns the type of a result, or an error if the attributes or the operands, whose number is right, are invalid.
	// Eval returns the elements of the value v in row-major order, given those of its operands; all sizes are numbers.
	// All ops have both, except elementwise ops and views, whose type and meaning follow from the fields below.
	Infer func(op Op, a Attr, args []Type) (Type, error)
	Eval  func(v *Value, args [][]uint64) []uint64

	// Line computes a line of the result from lines of the operands. These have type d, except for indices.
	Line func(f Arithmetic, op Op, d DType, in [][]uint64) []uint64
	// Sorts marks ops on lines that sort, from the greatest down if Descending. The result of an op that sorts, searches or walks lines is
	// positions, as Int64, if Places, otherwise elements.
	Sorts, Descending, Places bool
	// Selects marks ops on lines whose second operand has places in the sorted line, as Int64.
	Selects bool
	// Indexed marks ops on lines whose second operand has indices: see takesIndices.
	Indexed bool
	// Ragged marks ops on lines whose second operand has offsets and whose third one, if there is one, has indices.
	Ragged bool
	// Walks marks ops on lines that walk from the roots of the third operand through the trees of the second one.
	Walks bool
	// Weighted marks ops on lines that multiply the elements found by indices by those of the last operand.
	Weighted bool

	// Part returns the layout of operand i of a join within the join's layout l.
	Part func(v *Value, i int, l layout.Layout) (layout.Layout, error)

	// Shape returns the shape of a view of an operand. Layout returns the layout of the view v, given that of its operand.
	Shape  func(a Attr, s Shape) (Shape, error)
	Layout func(v *Value, l layout.Layout) (layout.Layout, error)

	// Ref defines a lane op on one element of each operand.
	Ref func(in, out DType, a [3]uint64) uint64
	// Fast is the set of types for which a composed op has a fast expansion in addition to the default one.
	Fast DTypes
}

// Gathers reports whether an op on lines reads elements of its first operand by indices.
func (o *OpInfo) Gathers() bool { return o.Indexed && !o.Scatters() }

// Scatters reports whether an op on lines stores its third operand, the updates, by indices.
func (o *OpInfo) Scatters() bool { return o.Indexed && o.Arity == 3 && !o.Weighted }

// Searches reports whether an op on lines finds the positions of its second operand in lines of the first.
func (o *OpInfo) Searches() bool { return o.Places && !o.Sorts && !o.Walks }

// holdsIndices reports whether operand i of an op on lines has indices, offsets or places.
func (o *OpInfo) holdsIndices(i int) bool {
	return i == 1 && (o.Indexed || o.Ragged || o.Selects) || i == 2 && o.Ragged
}

// Info returns the row of op.
func (op Op) Info() *OpInfo {
	if op >= numOps {
		op = OpInvalid
	}
	return &table[op]
}

func (op Op) String() string { return op.Info().Name }

// Method returns the name of the op's method of package graph, in lower case.
func (op Op) Method() string { return cmp.Or(op.Info().Method, op.Info().Name) }

// IsElementwise reports whether op computes each element from the elements at
// the same index of its operands.
func (op Op) IsElementwise() bool { return kinds[op]&elementwise != 0 }

// IsArgReduction reports whether op returns the position of an element along a line.
func (op Op) IsArgReduction() bool { return op.Info().Result == GivesIndex }

// Accumulates reports whether op computes an element from many elements of an operand: it reduces, scans, multiplies matrices, sorts
// or combines elements by indices.
func (op Op) Accumulates() bool { return kinds[op]&accumulates != 0 }

// IsComputed reports whether op computes elements in a loop.
func (op Op) IsComputed() bool { return kinds[op]&(elementwise|accumulates|line|join) != 0 }

// IsProduct reports whether op multiplies matrices.
func (op Op) IsProduct() bool { return kinds[op]&product != 0 }

// IsLine reports whether op computes lines from lines.
func (op Op) IsLine() bool { return kinds[op]&line != 0 }

// IsJoin reports whether the operands of op are parts of its result, so that they can be stored there directly.
func (op Op) IsJoin() bool { return kinds[op]&join != 0 }

// kinds holds, by op, the properties that passes ask of every value. Reading a row of the table takes a call and a multiplication,
// which was a twentieth of the time to compile a chain.
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

// kindsOf returns the properties that follow from the kind in an op's row.
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

// takes reports whether op may have n operands.
func (op Op) takes(n int) bool {
	info := op.Info()
	return n == info.Arity || n > info.Arity && info.More
}

// Attributes returns the names of the op's attributes in text, without those that the printed type determines.
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

package kernel

import "github.com/stridefuse/stridefuse/ir"

// Extent names the extent of a block or of an argument.
type Extent uint8

// The extents: one element, the block's rows or columns, a field of the frame, or none if a call takes only the address.
const (
	One Extent = iota
	Rows
	Cols
	Field0 // the first field; Field0+k is field k

	None Extent = 255
)

// Of returns the value of the extent in a call.
func (e Extent) Of(rows, cols int, fields []int) int {
	switch e {
	case One:
		return 1
	case Rows:
		return rows
	case Cols:
		return cols
	case None:
		return 0
	}
	return fields[e-Field0]
}

// Arg describes the elements that a call reads or writes in an argument of a kernel: Outer lines of Inner elements each. Lines are
// Frame.Step bytes apart. The elements of a line are contiguous if Across is One; otherwise Across is the field with the
// distance between elements, in bytes. Work is scratch memory, whose content after the call is undefined. Windows describes
// windows of an image in the lines.
type Arg struct {
	DType   ir.DType
	Bits    Bits
	Out     bool
	Work    bool
	Windows Windows
	Outer   Extent
	Inner   Extent
	Across  Extent
	// Factor is the number of interleaved operands in the argument: at each index of its lines the argument has one
	// element of each, next to one another. It is 0 if the argument is one operand.
	Factor int
}

// Bits is the set of element types that the memory of an argument may have.
type Bits uint8

// The memory of an argument has the argument's own type. If a call only copies the elements, it may have any type of the same
// size; if a call copies them as bytes, any type.
const (
	SameType Bits = iota
	SameSize
	AnySize
)

// Takes reports whether the memory of an argument may have type d.
func (a *Arg) Takes(d ir.DType) bool {
	return a.DType == d || a.Bits == AnySize || a.Bits == SameSize && a.DType.Size() == d.Size()
}

// Windows describes an argument in which each row (or column) of the block starts at a different element. Of is Rows or Cols, or
// One for no windows. Number i starts at element i or, if Line is a field, at element i/Line*LineStep + i%Line*Step. A call
// for later windows gets a later pointer. It starts with a line of windows, unless all of its windows are in one line.
type Windows struct {
	Of                   Extent
	Line, LineStep, Step Extent // fields
}

// Fields returns nil: an elementwise kernel has no fields.
func (k *Kernel) Fields() []string { return nil }

// FieldAt returns the index in Frame.Step of field i. An elementwise kernel has no fields.
func (k *Kernel) FieldAt(i int) int { return len(k.In) + len(k.Out) + i }

// Each returns the number of elements at each index of the argument's lines: one of each operand in it.
func (a *Arg) Each() int { return max(1, a.Factor) }

// Args returns the arguments of a call: the inputs, then the outputs. The members of an interleave group are
// one argument.
func (k *Kernel) Args() []Arg {
	args := make([]Arg, 0, len(k.In)+len(k.Out))
	for i := range len(k.In) + len(k.Out) {
		c := k.member(i)
		if c.At > 0 {
			continue
		}
		a := Arg{DType: k.operandType(i), Out: i >= len(k.In), Outer: Rows, Inner: Cols, Factor: int(c.Of)}
		if !a.Out && k.In[i].Splat {
			a.Inner = One
		}
		args = append(args, a)
	}
	return args
}

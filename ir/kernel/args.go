package kernel

import "github.com/stridefuse/stridefuse/ir"

// Extent names an extent of what a kernel's argument covers.
type Extent uint8

// The extents: one element, the block's rows or columns, a field of the frame, or none where a call takes
// the address alone.
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

// Arg describes an argument of a kernel: which elements a call reads or writes. They are
// Outer lines of Inner elements each. Lines are Frame.Step bytes apart. The elements of a
// line are contiguous if Across is One; otherwise Across is the field that has the bytes
// from one element to the next. Work is memory that a call writes for itself: what it holds
// afterwards is anything. Windows are how the windows of an image lie in its lines.
type Arg struct {
	DType   ir.DType
	Bits    Bits
	Out     bool
	Work    bool
	Windows Windows
	Outer   Extent
	Inner   Extent
	Across  Extent
	// Channels is how many elements each of the Inner ones is, which are contiguous: more than
	// one if they are interleaved channels, else 0.
	Channels int
}

// Bits says which element types the memory of an argument may have.
type Bits uint8

// An argument is in memory of its own type, or of any type as wide if a call only copies its elements, or of any type if it copies
// them as bytes.
const (
	SameType Bits = iota
	SameSize
	AnySize
)

// Takes reports whether an argument may be in memory of a type.
func (a *Arg) Takes(d ir.DType) bool {
	return a.DType == d || a.Bits == AnySize || a.Bits == SameSize && a.DType.Size() == d.Size()
}

// Windows says that each row, or column, of a block reads the lines of an argument from another
// element on. Of is Rows or Cols, One for no windows. Number i begins at element i, or, if Line is a
// field, at element i/Line*LineStep + i%Line*Step. A call for later windows gets a later pointer, and
// begins with a line of windows unless all of its windows are of one.
type Windows struct {
	Of                   Extent
	Line, LineStep, Step Extent // fields
}

// Fields returns nil: an elementwise kernel reads its arguments alone.
func (k *Kernel) Fields() []string { return nil }

// FieldAt returns the index in Frame.Step of field i, of which there are none.
func (k *Kernel) FieldAt(i int) int { return len(k.In) + len(k.Out) + i }

// Each returns how many elements of an argument are at each index of its lines: its channels.
func (a *Arg) Each() int { return max(1, a.Channels) }

// Args returns what the arguments of a call are: the inputs, then the outputs. Channels of one array
// are one argument.
func (k *Kernel) Args() []Arg {
	args := make([]Arg, 0, len(k.In)+len(k.Out))
	for i := range len(k.In) + len(k.Out) {
		c := k.channel(i)
		if c.At > 0 {
			continue
		}
		a := Arg{DType: k.operandType(i), Out: i >= len(k.In), Outer: Rows, Inner: Cols, Channels: int(c.Of)}
		if !a.Out && k.In[i].Splat {
			a.Inner = One
		}
		args = append(args, a)
	}
	return args
}

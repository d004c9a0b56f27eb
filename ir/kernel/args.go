package kernel

import "github.com/stridefuse/stridefuse/ir"

// Dim is the extent of one axis of what a kernel's argument covers.
type Dim uint8

// The extents: one element, the block's rows or columns, or a field of the frame.
const (
	One Dim = iota
	Rows
	Cols
	Field0 // the first field; Field0+k is field k
)

// Extent returns how many elements a dimension has in a block of so many rows and
// columns with these fields.
func (d Dim) Extent(rows, cols int, fields []int) int {
	switch d {
	case One:
		return 1
	case Rows:
		return rows
	case Cols:
		return cols
	}
	return fields[d-Field0]
}

// Arg describes an argument of a kernel: which elements a call reads or writes. They are
// Outer lines of Inner elements each. Lines are Frame.Step bytes apart. The elements of a
// line are contiguous if Across is One; otherwise Across is the field that has the bytes
// from one element to the next. Work is memory that a call writes for itself: what it holds
// afterwards is anything. Windows are how the windows of an image lie in its lines.
type Arg struct {
	DType   ir.DType
	Out     bool
	Work    bool
	Windows Windows
	Outer   Dim
	Inner   Dim
	Across  Dim
}

// Windows says that each row, or column, of a block reads the lines of an argument from another
// element on. Of is Rows or Cols, One for no windows. Number i begins at element i, or, if Line is a
// field, at element i/Line*LineStep + i%Line*Step. A call for later windows gets a later pointer, and
// begins with a line of windows unless all of its windows are of one.
type Windows struct {
	Of                   Dim
	Line, LineStep, Step Dim // fields
}

// Fields returns nil: an elementwise kernel reads its arguments alone.
func (k *Kernel) Fields() []string { return nil }

// FieldAt returns the index in Frame.Step of field i: the fields follow the arguments.
func (k *Kernel) FieldAt(i int) int { return len(k.In) + len(k.Out) + i }

// Args returns what the arguments of a call are: the inputs, then the outputs.
func (k *Kernel) Args() []Arg {
	args := make([]Arg, 0, len(k.In)+len(k.Out))
	for _, in := range k.In {
		a := Arg{DType: in.DType, Outer: Rows, Inner: Cols}
		if in.Splat {
			a.Inner = One
		}
		args = append(args, a)
	}
	for _, r := range k.Out {
		args = append(args, Arg{DType: k.DType(r), Out: true, Outer: Rows, Inner: Cols})
	}
	return args
}

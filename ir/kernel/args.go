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

// Arg describes an argument of a kernel: which elements one call touches. They are
// Outer lines, Frame.Step bytes apart, of Inner elements each, which are Across
// elements apart: 1 if Across is One, and else what that field says, in bytes.
type Arg struct {
	DType  ir.DType
	Out    bool
	Outer  Dim
	Inner  Dim
	Across Dim
}

// Fields returns the names of the numbers that a kernel reads from its frame besides
// rows, columns and the arguments' pointers and steps. Field k is Frame.Step at the
// place that FieldAt gives.
func (k *Kernel) Fields() []string {
	switch {
	case k.Dots():
		return []string{"across", "pairs", "adds", "next"}
	case k.Transposes():
		return []string{"across"}
	case k.Down:
		return []string{"length"}
	}
	return nil
}

// FieldAt returns where in Frame.Step field i is.
func (k *Kernel) FieldAt(i int) int {
	if k.Down {
		return DownLength
	}
	return len(k.In) + len(k.Out) + i
}

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
	for i := range k.Out {
		a := Arg{DType: k.OutType(i), Out: true, Outer: Rows, Inner: Cols}
		if k.OnePerRow(i) && !k.Down {
			a.Inner = One
		}
		args = append(args, a)
	}
	switch {
	case k.Dots(): // rows x pairs, pairs x columns
		args[0] = Arg{DType: args[0].DType, Outer: Rows, Inner: Field0 + 1, Across: Field0}
		args[1].Outer = Field0 + 1
	case k.Transposes():
		args[0] = Arg{DType: args[0].DType, Outer: Cols, Inner: Rows, Across: Field0}
	case k.Down: // a unit operand has a line down each column, a splat one along each row
		for i := range k.In {
			if k.In[i].Splat {
				args[i].Inner = Field0
			} else {
				args[i].Outer = Field0
			}
		}
	}
	return args
}

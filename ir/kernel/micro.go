package kernel

import (
	"errors"
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// Code is what a call names: an elementwise Kernel or a Micro.
type Code interface {
	Signature() string // the canonical text, under which compiled forms are registered
	Args() []Arg       // the inputs, then the outputs
	Fields() []string  // numbers that it reads from the frame besides
	FieldAt(i int) int // where in Frame.Step field i is
	Verify() error
}

// Micro is a micro-kernel: a loop that is no elementwise body. Row says which.
//
//	pack u32
type Micro struct {
	Row  Row
	Type ir.DType
}

// Row names a row of the table of micro-kernels.
type Row uint8

// The micro-kernels.
const (
	NoRow Row = iota
	Pack      // copies a block whose elements are apart along the columns
	numRows
)

// microInfo is a row of the table.
type microInfo struct {
	name   string
	doc    string
	types  []ir.DType // that it is built for
	fields []string
	args   func(d ir.DType) []Arg
}

// micros declares every micro-kernel, one row each.
var micros = [numRows]microInfo{
	Pack: {name: "pack", doc: "out[r,c] = in[r,c], where the elements of a row of in are across bytes apart",
		types: []ir.DType{ir.Uint8, ir.Uint16, ir.Uint32, ir.Int64}, fields: []string{"across"},
		args: func(d ir.DType) []Arg {
			return []Arg{{DType: d, Outer: Rows, Inner: Cols, Across: Field0}, {DType: d, Out: true, Outer: Rows, Inner: Cols}}
		}},
}

func (r Row) String() string {
	if r == NoRow || r >= numRows {
		return "invalid"
	}
	return micros[r].name
}

// RowByName finds a micro-kernel by its name in text.
func RowByName(name string) (Row, bool) {
	for r := NoRow + 1; r < numRows; r++ {
		if micros[r].name == name {
			return r, true
		}
	}
	return NoRow, false
}

// Signature returns the text of the micro-kernel.
func (m *Micro) Signature() string { return m.Row.String() + " " + m.Type.Text() }

// String returns the signature.
func (m *Micro) String() string { return m.Signature() }

// Args returns what the arguments of a call are.
func (m *Micro) Args() []Arg { return micros[m.Row].args(m.Type) }

// Fields returns the names of the numbers that it reads from the frame.
func (m *Micro) Fields() []string { return micros[m.Row].fields }

// FieldAt returns where in Frame.Step field i is: behind the arguments.
func (m *Micro) FieldAt(i int) int { return len(m.Args()) + i }

// Verify returns an error unless the micro-kernel exists for its type.
func (m *Micro) Verify() error {
	if m.Row == NoRow || m.Row >= numRows {
		return errors.New("there is no such micro-kernel")
	}
	for _, d := range micros[m.Row].types {
		if d == m.Type {
			return nil
		}
	}
	return fmt.Errorf("%s is not made for %s", m.Row, m.Type)
}

// BitsType returns the type of unsigned bits that copies of elements of a type are
// made in.
func BitsType(d ir.DType) ir.DType {
	switch d.Size() {
	case 1:
		return ir.Uint8
	case 2:
		return ir.Uint16
	case 4:
		return ir.Uint32
	case 8:
		return ir.Int64 // there are no kernels of uint64
	}
	panic(fmt.Sprintf("BUG: kernel: elements of %s have %d bytes", d, d.Size()))
}

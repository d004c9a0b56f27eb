package nest

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// The meaning of kernels. A reference computes one call, element after element. Its
// input is a block: the sizes of the call and the elements of its arguments. Every
// engine's kernel stores the same bits. References know nothing of loops, slots and
// addresses.

// Block is what one call computes.
type Block interface {
	Rows() int
	Cols() int
	// Field returns the field that Code.Fields has at index i.
	Field(i int) int
	// Get returns an element of an argument, and Set stores one: element inner of line
	// outer, as kernel.Arg names them.
	Get(arg, outer, inner int) uint64
	Set(arg, outer, inner int, element uint64)
}

// Reference is the meaning of a kernel. The sizes of the block are those that the
// kernel takes.
type Reference func(b Block)

// ReferenceOf returns the meaning of a kernel or a micro-kernel, or an error if it is
// not valid.
func ReferenceOf(c kernel.Code) (Reference, error) {
	if err := c.Verify(); err != nil {
		return nil, err
	}
	switch c := c.(type) {
	case *kernel.Micro:
		if ref := microReferences[c.Row]; ref != nil {
			return ref, nil
		}
		return nil, fmt.Errorf("micro-kernel %s has no reference", c)
	case *kernel.Kernel:
		return kernelReference(c), nil
	}
	panic(fmt.Sprintf("BUG: nest: a %T is no kernel", c))
}

// microReferences has the meaning of each micro-kernel.
var microReferences = map[kernel.Row]Reference{
	kernel.Pack: func(b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				b.Set(1, r, c, b.Get(0, r, c))
			}
		}
	},
}

// kernelReference returns the meaning of a kernel by what its body and its stores are.
func kernelReference(k *kernel.Kernel) Reference {
	switch {
	case k.Dots():
		return dotReference(k.In[0].DType)
	case k.Transposes():
		return transposeReference
	case k.Scans():
		return scanReference(k)
	case k.Down:
		return columnReference(k)
	}
	return rowReference(k)
}

// rowReference computes a body: an output without a combiner stores its elements, one
// with a combiner stores what ir.FoldRow gives of a row.
func rowReference(k *kernel.Kernel) Reference {
	ins, body := len(k.In), elementary.Expand(k)
	return func(b Block) {
		in, rows := make([]uint64, ins), make([][]uint64, len(k.Out))
		for r := range b.Rows() {
			for o := range rows {
				rows[o] = rows[o][:0]
			}
			for c := range b.Cols() {
				for i := range in {
					in[i] = b.Get(i, r, column(k.In[i], c))
				}
				for o, element := range body.Eval(in) {
					if k.FoldOf(o) == ir.OpInvalid {
						b.Set(ins+o, r, c, element)
					} else {
						rows[o] = append(rows[o], element)
					}
				}
			}
			for o, row := range rows {
				if len(row) > 0 {
					b.Set(ins+o, r, 0, ir.FoldRow(k.FoldOf(o), k.DType(k.Out[o]), row))
				}
			}
		}
	}
}

// column returns which element of a row of an operand column c reads.
func column(in kernel.Operand, c int) int {
	if in.Splat {
		return 0
	}
	return c
}

// columnReference reduces down the columns: field 0 is the length of the lines.
func columnReference(k *kernel.Kernel) Reference {
	body := elementary.Expand(k)
	return func(b Block) {
		in := make([]uint64, len(k.In))
		for r := range b.Rows() {
			for c := range b.Cols() {
				var line []uint64
				for e := range b.Field(0) {
					for i := range in {
						if k.In[i].Splat {
							in[i] = b.Get(i, r, e)
						} else {
							in[i] = b.Get(i, e, c)
						}
					}
					line = append(line, body.Eval(in)[0])
				}
				b.Set(len(in), r, c, ir.FoldRow(k.Fold[0], k.DType(k.Out[0]), line))
			}
		}
	}
}

// scanReference computes prefix scans of rows: argument 0 is the row, the others are
// its states.
func scanReference(k *kernel.Kernel) Reference {
	ins := len(k.In)
	return func(b Block) {
		for r := range b.Rows() {
			row, states := make([]uint64, b.Cols()), make([]uint64, ins-1)
			if len(row) == 0 {
				continue
			}
			for c := range row {
				row[c] = b.Get(0, r, c)
			}
			for i := range states {
				states[i] = b.Get(1+i, r, 0)
			}
			for o, elements := range k.ScanRow(row, states) {
				for c, element := range elements {
					b.Set(ins+o, r, c, element)
				}
			}
		}
	}
}

// transposeReference copies a block with its rows and columns exchanged: the lines of
// the input are the columns.
func transposeReference(b Block) {
	for r := range b.Rows() {
		for c := range b.Cols() {
			b.Set(1, r, c, b.Get(0, c, r))
		}
	}
}

// dotReference computes a block of a product: one chunk of ir.DotLine's pairs. Field 1
// is the number of pairs, field 2 is not 0 to add to what is stored.
func dotReference(d ir.DType) Reference {
	return func(b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				x, y := make([]uint64, b.Field(1)), make([]uint64, b.Field(1))
				for e := range x {
					x[e], y[e] = b.Get(0, r, e), b.Get(1, e, c)
				}
				sum := ir.DotLine(d, x, y, false)
				if b.Field(2) != 0 {
					sum = ir.OpAdd.Info().Ref(d, d, [3]uint64{b.Get(2, r, c), sum})
				}
				b.Set(2, r, c, sum)
			}
		}
	}
}

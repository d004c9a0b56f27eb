package kernel

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
)

// The meaning of kernels. A reference computes one call, element after element. Its
// input is a block: the extents of the call and the elements of its arguments. Every
// engine's kernel stores the same bits. References have no addresses.

// Block is the extents of a call and the elements of its arguments.
type Block interface {
	Rows() int
	Cols() int
	// Field returns field i of Code.Fields.
	Field(i int) int
	// Get returns element inner of line outer of an argument, in the terms of Arg. Set stores it.
	Get(arg, outer, inner int) uint64
	Set(arg, outer, inner int, element uint64)
}

// Reference computes a call of a kernel in the given arithmetic. The extents of the block must be within LimitsOf.
type Reference func(f ir.Arithmetic, b Block)

// ReferenceOf returns the meaning of a valid kernel. expand replaces composed ops by lane ops, as elementary.Expand does.
func ReferenceOf(c Code, expand func(*Kernel) *Kernel) Reference {
	switch c := c.(type) {
	case *Kernel:
		return elementwise(c, expand(c))
	case *Micro:
		if c.Body == nil {
			return micros[c.Kind].meaning(c, nil)
		}
		return micros[c.Kind].meaning(c, expand(c.Body))
	}
	panic(fmt.Sprintf("BUG: kernel: a %T is no kernel", c))
}

// elementwise computes a body for each element.
func elementwise(k, expanded *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		in, evaluate, args := make([]uint64, len(k.In)), expanded.Evaluator(f), k.ArgsOf()
		for r := range b.Rows() {
			for c := range b.Cols() {
				for o, element := range evaluate(k.elements(b, args, in, r, c)) {
					b.Set(args[len(in)+o], r, k.place(len(in)+o, c), element)
				}
			}
		}
	}
}

// elements fills in with the elements that the body reads at a row and column. args has the argument of each operand.
func (k *Kernel) elements(b Block, args []int, in []uint64, r, c int) []uint64 {
	for i := range in {
		in[i] = b.Get(args[i], r, k.place(i, c))
	}
	return in
}

// place returns the element of its argument's line that an operand has at a column.
func (k *Kernel) place(operand, column int) int {
	c := k.member(operand)
	switch {
	case operand < len(k.In) && k.In[operand].Splat:
		return 0
	case c.Of > 0:
		return column*int(c.Of) + int(c.At)
	}
	return column
}

func packMeaning(*Micro, *Kernel) Reference {
	return func(_ ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				b.Set(1, r, c, b.Get(0, r, c))
			}
		}
	}
}

func prefetchMeaning(*Micro, *Kernel) Reference { return func(ir.Arithmetic, Block) {} }

func transposeMeaning(*Micro, *Kernel) Reference {
	return func(_ ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				b.Set(1, r, c, b.Get(0, c, r))
			}
		}
	}
}

func insertMeaning(*Micro, *Kernel) Reference {
	return func(_ ir.Arithmetic, b Block) {
		for r := range b.Rows() {
			for c := range b.Cols() {
				if c == b.Field(0) {
					b.Set(2, r, c, b.Get(0, r, 0))
				} else {
					b.Set(2, r, c, b.Get(1, r, c))
				}
			}
		}
	}
}

// dotMeaning returns the meaning of a product by an op: one chunk of the pairs of ir.DotLine.
func dotMeaning(op ir.Op) func(*Micro, *Kernel) Reference {
	return func(m *Micro, _ *Kernel) Reference {
		d := m.Type
		return func(f ir.Arithmetic, b Block) {
			x, y := make([]uint64, b.Field(DotPairs)), make([]uint64, b.Field(DotPairs))
			for r := range b.Rows() {
				for c := range b.Cols() {
					for k := range x {
						x[k], y[k] = b.Get(0, r, k), b.Get(1, k, c)
					}
					op.Widen(y)
					sum := f.DotLine(op.Info().By, d, x, y, false)
					if b.Field(DotAdds) != 0 {
						sum = f.Combine(ir.OpAdd, d, b.Get(2, r, c), sum)
					}
					b.Set(2, r, c, sum)
				}
			}
		}
	}
}

// scanMeaning computes running values. The state of a row is its running value, of ir.RunType, which starts as the identity and is
// rounded for each result, and optionally its carry, of PartialType. The carry, rounded, is combined with each running
// value to give the result. Unrounded, it is combined with the last running value to give the carry of the next chunk.
func scanMeaning(m *Micro, _ *Kernel) Reference {
	d, state, wide, outs := m.Type, ir.RunType(m.Op, m.Type), ir.PartialType(m.Op, m.Type), len(m.Args())/2
	return func(f ir.Arithmetic, b Block) {
		if b.Cols() == 0 {
			return
		}
		for r := range b.Rows() {
			run, carry, rounded := b.Get(1, r, 0), uint64(0), uint64(0)
			if m.Carry {
				carry = b.Get(2, r, 0)
				rounded = f.Cast(wide, d, carry)
			}
			for c := range b.Cols() {
				run = f.Combine(m.Op, state, run, f.Cast(d, state, b.Get(0, r, c)))
				result := f.Cast(state, d, run)
				if m.Carry {
					result = f.Combine(m.Op, d, rounded, run)
				}
				b.Set(outs, r, c, result)
			}
			b.Set(outs+1, r, 0, run)
			if m.Carry {
				b.Set(outs+2, r, 0, f.Combine(m.Op, wide, carry, f.Cast(d, wide, run)))
			}
		}
	}
}

// reduceMeaning computes the body of each row, and combines the values as ir.ReduceRow does.
func reduceMeaning(m *Micro, expanded *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		in, rows := make([]uint64, len(m.Body.In)), make([][]uint64, len(m.Combine))
		evaluate, args := expanded.Evaluator(f), m.Body.ArgsOf()
		for r := range b.Rows() {
			for c := range b.Cols() {
				for o, element := range evaluate(m.Body.elements(b, args, in, r, c)) {
					if m.Combine[o] == ir.OpInvalid {
						b.Set(len(in)+o, r, c, element)
					} else {
						rows[o] = append(rows[o], element)
					}
				}
			}
			for o, row := range rows {
				if len(row) > 0 {
					b.Set(len(in)+o, r, 0, f.ReduceRow(m.Combine[o], m.Body.OutType(o), row))
				}
				rows[o] = row[:0]
			}
		}
	}
}

// columnMeaning combines the elements of a column of each unit operand and of a row of each splat operand.
func columnMeaning(m *Micro, expanded *Kernel) Reference {
	return func(f ir.Arithmetic, b Block) {
		in, line := make([]uint64, len(m.Body.In)), make([]uint64, b.Field(0))
		evaluate := expanded.Evaluator(f)
		for r := range b.Rows() {
			for c := range b.Cols() {
				for i := range line {
					for o, operand := range m.Body.In {
						if operand.Splat {
							in[o] = b.Get(o, r, i)
						} else {
							in[o] = b.Get(o, i, c)
						}
					}
					line[i] = evaluate(in)[0]
				}
				b.Set(len(in), r, c, f.ReduceRow(m.Op, m.Body.OutType(0), line))
			}
		}
	}
}

package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// The slow definition of what plans mean, for tests.

func groupOf(p *plan.Plan, i int) *plan.RowGroup {
	for k := range p.Rows {
		if g := &p.Rows[k]; g.First <= i && i <= g.Last {
			return g
		}
	}
	return nil
}

// referenceGroup takes one block of rows after the other through the steps.
func referenceGroup(p *plan.Plan, g *plan.RowGroup, data [][]uint64) {
	lead := len(g.Outer) - 1
	rows, n := 1, g.Outer[lead]
	for _, e := range g.Outer[:lead] {
		rows *= e
	}
	for r := range rows {
		for from := 0; from < n; from += g.Block {
			for i := g.First; i <= g.Last; i++ {
				s := p.Steps[i]
				along := g.Along[i-g.First]
				s.Extents = append([]int{}, s.Extents...)
				s.Operands = append([]plan.Access{}, s.Operands...)
				s.Extents[along] = min(g.Block, n-from)
				for o := range s.Operands {
					a := &s.Operands[o]
					if p.Buffers[a.Buffer].Kind == plan.ScratchBuffer {
						continue
					}
					a.Offset += from * a.Strides[along]
					for k, at := lead-1, r; k >= 0; k-- {
						a.Offset += at % g.Outer[k] * a.Strides[k]
						at /= g.Outer[k]
					}
				}
				for k := range lead {
					s.Extents[k] = 1
				}
				referenceStep(&s, data)
			}
		}
	}
}

// referenceStep computes line after line: what is folded, and else one element.
func referenceStep(s *plan.FlatStep, data [][]uint64) {
	body := elementary.Expand(s.Kernel)
	axis := len(s.Extents) - 1
	if s.Down {
		axis--
	}
	n := 1
	lines := append([]int{}, s.Extents...)
	if s.Folds() {
		n, lines[axis] = lines[axis], 1
	}
	ins := len(s.Kernel.In)
	in := make([]uint64, ins)
	folded := make([][]uint64, len(s.Operands))
	for line := range (layout.Layout{Shape: lines, Strides: layout.RowMajor(lines...).Strides}).All() {
		at := func(o, i int) *uint64 {
			a, k := s.Operands[o], line
			where := a.Offset + i*a.Strides[axis]
			for axis := len(lines) - 1; axis >= 0; axis-- {
				where += k % lines[axis] * a.Strides[axis]
				k /= lines[axis]
			}
			return &data[a.Buffer][where]
		}
		clear(folded)
		for i := range n {
			for o := range in {
				if s.Accumulates(o) {
					by := accumulatedBy(s, o)
					in[o], _ = by.Info().Identity(s.Kernel.In[o].DType)
				} else {
					in[o] = *at(o, i)
				}
			}
			for o, v := range body.Eval(in) {
				if o += ins; s.Accumulates(o) || s.Kernel.FoldOf(o-ins) != ir.OpInvalid {
					folded[o] = append(folded[o], v)
				} else {
					*at(o, i) = v
				}
			}
		}
		for o, values := range folded {
			by := s.Kernel.FoldOf(max(0, o-ins))
			if s.Down && values != nil {
				by = accumulatedBy(s, o)
			}
			for c := 0; c*ir.FoldChunk < len(values); c++ {
				*at(o, c) = ir.FoldRow(by, s.Kernel.DType(s.Kernel.Out[o-ins]), values[c*ir.FoldChunk:min(len(values), (c+1)*ir.FoldChunk)])
			}
		}
	}
}

// accumulatedBy returns the op that an accumulator folds by.
func accumulatedBy(s *plan.FlatStep, o int) ir.Op {
	for i, value := range s.Kernel.Out {
		if s.Operands[len(s.Kernel.In)+i].Buffer == s.Operands[o].Buffer {
			return s.Kernel.Inst(value).Op
		}
	}
	return ir.OpInvalid
}

// interpret makes a kernel from the body's definition.
func interpret(k *kernel.Kernel) func(*abi.Frame) {
	body := elementary.Expand(k)
	return func(f *abi.Frame) {
		in := make([]uint64, len(k.In))
		for r := range f.Rows {
			folded := make([][]uint64, len(k.Out))
			for c := range f.Cols {
				at := func(i int, dt ir.DType, splat bool) unsafe.Pointer {
					if splat {
						return unsafe.Add(f.Ptr[i], r*f.Step[i])
					}
					return unsafe.Add(f.Ptr[i], r*f.Step[i]+c*dt.Size())
				}
				for i, o := range k.In {
					in[i] = loadElement(o.DType, at(i, o.DType, o.Splat))
				}
				for o, v := range body.Eval(in) {
					dt := k.DType(k.Out[o])
					if k.FoldOf(o) == ir.OpInvalid {
						memory.StoreBits(dt, at(len(in)+o, dt, false), v)
						continue
					}
					folded[o] = append(folded[o], v)
					if c == f.Cols-1 {
						memory.StoreBits(dt, at(len(in)+o, dt, true), ir.FoldRow(k.Fold[o], dt, folded[o]))
					}
				}
			}
		}
	}
}

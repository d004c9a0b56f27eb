package passes

import (
	"slices"

	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/eval"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// interpret runs a plan by its definition: step by step, block by block, with
// temporaries in one poisoned arena as the executor has them.
func interpret(p *plan.Plan, inputs []eval.Array) []eval.Array {
	const poison = 0x7ff8dead7fc0dead
	arena := make([]uint64, p.Arena) // an element per byte is enough to keep places apart
	for i := range arena {
		arena[i] = poison
	}
	mem := make([][]uint64, len(p.Buffers))
	from := make([]int, len(p.Buffers)) // location of mem's first element
	var results []eval.Array
	for i, b := range p.Buffers {
		switch b.Kind {
		case plan.ParamBuffer:
			l := layout.RowMajor(b.Shape...)
			if b.At != nil {
				l = *b.At
			}
			lo, hi := l.Bounds()
			mem[i], from[i] = make([]uint64, max(0, hi-lo+1)), lo
			k := 0
			for at := range l.All() {
				mem[i][at-lo] = inputs[b.Index].Data[k]
				k++
			}
		case plan.ResultBuffer:
			mem[i] = make([]uint64, b.Size())
			results = append(results, eval.Array{DType: b.DType, Shape: b.Shape, Data: mem[i]})
		case plan.ConstBuffer:
			mem[i] = []uint64{b.Bits}
		case plan.IotaBuffer:
			for k := range b.Size() {
				mem[i] = append(mem[i], ir.ElementOf(b.DType, k))
			}
		}
	}
	for i := range p.Steps {
		m := &machine{p: p, arena: arena, mem: mem, from: from}
		if g := groupOf(p, i); g == nil {
			m.step(&p.Steps[i])
		} else if g.First == i {
			m.scratch = make([]uint64, g.Scratch)
			m.group(g)
		}
	}
	return results
}

func groupOf(p *plan.Plan, i int) *plan.RowGroup {
	for k := range p.Rows {
		if g := &p.Rows[k]; g.First <= i && i <= g.Last {
			return g
		}
	}
	return nil
}

// machine runs steps on the memory of a plan.
type machine struct {
	p       *plan.Plan
	arena   []uint64
	scratch []uint64
	mem     [][]uint64
	from    []int
}

// place returns an element. Element k of a temporary, of size s, is at the arena's
// byte Offset + k*s.
func (m *machine) place(a plan.Access, index []int) *uint64 {
	at := a.Offset
	for d, i := range index {
		at += i * a.Strides[d]
	}
	b := &m.p.Buffers[a.Buffer]
	switch b.Kind {
	case plan.TempBuffer:
		return &m.arena[b.Offset+at*b.DType.Size()]
	case plan.ScratchBuffer:
		return &m.scratch[b.Offset+at*b.DType.Size()]
	}
	return &m.mem[a.Buffer][at-m.from[a.Buffer]]
}

// group takes one block of rows after the other through the steps.
func (m *machine) group(g *plan.RowGroup) {
	lead := len(g.Outer) - 1
	for outer := range indices(g.Outer[:lead]) {
		for from := 0; from < g.Outer[lead]; from += g.Block {
			for i := g.First; i <= g.Last; i++ {
				s := *g.OneBlock(&m.p.Steps[i], i)
				along := g.Along[i-g.First]
				s.Extents[along] = min(g.Block, g.Outer[lead]-from)
				s.Operands = slices.Clone(s.Operands)
				for o := range s.Operands {
					a := &s.Operands[o]
					if m.p.Buffers[a.Buffer].Kind != plan.ScratchBuffer {
						a.Offset += from * a.Strides[along]
						for k, at := range outer {
							a.Offset += at * a.Strides[k]
						}
					}
				}
				m.step(&s)
			}
		}
	}
}

// step computes line after line: what is folded, or one element.
func (m *machine) step(s *plan.FlatStep) {
	if s.Kernel.Dots() {
		m.dot(s)
		return
	}
	axis := len(s.Extents) - 1
	if s.Down {
		axis--
	}
	n, lines := 1, slices.Clone(s.Extents)
	if s.Folds() || s.Scan != plan.NoScan {
		n, lines[axis] = lines[axis], 1
	}
	if s.Scan != plan.NoScan {
		m.scan(s, axis, n, lines)
		return
	}
	k := elementary.Expand(s.Kernel)
	ins := len(k.In)
	in := make([]uint64, ins)
	for index := range indices(lines) {
		folded := make([][]uint64, len(k.Out))
		for i := range n {
			index[axis] += i
			for o := range in {
				if s.Accumulates(o) {
					in[o], _ = foldedBy(s, s.Operands[o].Buffer).Info().Identity(k.In[o].DType)
				} else {
					in[o] = *m.place(s.Operands[o], index)
				}
			}
			for o, v := range k.Eval(in) {
				if s.Accumulates(ins+o) || k.FoldOf(o) != ir.OpInvalid {
					folded[o] = append(folded[o], v)
				} else {
					*m.place(s.Operands[ins+o], index) = v
				}
			}
			index[axis] -= i
		}
		for o, line := range folded {
			by := s.Kernel.FoldOf(o)
			if s.Down {
				by = foldedBy(s, s.Operands[ins+o].Buffer)
			}
			c := 0
			for chunk := range slices.Chunk(line, ir.FoldChunk) {
				index[axis] += c
				*m.place(s.Operands[ins+o], index) = ir.FoldRow(by, k.DType(k.Out[o]), chunk)
				index[axis] -= c
				c++
			}
		}
	}
}

// scan stores the running values of line after line.
func (m *machine) scan(s *plan.FlatStep, axis, n int, lines []int) {
	in, out := s.Operands[0], s.Operands[1]
	for index := range indices(lines) {
		x := make([]uint64, n)
		for i := range n {
			index[axis] = i
			x[i] = *m.place(in, index)
		}
		for i, v := range ir.ScanLine(s.Kernel.Fold[0], s.Kernel.In[0].DType, x, s.Scan == plan.Exclusive) {
			index[axis] = i
			*m.place(out, index) = v
		}
		index[axis] = 0
	}
}

// dot computes a product element by element.
func (m *machine) dot(s *plan.FlatStep) {
	axis := len(s.Extents) - 3
	lines := slices.Clone(s.Extents)
	pairs := lines[axis]
	lines[axis] = 1
	d := s.Kernel.In[0].DType
	width := kernel.DotColumns(d)
	for index := range indices(lines) {
		x, y := make([]uint64, pairs), make([]uint64, pairs)
		col := index[axis+2]
		for k := range pairs {
			index[axis] = k
			x[k] = *m.place(s.Operands[0], index)
			if s.Panels { // row k of the panel, which begins where its first column would
				panel := col / width * width
				index[axis], index[axis+2] = 0, panel
				right := s.Operands[1]
				right.Offset += k*width + col - panel
				y[k] = *m.place(right, index)
				index[axis+2] = col
			} else {
				y[k] = *m.place(s.Operands[1], index)
			}
		}
		index[axis] = 0
		*m.place(s.Operands[2], index) = ir.DotLine(d, x, y, false)
	}
}

// foldedBy returns the op by which a step folds down into a buffer.
func foldedBy(s *plan.FlatStep, buffer int) ir.Op {
	for o, value := range s.Kernel.Out {
		if in := s.Kernel.Inst(value); in != nil && s.Operands[len(s.Kernel.In)+o].Buffer == buffer {
			return in.Op
		}
	}
	return ir.OpInvalid
}

// indices enumerates the indices of a box in row-major order.
func indices(extents []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		index := make([]int, len(extents))
		for {
			if !yield(index) {
				return
			}
			d := len(index) - 1
			for ; d >= 0; d-- {
				if index[d]++; index[d] < extents[d] {
					break
				}
				index[d] = 0
			}
			if d < 0 {
				return
			}
		}
	}
}

package eval

import (
	"fmt"
	"iter"
	"slices"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/ir/plan"
)

// poison is the content of memory that has not been written.
const poison = 0x7ff8dead7fc0dead

// Plan computes a plan by its definition: step after step, row groups block after block, one element after another.
// Temporaries are in one arena at their offsets, and scratch is poisoned before each block, so that wrong use of memory
// gives wrong results. Inputs and results are in row-major order. The plan must verify.
func Plan(p *plan.Plan, inputs []Array) (results []Array, err error) {
	return PlanIn(ir.Defined, p, inputs)
}

// PlanIn computes a plan in an arithmetic, such as ir.Uninterpreted.
func PlanIn(f ir.Arithmetic, p *plan.Plan, inputs []Array) (results []Array, err error) {
	defer ir.CatchIndex(&err)
	if err := p.Verify(); err != nil {
		return nil, err
	}
	for i := range p.Buffers {
		if p.Buffers[i].Size() > maxElems {
			return nil, fmt.Errorf("a buffer of more than %d elements is not evaluated", maxElems)
		}
	}
	if p.Arena > maxElems {
		return nil, fmt.Errorf("an arena of more than %d bytes is not evaluated", maxElems)
	}
	m := &machine{f: f, p: p, arena: poisoned(p.Arena), mem: make([][]uint64, len(p.Buffers)), from: make([]int, len(p.Buffers))}
	results, err = m.buffers(inputs)
	if err != nil {
		return nil, err
	}
	for i := range p.Steps {
		switch g := groupOf(p, i); {
		case g == nil:
			m.step(&p.Steps[i])
		case g.First == i:
			m.group(g)
		}
	}
	return results, nil
}

func poisoned(n int) []uint64 { return slices.Repeat([]uint64{poison}, n) }

func groupOf(p *plan.Plan, i int) *plan.RowGroup {
	for k := range p.Rows {
		if g := &p.Rows[k]; g.First <= i && i <= g.Last {
			return g
		}
	}
	return nil
}

// machine is the memory of a plan.
type machine struct {
	f       ir.Arithmetic
	p       *plan.Plan
	arena   []uint64 // one element per byte, enough to keep elements separate
	scratch []uint64 // the same for the scratch of the current row group
	mem     [][]uint64
	from    []int // location of mem's first element
}

// buffers allocates the buffers that are not in an arena.
func (m *machine) buffers(inputs []Array) (results []Array, err error) {
	for i, b := range m.p.Buffers {
		switch b.Kind {
		case plan.ParamBuffer:
			if m.mem[i], m.from[i], err = located(&b, inputs); err != nil {
				return nil, err
			}
		case plan.ResultBuffer:
			m.mem[i] = poisoned(b.Size())
			results = append(results, Array{DType: b.DType, Shape: b.Shape, Data: m.mem[i]})
		case plan.ConstBuffer:
			m.mem[i] = []uint64{b.Bits}
		case plan.IotaBuffer:
			for k := range b.Size() {
				m.mem[i] = append(m.mem[i], ir.ElementOf(b.DType, k))
			}
		}
	}
	return results, nil
}

// located returns the elements of a param at the locations of its layout, and the location of the first.
func located(b *plan.Buffer, inputs []Array) (data []uint64, from int, err error) {
	if b.Index >= len(inputs) || len(inputs[b.Index].Data) != b.Size() {
		return nil, 0, fmt.Errorf("input %d has not the elements of %v", b.Index, b.Shape)
	}
	l := layout.RowMajor(b.Shape...)
	if b.At != nil {
		l = *b.At
	}
	return spread(inputs[b.Index].Data, l)
}

// place returns an element.
func (m *machine) place(a *plan.Access, index []int) *uint64 {
	mem, at, _ := m.locate(a, index, 0)
	return &mem[at]
}

// locate returns the memory and the place in it of an element, and how far apart two elements are that are stride apart in the
// buffer. Element k of a temporary, of size s, is at the arena's byte Offset + k*s.
func (m *machine) locate(a *plan.Access, index []int, stride int) (mem []uint64, at, apart int) {
	at = a.Offset
	for k, i := range index {
		if p := a.Panel; p != nil && p.Axis == k {
			at += i / p.Size * p.Stride
			i %= p.Size
		}
		at += i * a.Strides[k]
	}
	b := &m.p.Buffers[a.Buffer]
	switch size := b.DType.Size(); b.Kind {
	case plan.TempBuffer:
		return m.arena, b.Offset + at*size, stride * size
	case plan.ScratchBuffer:
		return m.scratch, b.Offset + at*size, stride * size
	}
	return m.mem[a.Buffer], at - m.from[a.Buffer], stride
}

// load fills line with the elements of an access along an axis, from index on.
func (m *machine) load(a *plan.Access, index []int, axis int, line []uint64) {
	if p := a.Panel; p != nil && p.Axis == axis {
		for i := range line {
			index[axis] = i
			line[i] = *m.place(a, index)
		}
		index[axis] = 0
		return
	}
	mem, at, apart := m.locate(a, index, a.Strides[axis])
	for i := range line {
		line[i] = mem[at+i*apart]
	}
}

// group runs a row group: one block of rows after the other through all steps.
func (m *machine) group(g *plan.RowGroup) {
	lead := len(g.Outer) - 1
	for outer := range indices(g.Outer[:lead]) {
		for from := 0; from < g.Outer[lead]; from += g.Block {
			m.scratch = poisoned(g.Scratch)
			for i := g.First; i <= g.Last; i++ {
				s := *g.OneBlock(&m.p.Steps[i], i)
				along := g.Along[i-g.First]
				s.Axes[along].Extent = min(g.Block, g.Outer[lead]-from)
				move := func(a plan.Access) plan.Access {
					if m.p.Buffers[a.Buffer].Kind != plan.ScratchBuffer {
						a.Offset += from * a.Strides[along]
						for k, at := range outer {
							a.Offset += at * a.Strides[k]
						}
					}
					return a
				}
				s.In, s.Out = slices.Clone(s.In), slices.Clone(s.Out)
				for o := range s.In {
					s.In[o] = move(s.In[o])
				}
				for o := range s.Out {
					s.Out[o].Access = move(s.Out[o].Access)
				}
				m.step(&s)
			}
		}
	}
}

// step computes a step line by line. A line is the axis that is not parallel, or a single index if all axes are.
func (m *machine) step(s *plan.Step) {
	axis := s.Along()
	lines := s.Extents()
	n := 1
	if axis >= 0 {
		n, lines[axis] = lines[axis], 1
	}
	if s.Contracts() {
		lines = s.OutExtents(0)
	}
	evaluate := elementary.Expand(s.Body).Evaluator(m.f)
	in, values, element := linesOf(len(s.In), n), linesOf(len(s.Out), n), make([]uint64, len(s.In))
	for index := range indices(lines) {
		switch {
		case s.Contracts():
			m.contract(s, index)
		case s.OnLines():
			m.line(s, index, axis, n)
		default:
			m.values(s, evaluate, index, axis, in, values, element)
			for o := range s.Out {
				m.store(s, o, index, axis, values[o])
			}
		}
	}
}

// linesOf returns lines of n elements.
func linesOf(lines, n int) [][]uint64 {
	all := make([][]uint64, lines)
	for k := range all {
		all[k] = make([]uint64, n)
	}
	return all
}

// values computes the body along a line: for each output its values, in out. The operands of the line are loaded first, into in.
func (m *machine) values(s *plan.Step, evaluate func([]uint64) []uint64, index []int, axis int, in, out [][]uint64, element []uint64) {
	for o := range s.In {
		if axis < 0 {
			in[o][0] = *m.place(&s.In[o], index)
		} else {
			m.load(&s.In[o], index, axis, in[o])
		}
	}
	for i := range out[0] {
		for o := range in {
			element[o] = in[o][i]
		}
		for o, v := range evaluate(element) {
			out[o][i] = v
		}
	}
}

// store stores a line of an output, or the result of combining it.
func (m *machine) store(s *plan.Step, o int, index []int, axis int, line []uint64) {
	out, d := s.Out[o], s.Body.DType(s.Body.Out[o])
	switch {
	case s.Scans():
		line = m.f.ScanLine(out.Combine, d, line, s.Exclusive())
	case !out.Stored():
		var chunks []uint64
		for chunk := range slices.Chunk(line, ir.ReduceChunk) {
			chunks = append(chunks, m.f.ReduceRow(out.Combine, d, chunk))
		}
		line = chunks
	}
	for i, v := range line {
		if axis >= 0 {
			index[axis] = i
		}
		*m.place(&out.Access, index) = v
	}
	if axis >= 0 {
		index[axis] = 0
	}
}

// line computes one line.
func (m *machine) line(s *plan.Step, index []int, axis, n int) {
	in := make([][]uint64, len(s.In))
	for k := range s.In {
		length := n
		if line := s.In[k].Line; line != 0 {
			length = line
		}
		in[k] = make([]uint64, length)
		m.load(&s.In[k], index, axis, in[k])
	}
	by := s.Out[0].Combine
	for i, e := range by.Info().Line(m.f, by, s.Body.In[0].DType, in)[:n] {
		index[axis] = i
		*m.place(&s.Out[0].Access, index) = e
	}
	index[axis] = 0
}

// contract computes one element of a product.
func (m *machine) contract(s *plan.Step, index []int) {
	op, at := kernel.ProductOf(s.Body), s.Product()
	pairs := s.Extents()[at.Pairs:at.Rows]
	n := 1
	for _, extent := range pairs {
		n *= extent
	}
	x, y := make([]uint64, 0, n), make([]uint64, 0, n)
	for pair := range indices(pairs) {
		copy(index[at.Pairs:], pair)
		x, y = append(x, *m.place(&s.In[0], index)), append(y, *m.place(&s.In[1], index))
	}
	op.Widen(y)
	clear(index[at.Pairs:at.Rows])
	*m.place(&s.Out[0].Access, index) = m.f.DotLine(op.Info().By, s.Body.In[0].DType, x, y, false)
}

// indices yields every index of a shape, in row-major order.
func indices(shape []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		index := make([]int, len(shape))
		if slices.Contains(shape, 0) {
			return
		}
		for {
			if !yield(index) {
				return
			}
			k := len(shape) - 1
			for ; k >= 0; k-- {
				if index[k]++; index[k] < shape[k] {
					break
				}
				index[k] = 0
			}
			if k < 0 {
				return
			}
		}
	}
}

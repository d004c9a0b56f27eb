package passes

import (
	"github.com/stridefuse/stridefuse/ir"
)

// interpret runs a plan by its definition: step by step, block by block, with
// temporaries in one poisoned arena as the executor has them.
func interpret(p *ir.Plan, inputs []ir.Array) []ir.Array {
	const poison = 0x7ff8dead7fc0dead
	arena := make([]uint64, p.Arena) // an element per byte is enough to keep places apart
	for i := range arena {
		arena[i] = poison
	}
	mem := make([][]uint64, len(p.Buffers))
	from := make([]int, len(p.Buffers)) // location of mem's first element
	var results []ir.Array
	for i, b := range p.Buffers {
		switch b.Kind {
		case ir.ParamBuffer:
			l := ir.RowMajor(b.Shape...)
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
		case ir.ResultBuffer:
			mem[i] = make([]uint64, b.Size())
			results = append(results, ir.Array{DType: b.DType, Shape: b.Shape, Data: mem[i]})
		case ir.ConstBuffer:
			mem[i] = []uint64{b.Bits}
		}
	}
	// A temporary's element k of size s is at the arena's byte Offset + k*s.
	place := func(a ir.Access, index []int) *uint64 {
		at := a.Offset
		for d, i := range index {
			at += i * a.Strides[d]
		}
		b := &p.Buffers[a.Buffer]
		if b.Kind == ir.TempBuffer {
			return &arena[b.Offset+at*b.DType.Size()]
		}
		return &mem[a.Buffer][at-from[a.Buffer]]
	}
	for _, step := range p.Steps {
		k := step.Kernel.Expand()
		in := make([]uint64, len(k.In))
		for index := range indices(step.Extents) {
			for i := range k.In {
				in[i] = *place(step.Operands[i], index)
			}
			for i, v := range k.Eval(in) {
				*place(step.Operands[len(k.In)+i], index) = v
			}
		}
	}
	return results
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

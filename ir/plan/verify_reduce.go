package plan

import (
	"fmt"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// CheckDown returns an error unless the outputs of a Down step are folded by
// accumulators as its comment says, one at least: an op that folds combines the
// accumulator, which nothing else reads, with something, and the result is that
// output alone.
func (s *FlatStep) CheckDown() error {
	if s.Kernel.Fold != nil {
		return fmt.Errorf("a step that folds its columns is not down")
	}
	k, found := s.Kernel, false
	for o, value := range k.Out {
		out := len(k.In) + o
		if !s.Accumulates(out) {
			continue
		}
		found = true
		in := s.accumulator(out)
		by := k.Inst(value)
		switch {
		case in < 0:
			return fmt.Errorf("output %d: two operands in the buffer of its accumulator", o)
		case k.In[in].Splat || !sameElements(s.Reach(out), s.Operands[in], s.Operands[out]):
			return fmt.Errorf("output %d: its accumulator lies elsewhere", o)
		case by == nil || by.Arity() != 2 || by.Args[0] != kernel.Ref(in) && by.Args[1] != kernel.Ref(in):
			return fmt.Errorf("output %d: it does not come from its accumulator", o)
		case k.Uses(kernel.Ref(in)) != 1 || k.Uses(value) != 1:
			return fmt.Errorf("output %d: its accumulator, or what it becomes, has another use", o)
		}
		if _, err := ir.InferFold(ir.Attr{By: by.Op}, ir.Type{DType: by.DType, Shape: ir.Shape{ir.Fixed(1)}}); err != nil {
			return fmt.Errorf("output %d: %w", o, err)
		}
	}
	if !found {
		return fmt.Errorf("down, and nothing accumulates")
	}
	return nil
}

// accumulator returns the input that is the accumulator of an output, or -1 if
// other operands are in its buffer too.
func (s *FlatStep) accumulator(out int) int {
	in, n := -1, 0
	for i, a := range s.Operands {
		if a.Buffer == s.Operands[out].Buffer {
			n++
			if i < len(s.Kernel.In) {
				in = i
			}
		}
	}
	if n != 2 {
		return -1
	}
	return in
}

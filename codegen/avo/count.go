package avo

import (
	"errors"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Count returns the number of instructions of the main loop of a target's kernel for each step, counting those that end the
// loop but not cold blocks. A step computes as many elements as a vector has 32-bit lanes.
func Count(t codegen.Target, k *kernel.Kernel) (float64, error) {
	b, err := machine.Compile(t.(*isa), elementary.ExpandBut(k, t.(*isa).composed), nil)
	if err != nil {
		return 0, err
	}
	in, n := false, 0
	for _, l := range emit(b, nil).lines {
		switch {
		case l.label == "loop":
			in = true
		case l.label == "tail":
			return float64(n) / float64(b.Unroll), nil
		case in && l.label == "":
			n++
		}
	}
	return 0, errors.New("codegen/avo: a kernel without a loop")
}

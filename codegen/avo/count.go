package avo

import (
	"errors"

	"github.com/stridefuse/stridefuse/codegen"
	"github.com/stridefuse/stridefuse/codegen/machine"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Count returns how many instructions the main loop of a target's kernel has for each step,
// which computes as many elements as a vector has lanes of 32 bits, including those that end the loop, without cold blocks.
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

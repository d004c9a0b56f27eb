package amd64

import (
	"errors"

	"github.com/stridefuse/stridefuse/codegen/vector"
	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Count returns the number of instructions of the main loop of an elementwise kernel for each step, counting those that end the
// loop but not cold blocks. A step computes as many elements as a vector has 32-bit lanes.
func (t *Target) Count(k *kernel.Kernel) (float64, error) {
	b, err := vector.Compile(t, elementary.ExpandBut(k, t.composed), nil)
	if err != nil {
		return 0, err
	}
	in, n := false, 0
	for _, l := range emit(b, nil).Lines {
		switch {
		case l.Label() == "loop":
			in = true
		case l.Label() == "tail":
			return float64(n) / float64(b.Unroll), nil
		case in && l.Label() == "":
			n++
		}
	}
	return 0, errors.New("codegen/amd64: a kernel without a loop")
}

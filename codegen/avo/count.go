package avo

import (
	"errors"

	"github.com/stridefuse/stridefuse/ir/elementary"
	"github.com/stridefuse/stridefuse/ir/kernel"
)

// Count returns how many instructions the main loop of a kernel has for each 8
// elements, the loop's own among them. Detours, which are not in the loop, do
// not count.
func Count(k *kernel.Kernel) (float64, error) {
	b, err := compile(elementary.Expand(k))
	if err != nil {
		return 0, err
	}
	in, n := false, 0
	for _, l := range b.emit().lines {
		switch {
		case l.label == "loop":
			in = true
		case l.label == "tail":
			return float64(n) / float64(b.unroll), nil
		case in && l.label == "":
			n++
		}
	}
	return 0, errors.New("codegen/avo: a kernel without a loop")
}

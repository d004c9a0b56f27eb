package plan

import (
	"github.com/stridefuse/stridefuse/ir/kernel"
)

const (
	// shortCols is up to how many columns a row is short: a kernel that takes such
	// rows one by one spends its time on the vectors at their ends.
	shortCols = 64
	// copiedCols is below how many that costs more than to copy an input.
	copiedCols = 8
	// leastRows is how many short rows are worth it.
	leastRows = 16
	// vectorBytes is the size of a vector. Short rows that fill theirs are well as
	// they are.
	vectorBytes = 32
)

// ShortRows reports whether a kernel had better take many rows of the step as one
// long row: they are short, the outputs lie row behind row, and the executor
// can lay the inputs so. It packs those that lie in any other way. The same row
// again and again, such as one factor for each channel of an image, is packed
// once. So is one element a row, if its operand is a unit: compilation makes it
// one in such a step.
func (s *FlatStep) ShortRows() bool {
	last := len(s.Extents) - 1
	rows, cols := s.Extents[last-1], s.Extents[last]
	if s.Folds() || s.Scan != NoScan || rows < leastRows || cols < 2 || cols > shortCols {
		return false
	}
	widest := 1
	for o, a := range s.Operands {
		value, isOut := kernel.Ref(o), o >= len(s.Kernel.In)
		if isOut {
			value = s.Kernel.Out[o-len(s.Kernel.In)]
		}
		widest = max(widest, s.Kernel.DType(value).Size())
		dense := a.Inner() == 1 && a.Strides[last-1] == cols
		if repeats := a.Strides[last-1] == 0; !dense && (isOut || !repeats && cols >= copiedCols) {
			return false
		}
	}
	return cols*widest%vectorBytes != 0
}

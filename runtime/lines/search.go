package lines

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Binary searches. All elements take the same number of rounds, without a branch that depends on data, so the processor
// searches for the next elements while it waits for the table.

// vectorSearch is the assembly of a search kernel. It searches a nonempty table for whole vectors of values. The turn bits of
// integers are flipped, so that they compare as signed.
type vectorSearch struct {
	find  func(table unsafe.Pointer, extent int, y, out unsafe.Pointer, vectors int, turn uint64)
	lanes int
	turn  uint64
}

// search is a line, and the elements that are searched for in it.
type search struct {
	table, y, out              unsafe.Pointer
	extent, from, count        int
	across, acrossY, acrossOut int // bytes between elements
	right                      bool
}

// searchOf returns the function of a kernel.
func searchOf(m *kernel.Micro, by vectorSearch) func(*abi.Frame) {
	one := map[ir.DType]func(*search){ir.Bool: searchEach[uint8], ir.Uint8: searchEach[uint8], ir.Int32: searchEach[int32], ir.Uint32: searchEach[uint32],
		ir.Int64: searchEach[int64], ir.Uint64: searchEach[uint64], ir.Float32: searchEach[float32], ir.Float64: searchEach[float64]}[m.Type]
	right, size := m.Op == ir.OpSearchSortedRight, m.Type.Size()
	return func(f *abi.Frame) {
		s := search{extent: f.Step[3], count: f.Cols, across: f.Step[4], acrossY: f.Step[5], acrossOut: f.Step[6], right: right}
		rows := f.Rows
		if f.Step[0] == 0 && f.Step[1] == s.count*s.acrossY && f.Step[2] == s.count*s.acrossOut { // one line
			rows, s.count = min(rows, 1), rows*s.count
		}
		for r := 0; r < rows && s.count > 0; r++ {
			row := s
			row.table, row.y, row.out = unsafe.Add(f.Ptr[0], r*f.Step[0]), unsafe.Add(f.Ptr[1], r*f.Step[1]), unsafe.Add(f.Ptr[2], r*f.Step[2])
			if by.find != nil && s.extent > 0 && s.across == size && s.acrossY == size && s.acrossOut == sizeOf[int64]() {
				row.vectors(by)
			}
			one(&row)
		}
	}
}

// vectors finds the positions of the first elements, those that fill whole vectors.
func (s *search) vectors(by vectorSearch) {
	for s.count-s.from >= by.lanes {
		n := min(s.count-s.from, kernel.SearchElems) / by.lanes
		by.find(s.table, s.extent, unsafe.Add(s.y, s.from*s.acrossY), unsafe.Add(s.out, s.from*s.acrossOut), n, by.turn)
		s.from += n * by.lanes
	}
}

// searched is a type of lines that are searched.
type searched interface {
	uint8 | int32 | uint32 | int64 | uint64 | float32 | float64
}

// searchEach finds the positions one by one. NaN is greater than all other elements.
func searchEach[T searched](s *search) {
	for c := s.from; c < s.count; c++ {
		y, at := *(*T)(unsafe.Add(s.y, c*s.acrossY)), 0
		switch {
		case y != y && s.right:
			at = s.extent
		case y != y:
			for left := s.extent; left > 0; {
				half := (left + 1) / 2
				x := *(*T)(unsafe.Add(s.table, (at+half-1)*s.across))
				at += half & -bit(x == x)
				left -= half
			}
		case s.right:
			for left := s.extent; left > 0; {
				half := (left + 1) / 2
				at += half & -bit(*(*T)(unsafe.Add(s.table, (at+half-1)*s.across)) <= y)
				left -= half
			}
		default:
			for left := s.extent; left > 0; {
				half := (left + 1) / 2
				at += half & -bit(*(*T)(unsafe.Add(s.table, (at+half-1)*s.across)) < y)
				left -= half
			}
		}
		*(*int64)(unsafe.Add(s.out, c*s.acrossOut)) = int64(at)
	}
}

// bit returns 1 for true, without a branch.
func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

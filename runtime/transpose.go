package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

const (
	// turnBytes is how much a block has at most of the operands that are turned, in
	// the second-level cache.
	turnBytes = 128 << 10
	// turnWidth is how wide such a block is, in bytes. Memory likes long pieces: of
	// the other operands' rows, which are as wide as the block, and of the columns of
	// those that are turned, which are as high. Measured on float32 of 4096x4096:
	// 256x128 elements take 1.7 times as long as a sum of the same, 128x256 and
	// 512x64 1.9 times, 1024x32 three times; 256x256 fill the cache, 1.9 times.
	turnWidth = 512
	// turnCols is how many columns a step has at least whose operands are turned. The
	// rows of fewer are packed densely instead, tile by tile: they make one.
	turnCols = 64
)

// turn is an operand that is read across. Block by block it is transposed into
// scratch, from where the kernels read it as if it lay like the others.
type turn struct {
	operand int
	across  int // bytes from one element of a column to the next
	next    int // bytes from column to column
	kernel  func(*abi.Frame)
	at      int // in scratch
	line    int // bytes from row to row there
}

// findTurns makes turns of the operands that are read across.
func (s *step) findTurns(cols int) {
	if cols < turnCols {
		return
	}
	for i := range s.operands {
		if o := &s.operands[i]; o.packed && o.transposed() {
			s.turns = append(s.turns, turn{operand: i, across: o.rowStep, next: o.colStep})
			o.packed, o.turned, o.colStep = false, true, o.size
		}
	}
}

// turnedBlock returns the extents of a block of at most so many elements.
func (s *step) turnedBlock(most int) (rows, cols int) {
	bytes, widest := 0, 2
	for _, t := range s.turns {
		size := s.operands[t.operand].size
		bytes, widest = bytes+size, max(widest, size)
	}
	most = min(most, turnBytes/bytes)
	cols = turnWidth / widest
	for cols*cols > most && cols > 1 { // no wider than high
		cols /= 2
	}
	rows = min(s.rows, most/min(s.cols, cols))
	return rows, min(s.cols, most/rows)
}

// linkTurns finds the kernels, and gives the blocks their places behind what else
// is in scratch.
func (s *step) linkTurns(f finder) error {
	for i := range s.turns {
		t := &s.turns[i]
		o := &s.operands[t.operand]
		var err error
		if t.kernel, err = findTranspose(o, f); err != nil {
			return err
		}
		t.at = (s.scratch + memory.Alignment - 1) &^ (memory.Alignment - 1)
		// A cache line more than it needs: rows a power of two apart would fall into
		// few sets of the cache.
		t.line = (s.blockCols*o.size+memory.Alignment-1)&^(memory.Alignment-1) + memory.Alignment
		s.scratch = t.at + s.blockRows*t.line
	}
	return nil
}

// turn returns the lane's block, with its turned operands in scratch.
func (s *step) turn(ln *lane) *abi.Frame {
	if len(s.turns) == 0 {
		return &ln.block
	}
	b := &ln.inner
	*b = ln.block
	for i := range s.turns {
		t := &s.turns[i]
		b.Ptr[t.operand], b.Step[t.operand] = unsafe.Pointer(&ln.scratch[t.at]), t.line
		transpose(t.kernel, &ln.many, b.Ptr[t.operand], t.line, ln.block.Ptr[t.operand], b.Rows, b.Cols, s.operands[t.operand].size, t.across, t.next)
	}
	return b
}

func findTranspose(o *operand, f finder) (func(*abi.Frame), error) {
	fn, _, err := f.find(kernel.CodeOf(kernel.TransposeKernel(kernel.TransposeType(o.size))).Signature())
	return fn, err
}

// transposeRows returns the packFunc of a kernel that transposes.
func transposeRows(fn func(*abi.Frame), size int) packFunc {
	return func(f *abi.Frame, dst, src unsafe.Pointer, rows, cols, rowStep, colStep int) {
		transpose(fn, f, dst, cols*size, src, rows, cols, size, rowStep, colStep)
	}
}

// transpose calls a kernel that transposes.
func transpose(fn func(*abi.Frame), f *abi.Frame, dst unsafe.Pointer, line int, src unsafe.Pointer, rows, cols, size, across, next int) {
	if across == -size { // the last row first
		src, dst = unsafe.Add(src, (rows-1)*across), unsafe.Add(dst, (rows-1)*line)
		across, line = -across, -line
	}
	f.Rows, f.Cols = rows, cols
	f.Ptr[0], f.Ptr[1] = src, dst
	f.Step[0], f.Step[1], f.Step[kernel.TransposeAcross] = next, line, across
	call(fn, f)
}

package runtime

import (
	"unsafe"
)

// lane is what one goroutine needs to compute blocks, reused for ever.
type lane struct {
	block Frame // the operands of a block as they lie
	index [maxDims]int

	program *program // that the calls are laid out for
	calls   []laneCall
	width   int // columns of the tile
	scratch []byte
}

// compute runs the blocks of chunk c.
func (s *step) compute(ln *lane, bases []unsafe.Pointer, c int) {
	first := c * s.chunk
	n := min(s.chunk, s.blocks-first)
	s.seek(ln, bases, first)
	for {
		s.size(ln)
		if s.fn != nil {
			call(s.fn, &ln.block)
		} else {
			s.program.run(ln, s)
		}
		if n--; n == 0 {
			return
		}
		s.next(ln)
	}
}

// call is where Go's runtime can stop a goroutine that does nothing but call
// kernels: assembly can't be interrupted, and neither a loop around it nor the
// wrapper of a func value has a point to stop at. This function's prologue has,
// if it is neither inlined nor a leaf. Without it a garbage collection waits for
// seconds.
//
//go:noinline
func call(fn func(*Frame), f *Frame) { fn(f) }

// seek points the block at block k.
func (s *step) seek(ln *lane, bases []unsafe.Pointer, k int) {
	for i := range s.operands {
		o := &s.operands[i]
		ln.block.Ptr[i] = unsafe.Add(bases[o.buffer], o.origin)
		ln.block.Step[i] = o.rowStep
	}
	if s.blocks == 1 {
		clear(ln.index[:len(s.counts)])
		return
	}
	for axis := len(s.counts) - 1; axis >= 0; axis-- {
		ln.index[axis] = k % s.counts[axis]
		k /= s.counts[axis]
	}
	for i := range s.operands {
		at := 0
		for axis, stride := range s.operands[i].walk {
			at += ln.index[axis] * stride
		}
		ln.block.Ptr[i] = unsafe.Add(ln.block.Ptr[i], at)
	}
}

// next moves the block to the one after it, an odometer. The pointers go there
// in one addition, from one valid element to another: carry[axis] is the stride
// of an axis less the way back over all the axes inside it.
func (s *step) next(ln *lane) {
	axis := len(s.counts) - 1
	for ln.index[axis]++; ln.index[axis] == s.counts[axis]; ln.index[axis]++ {
		ln.index[axis] = 0
		axis--
	}
	for i, by := range s.carry[axis] {
		ln.block.Ptr[i] = unsafe.Add(ln.block.Ptr[i], by)
	}
}

// size sets the block's extents, less at the ends of the rows and columns.
func (s *step) size(ln *lane) {
	last := len(s.counts) - 1
	ln.block.Rows = min(s.blockRows, s.rows-ln.index[last-1]*s.blockRows)
	ln.block.Cols = min(s.blockCols, s.cols-ln.index[last]*s.blockCols)
}

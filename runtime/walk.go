package runtime

import (
	"fmt"
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/internal/memory"
)

// lane is what one goroutine needs to compute blocks, reused for ever.
type lane struct {
	block abi.Frame // the operands of a block as they lie
	inner abi.Frame // of a call within a block
	index [maxDims]int
	many  abi.Frame // of one that takes many rows, or packs
	now   *step
	job   *job

	benches []bench // the programs of a task's steps
	scratch []byte  // which they use in turn
	window  []byte  // scratch buffers: what steps of a group hand on
}

// prepare lays the programs of a task out.
func (ln *lane) prepare(t *stepTask) error {
	if len(ln.scratch) < t.scratch {
		scratch, err := memory.Allocate(t.scratch)
		if err != nil {
			return fmt.Errorf("run: scratch: %w", err)
		}
		ln.scratch = scratch
		clear(ln.benches)
	}
	if t.group != nil && len(ln.window) < t.group.window {
		window, err := memory.Allocate(t.group.window)
		if err != nil {
			return fmt.Errorf("run: scratch of rows: %w", err)
		}
		ln.window = window
	}
	for len(ln.benches) < len(t.steps) {
		ln.benches = append(ln.benches, bench{})
	}
	for i, s := range t.steps {
		if s.program != nil {
			ln.benches[i].prepare(s.program, ln.scratch)
		}
	}
	return nil
}

// forget drops the pointers to tensors, so that an idle lane keeps none alive.
func (ln *lane) forget(t *stepTask) {
	clear(ln.block.Ptr[:t.operands])
	if t.inner {
		clear(ln.inner.Ptr[:])
		clear(ln.many.Ptr[:])
	}
	for i := range min(len(t.steps), len(ln.benches)) {
		ln.benches[i].forget()
	}
	ln.now, ln.job = nil, nil
}

// stopped reports whether the run has failed or is cancelled: what takes long
// within a block asks now and then, and returns.
func (ln *lane) stopped() bool {
	if err := ln.job.ctx.Err(); err != nil {
		ln.job.fail(err)
	}
	return ln.job.failed.Load()
}

// compute runs n blocks from the first on.
func (s *step) compute(ln *lane, bases []unsafe.Pointer, first, n int) {
	ln.now = s
	s.seek(ln, bases, first)
	for {
		s.size(ln)
		switch {
		case s.scan != nil:
			s.scan.run(ln, s)
		case s.dot != nil:
			s.dot.run(ln, s)
		case s.down != nil:
			s.down.run(ln, s)
		case s.long != nil:
			s.long.run(ln, s)
		case s.crossed != nil:
			s.crossed.run(ln, s)
		default:
			s.call(ln, s.turn(ln))
		}
		if n--; n == 0 {
			return
		}
		s.next(ln)
	}
}

// call computes a block, whole or in tiles.
func (s *step) call(ln *lane, block *abi.Frame) {
	if s.fn != nil {
		call(s.fn, block)
	} else {
		ln.benches[s.bench].run(ln, s, block)
	}
}

// call is where Go's runtime can stop a goroutine that does nothing but call
// kernels: assembly can't be interrupted, and neither a loop around it nor the
// wrapper of a func value has a point to stop at. This function's prologue has,
// if it is neither inlined nor a leaf. Without it a garbage collection waits for
// seconds.
//
//go:noinline
func call(fn func(*abi.Frame), f *abi.Frame) { fn(f) }

// seek points the block at block k.
func (s *step) seek(ln *lane, bases []unsafe.Pointer, k int) {
	for i := range s.operands {
		o := &s.operands[i]
		base := bases[o.buffer]
		if o.scratch {
			base = unsafe.Pointer(&ln.window[0])
		}
		ln.block.Ptr[i] = unsafe.Add(base, o.origin)
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

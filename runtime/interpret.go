package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The interpreter of linked tasks. Between two calls it adds to the pointers that move and updates the sizes that change.
//
// A pointer always points to an existing element: each addition leads from the position of one iteration to that of another. After the last
// iteration of a loop the pointers return to the first one, where the next execution of the loop begins.

// compute computes n iterations of the parts' parallel loops, starting at number first.
func (t *nestTask) compute(w *worker, bases []unsafe.Pointer, first, n int) {
	f := w.framesOf(t.number)
	samples := w.job.observed.samplesOf(w.job.task)
	if t.once {
		p := &t.parts[0]
		if !f.placed {
			f.place(p.places, bases)
			f.placed = w.keeps
		}
		if samples != nil {
			f.executeSampled(&p.loopNest, w, samples)
		} else {
			f.execute(&p.loopNest, w)
		}
		return
	}
	for i := range t.parts {
		p := &t.parts[i]
		if first >= p.iterations {
			first -= p.iterations
			continue
		}
		f.seek(p, bases, first)
		m := min(n, p.iterations-first)
		for k := m; ; f.advance(p.loops) {
			if samples != nil && p.sampled(first+m-k) {
				if !f.executeSampled(&p.loopNest, w, samples) {
					return
				}
			} else if !f.execute(&p.loopNest, w) {
				return
			}
			if k--; k == 0 {
				break
			}
		}
		if n -= m; n == 0 {
			return
		}
		first = 0
	}
}

// execute executes the items of one iteration of a nest. It returns false if the run has failed or is cancelled.
func (f *frames) execute(n *loopNest, w *worker) bool {
	items := n.items
	for i := range items {
		it := &items[i]
		if it.nest != nil {
			if !f.loop(it.nest, w) {
				return false
			}
			continue
		}
		f.now = it.call
		if it.long {
			if !f.executePieces(&f.task.calls[it.call], it, w) {
				return false
			}
			continue
		}
		call(it.fn, &f.frames[it.call])
		if f.spent += it.nanos; f.spent >= pieceNanos && !f.spend(0, w) {
			return false
		}
	}
	return true
}

// spend adds to the time that the worker has computed since it last checked the context, and checks it if that is enough. It returns false if
// the run has failed or is cancelled.
func (f *frames) spend(nanos int, w *worker) bool {
	if f.spent += nanos; f.spent < pieceNanos {
		return true
	}
	f.spent = 0
	return !w.job.stopped()
}

// loop executes all iterations of a nest within a block.
func (f *frames) loop(n *loopNest, w *worker) bool {
	for i := range n.loops {
		f.begin(&n.loops[i])
	}
	for more := true; more; more = f.advance(n.loops) {
		if !f.execute(n, w) {
			return false
		}
	}
	return true
}

// begin sets a loop to its first iteration. The pointers are already there.
func (f *frames) begin(l *loop) {
	s := &f.loops[l.number]
	s.index = 0
	if l.count > 0 {
		s.count, s.extent = l.count, l.extent.n
	} else if extent := f.size(l.extent); extent != s.extent {
		s.count, s.extent = (extent-1)/l.tile+1, extent
	}
	if l.ragged {
		f.resize(l, s)
	}
}

// advance moves to the next iteration of loops, the last of which is the innermost, and returns true. After the last iteration it moves back to
// the first one and returns false.
func (f *frames) advance(loops []loop) bool {
	for k := len(loops) - 1; k >= 0; k-- {
		l := &loops[k]
		s := &f.loops[l.number]
		s.index++
		more := s.index < s.count
		if more {
			f.move(l, 1)
		} else {
			f.move(l, 1-s.count)
			s.index = 0
		}
		if l.ragged {
			f.resize(l, s)
		}
		if more {
			return true
		}
	}
	return false
}

// move moves the pointers of a loop by the given number of iterations.
func (f *frames) move(l *loop, iterations int) {
	frames := f.start()
	for _, m := range l.moves {
		p := m.at.in(frames)
		*p = unsafe.Add(*p, iterations*m.bytes)
	}
}

// seek moves a part to iteration k of its loops.
func (f *frames) seek(p *linkedPart, bases []unsafe.Pointer, k int) {
	f.place(p.places, bases)
	for i := len(p.loops) - 1; i >= 0; i-- {
		l := &p.loops[i]
		s := &f.loops[l.number]
		s.count, s.extent = l.count, l.extent.n
		s.index, k = k%l.count, k/l.count
		f.move(l, s.index)
		if l.ragged {
			f.resize(l, s)
		}
	}
}

// place points arguments at their elements in the first iteration of all loops.
func (f *frames) place(places []place, bases []unsafe.Pointer) {
	frames, scratch := f.start(), f.scratch
	for i := range places {
		p := &places[i]
		base := scratch
		if p.buffer >= 0 {
			base = bases[p.buffer]
		}
		*p.at.in(frames) = unsafe.Add(base, p.offset)
	}
}

// resize updates the size of the present iteration of a loop. If it changes, the calls that depend on it are updated.
func (f *frames) resize(l *loop, s *loopState) {
	size := min(l.tile, s.extent-s.index*l.tile)
	if size == s.size {
		return
	}
	s.size = size
	for _, c := range l.sized {
		f.task.calls[c].resize(&f.frames[c], f.loops)
	}
}

// size returns the present value of a size.
func (f *frames) size(s size) int { return s.of(f.loops) }

// of returns the value of a size for the present iterations of loops.
func (s size) of(loops []loopState) int {
	if s.loop < 0 {
		return s.n
	}
	return s.n * loops[s.loop].size
}

// resize updates the sizes in the frame of a call. If the rows of all arguments are contiguous, the call is for one row.
func (c *linkedCall) resize(f *abi.Frame, loops []loopState) {
	f.Rows, f.Cols = c.rows.of(loops), c.cols.of(loops)
	for _, x := range c.fields {
		f.Step[x.at] = x.of(loops)
	}
	if !c.joins || f.Rows == 1 {
		return
	}
	for i, bytes := range c.kernel.rowBytes {
		if f.Step[i] != f.Cols*bytes {
			return
		}
	}
	f.Rows, f.Cols = 1, f.Rows*f.Cols
}

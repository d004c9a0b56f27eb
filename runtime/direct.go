package runtime

import (
	"unsafe"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// Runs of short programs. A program is short if no task has a loop or work for two goroutines, and all tasks together take no longer than the
// time between two looks at the context. A run of it is a list of calls whose frames the state keeps: it writes the pointers and
// calls the kernels, without loops and without chunks for other workers. The garbage collector waits for the whole list, as for one
// long call. Emerald Rapids, a bound call for 16 elements: 0.74 of the time.

// direct is a short program prepared for one state.
type direct struct {
	calls   []directCall // empty if the program is not short
	places  []directPlace
	scratch int // bytes
	placed  bool
	stops   bool        // a call asks whether the run is stopped
	now     *directCall // being executed, or nil
}

type directCall struct {
	fn    func(*abi.Frame)
	frame *abi.Frame
	task  *nestTask
	call  int // of the task
}

// directPlace is a pointer in a frame: its place, the base that it starts from, and the distance from there in bytes.
type directPlace struct {
	at     *unsafe.Pointer
	base   int // of the state
	offset int
}

// short reports whether the program is short.
func (l *Linked) short() bool {
	nanos := 0
	for _, t := range l.tasks {
		n, nests := t.computation.(*nestTask)
		if !nests || !n.once || t.chunks > 1 || n.clears && n.scratch > 0 {
			return false
		}
		for i := range n.parts[0].items {
			it := &n.parts[0].items[i]
			if it.nest != nil || it.long {
				return false
			}
			nanos += it.nanos
		}
	}
	return nanos < l.exec.tuned().CallNanos
}

// layOut prepares the calls of a short program for a worker, each with its frame. A fence is a call for no rows.
func (d *direct) layOut(l *Linked, w *worker) {
	if !l.short() {
		return
	}
	calls, fences, places := 0, 0, 0
	for _, t := range l.tasks {
		n := t.computation.(*nestTask)
		calls, places = calls+len(n.calls), places+len(n.fixed)+len(n.parts[0].places)
		d.scratch = max(d.scratch, n.scratch)
		if n.fence != nil {
			fences++
		}
	}
	frames := make([]abi.Frame, calls)
	d.calls, d.places = make([]directCall, 0, calls+fences), make([]directPlace, 0, places)
	for _, t := range l.tasks {
		n := t.computation.(*nestTask)
		start := unsafe.Pointer(unsafe.SliceData(frames))
		for _, list := range [2][]place{n.fixed, n.parts[0].places} {
			for _, p := range list {
				if p.buffer < 0 {
					p.buffer = l.scratchBase()
				}
				d.places = append(d.places, directPlace{p.at.in(start), p.buffer, p.offset})
			}
		}
		for i := range n.calls {
			n.calls[i].layOut(w, &frames[i], nil)
			d.stops = d.stops || frames[i].Stopped != nil
		}
		for _, it := range n.parts[0].items {
			d.calls = append(d.calls, directCall{it.fn, &frames[it.call], n, it.call})
		}
		if n.fence != nil {
			d.calls = append(d.calls, directCall{n.fence, &noBlock, n, len(n.calls) - 1})
		}
		frames = frames[len(n.calls):]
	}
}

// computeDirect executes the calls. The frames then drop their pointers, unless the state keeps them.
func (st *state) computeDirect() error {
	d, keeps := &st.direct, st.worker.keeps
	if !d.placed {
		if d.scratch > 0 {
			if err := st.worker.reserve(d.scratch, st.l.exec.zeroed()); err != nil {
				return err
			}
			st.bases[st.l.scratchBase()] = st.worker.scratchAt()
		}
		for i := range d.places {
			p := &d.places[i]
			*p.at = unsafe.Add(st.bases[p.base], p.offset)
		}
		d.placed = keeps
	}
	for i := range d.calls {
		c := &d.calls[i]
		d.now = c
		c.fn(c.frame)
	}
	d.end(keeps)
	if d.stops && st.job.failed.Load() {
		return st.job.err
	}
	return nil
}

// end ends what computeDirect began.
func (d *direct) end(keeps bool) {
	d.now = nil
	if !keeps {
		for i := range d.places {
			*d.places[i].at = nil
		}
	}
}

// interrupt ends a call that has not returned, and returns the error for its panic; if the goroutine ends, nobody sees the error. Stores of the
// earlier calls are made visible.
func (d *direct) interrupt(keeps bool, reason any) error {
	c := d.now
	for i := range d.calls {
		if f := &d.calls[i]; f.frame == &noBlock {
			f.fn(f.frame)
		}
	}
	d.end(keeps)
	return c.task.failureOf(c.call, reason)
}

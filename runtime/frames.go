package runtime

import (
	"math"
	"slices"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// The linked form of a task of a nest.Program. Strides and sizes of package nest become bytes to add to the pointers of frames. link.go
// builds it once, and it does not change afterwards; state that changes while a worker computes is in the worker's frames.

// nestTask is the computation of a nest.Task. A block is one iteration of the loops of
// one of its parts.
type nestTask struct {
	number   int    // among the tasks of the program
	pos      ir.Pos // nest.Task.Pos
	parts    []linkedPart
	calls    []linkedCall
	loops    int        // of all parts together
	once     bool       // there is one part, with one iteration
	scratch  int        // bytes
	clears   bool       // scratch memory is cleared before each use: for untrusted programs
	allocate allocator  // of scratch memory; the executor itself must not be reachable from its workers
	operands []argument // arguments that point into tensors and temporaries
	fixed    []place    // arguments in scratch memory that no loop moves
	// chunkElements is about the number of elements of a chunk of the task.
	chunkElements int
	piece         int              // the longest time of a call, in nanoseconds
	fence         func(*abi.Frame) // orders non-temporal stores, or nil if there are none
}

// linkedPart is a nest whose loops are parallel.
type linkedPart struct {
	loopNest
	iterations int
	// places are the other arguments that are not in tables. They must be set before the first iteration.
	places []place
}

// loopNest is loops around items. It has at least one iteration.
type loopNest struct {
	loops []loop
	items []item // at least one
}

// item is a call, or a nest if nest is not nil.
type item struct {
	nest  *loopNest
	call  int
	long  bool // the call may take longer than the piece of its task: see pieces.go
	fn    func(*abi.Frame)
	nanos int // about the time of the call, if it is not long

	step   int  // of a part of a task with several steps: counted from the task's first
	copies bool // the call only copies elements
}

// loop is a loop that has two or more iterations in at least some executions.
type loop struct {
	number int  // of its loopState
	extent size // in indices
	tile   int  // indices of an iteration
	count  int  // iterations, if the extent is fixed
	ragged bool // the last iteration may have fewer indices, or the extent may change
	moves  []move
	sized  []int // the calls whose rows, columns or fields depend on the loop
}

// size is n, or n times the indices of the present iteration of a loop.
type size struct {
	loop int // -1 for none
	n    int
}

// argument identifies an argument of a call by the offset of its pointer in the frames of the task, in bytes.
type argument uintptr

// argumentOf returns argument arg of call. Both must exist.
func argumentOf(call, arg int) argument {
	var f abi.Frame
	return argument(uintptr(call)*unsafe.Sizeof(f) + unsafe.Offsetof(f.Ptr) + uintptr(arg)*unsafe.Sizeof(f.Ptr[0]))
}

// in returns the address of the argument's pointer, given the start of the frames.
func (a argument) in(frames unsafe.Pointer) *unsafe.Pointer {
	return (*unsafe.Pointer)(unsafe.Add(frames, a))
}

// start returns the start of the frames of the calls.
func (f *frames) start() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.frames)) }

// move is the distance in bytes that an argument moves from one iteration of a loop to the next.
type move struct {
	at    argument
	bytes int
}

// place is the address of an argument in the first iteration of all loops.
type place struct {
	at     argument
	buffer int // of the program, or -1 for the worker's scratch memory
	offset int // bytes
}

// linkedCall holds the content of the frame of a call. It is smaller than a frame, which has room for every kernel.
type linkedCall struct {
	kernel      *linkedKernel
	step        []int      // the first numbers of Frame.Step
	tables      []tableArg // arguments in tables, which no loop moves
	rows, cols  size
	fields      []field
	nonTemporal int     // abi.Frame.NonTemporal
	joins       bool    // rows without a gap between them may be treated as one row
	nanos       float64 // per element
}

// tableArg is an argument of a call that is in a table.
type tableArg struct {
	arg int
	at  unsafe.Pointer
}

// layOut writes the frame of a worker's call for the first iteration of all loops, except the arguments that have places.
func (c *linkedCall) layOut(w *worker, f *abi.Frame, loops []loopState) {
	*f = abi.Frame{NonTemporal: c.nonTemporal}
	if c.kernel.time.Stops {
		f.Stopped = w.asks()
	}
	copy(f.Step[:], c.step)
	for _, t := range c.tables {
		f.Ptr[t.arg] = t.at
	}
	c.resize(f, loops)
}

// field is a field of a frame that depends on a loop.
type field struct {
	at int // in Frame.Step
	size
}

// frames is a task prepared for one worker.
type frames struct {
	task    *nestTask
	frames  []abi.Frame // of the task's calls
	loops   []loopState
	scratch unsafe.Pointer // the worker's memory that the frames point into
	placed  bool           // of a task with one iteration: all pointers are set
	piece   abi.Frame      // of a long call
	spent   int            // about the nanoseconds computed since the worker last checked the context
	now     int            // number of the call being executed
}

// loopState is the progress of a loop.
type loopState struct {
	index  int // of the present iteration
	count  int // of iterations
	extent int // in indices
	size   int // indices of the present iteration; 0 before the first
}

// prepare prepares the task for a worker, unless that has been done.
func (t *nestTask) prepare(w *worker) error {
	f := w.framesOf(t.number)
	if f.task == t && f.scratch == w.scratchAt() && !t.clears {
		return nil
	}
	return t.layOut(w, f)
}

func (t *nestTask) layOut(w *worker, f *frames) error {
	if err := w.reserve(t.scratch, t.allocate); err != nil {
		return err
	}
	if t.clears {
		for at := 0; at < t.scratch; at += copyPiece {
			if w.job.stopped() {
				return errEnded // the run already has an error
			}
			clear(w.scratch[at:min(at+copyPiece, t.scratch)])
		}
	}
	if f.task == t && f.scratch == w.scratchAt() {
		return nil
	}
	f.task, f.scratch, f.placed = t, w.scratchAt(), false
	f.frames = slices.Grow(f.frames[:0], len(t.calls))[:len(t.calls)]
	f.loops = slices.Grow(f.loops[:0], t.loops)[:t.loops]
	clear(f.loops)
	for i := range t.calls {
		t.calls[i].layOut(w, &f.frames[i], f.loops)
	}
	f.place(t.fixed, nil)
	return nil
}

// finish drops the pointers to tensors, unless the worker keeps them.
func (t *nestTask) finish(w *worker) {
	f := w.framesOf(t.number)
	if f.task != t { // prepare failed
		return
	}
	if !w.keeps {
		frames := f.start()
		for _, a := range t.operands {
			*a.in(frames) = nil
		}
	} else if w.job.failed.Load() { // perhaps inside a loop
		f.placed = false
	}
	if t.fence != nil {
		call(t.fence, &noBlock)
	}
}

// noBlock is the frame of a call for no rows.
var noBlock abi.Frame

// iterations returns the total number of iterations of the parts' parallel loops, or the greatest int if there are more.
func (t *nestTask) iterations() int {
	n := 0
	for i := range t.parts {
		n += min(t.parts[i].iterations, math.MaxInt-n)
	}
	return n
}

// failure returns the error for a panic of the kernel that the worker calls.
func (t *nestTask) failure(w *worker, reason any) error {
	return t.failureOf(w.framesOf(t.number).now, reason)
}

// failureOf returns the error for a panic in a call. Its position is that of the op for an index outside its axis, and that of the run for any other
// panic.
func (t *nestTask) failureOf(call int, reason any) error {
	if e, ok := reason.(*ir.IndexError); ok {
		return e.At(t.pos)
	}
	return failf("%s: %v", t.calls[call].kernel.signature, reason)
}

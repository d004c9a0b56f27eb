package runtime

import (
	"context"
	goruntime "runtime"
	"runtime/debug"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Executor runs programs. Its fields are settings, to be set before the first
// Link; the zero Executor is ready. It must not be copied after that.
//
// An Executor owns a pool of workers: goroutines that start with the first run that has
// work for several, and end when neither the Executor nor a plan that it linked is
// reachable. Concurrent runs share them. A worker without work spins for 32 microseconds
// at most before it parks; a parked worker costs nothing. A step of a few microseconds
// is shared with a worker that spins; a parked worker is woken for a step of ten
// microseconds or more, or for many small ones in a row.
type Executor struct {
	// Workers is how many goroutines compute one run, the caller's included.
	// 0 stands for GOMAXPROCS at the first Link. The results do not depend on it.
	Workers int
	// Portable keeps to the generated Go loops, never assembly.
	Portable bool
	// AVX2 keeps to assembly for AVX2, and to Go loops on a machine without it.
	AVX2 bool
	// Tuning has the constants of plans (see Machine) and of the chunks of tasks. nil stands for tuning.Default, and a
	// machine of the caller's is a changed copy of that. The estimated times of calls are those of tuning.Default
	// for all executors. The results do not depend on Tuning.
	Tuning *tuning.Machine
	// Verify makes Link verify a program first: for tests, and for programs that are read
	// from text. Their memory is cleared before each use.
	Verify bool
	// Memory allocates temporaries, local memory and tables; nil stands for Go's heap. It
	// is for tests that put pages without access round them.
	Memory func(bytes int) ([]byte, error)

	lookup func(abi.Engine, string) (func(*abi.Frame), bool) // tests; nil is Lookup
	once   sync.Once
	pool   *pool
	locals locals
}

var shared Executor

// DefaultExecutor returns the Executor that all share who need no other. Its
// workers stay for the life of the process.
func DefaultExecutor() *Executor { return &shared }

// workers returns the pool, made at the first call.
func (e *Executor) workers() *pool {
	e.once.Do(func() {
		n := e.Workers
		if n <= 0 {
			n = goruntime.GOMAXPROCS(0)
		}
		e.pool = newPool(n - 1)
		goruntime.AddCleanup(e, (*pool).stop, e.pool)
	})
	return e.pool
}

// Linked is a program whose calls have the functions of their kernels. Any number of
// goroutines may run it at once; each run in flight holds an arena of its own,
// which later runs take over.
type Linked struct {
	name     string
	observer *Observer

	exec     *Executor // keeps the workers
	pool     *pool
	buffers  []buffer
	params   []*buffer // of each input
	results  []*buffer // of each output
	consts   []uint64
	temps    []int // buffers in the arena
	arena    int
	shares   bool                  // a run needs memory that the programs of the executor share
	tasks    []*task               // without those that have no elements
	inPlace  *inPlace              // or nil
	captured []*tensor.Tensor      // the last inputs of each run
	first    atomic.Pointer[state] // nil before the first run has ended
	states   sync.Pool             // of *state: others that no run has, which may go
}

// Arena returns how many bytes the temporaries of a run have.
func (l *Linked) Arena() int { return l.arena }

// Takes reports whether the tensors have the dtypes, shapes and layouts of the
// plan's first parameters.
func (l *Linked) Takes(ins []*tensor.Tensor) bool {
	if len(ins) > len(l.params) {
		return false
	}
	for i, b := range l.params[:len(ins)] {
		if !b.takes(ins[i]) {
			return false
		}
	}
	return true
}

// Capture sets the tensors of the last parameters: they are the same ones in each run, which is
// given those of the others. It must be called before the first.
func (l *Linked) Capture(last []*tensor.Tensor) { l.captured = last }

// Run computes outs from ins, one tensor for each result and parameter of the
// plan. Dtypes, shapes and the layouts of ins must be the plan's; outs must be
// row-major. An out may share memory with ins and with other outs. If it is exactly one in,
// it is computed in place where InPlace allows it. Else it is computed elsewhere and copied at
// the end, later outs over earlier ones.
//
// Memory is reserved before work starts. When an error is returned, outs hold
// anything; a cancelled context's error is returned as it is. Once a run of
// this size has been made, Run allocates nothing.
func (l *Linked) Run(ctx context.Context, outs, ins []*tensor.Tensor) error {
	return l.runAny(ctx, outs, ins, false)
}

// RunNew is Run into new tensors, which it puts into outs. It allocates nothing else.
func (l *Linked) RunNew(ctx context.Context, outs, ins []*tensor.Tensor) error {
	return l.runAny(ctx, outs, ins, true)
}

func (l *Linked) runAny(ctx context.Context, outs, ins []*tensor.Tensor, fresh bool) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if err := ContextError(ctx); err != nil {
		return err
	}
	fits, err := l.RunTaken(ctx, outs, ins, fresh)
	if !fits {
		return l.mistake(outs, ins)
	}
	return err
}

// RunTaken is Run, or RunNew if fresh, once the context has been asked and if Takes accepts the ins: else it does
// nothing, and reports false. It does not ask the context again before the first step.
func (l *Linked) RunTaken(ctx context.Context, outs, ins []*tensor.Tensor, fresh bool) (fits bool, err error) {
	if fresh && !l.Takes(ins) { // before memory is allocated
		return false, nil
	}
	st := l.first.Load()
	if st == nil || !st.take() {
		st = l.other()
	}
	var m *local
	if l.shares {
		m = l.exec.locals.take(l.arena)
	}
	if fresh || st == nil || l.shares && m == nil {
		var into []*tensor.Tensor
		if fresh {
			into = outs
		} else if !l.Takes(ins) {
			l.putBack(st, m)
			return false, nil
		}
		if st, m, err = l.reserve(ctx, st, m, into); err != nil {
			return true, err
		}
	}
	st.enter(m)
	fits, err = st.bind(outs, ins)
	instead := st.instead()
	if fits && err == nil && instead == nil {
		err = st.run(ctx)
		goruntime.KeepAlive(outs)
		goruntime.KeepAlive(ins)
		return true, err
	}
	st.free()
	if fits && err == nil {
		return instead.RunTaken(ctx, outs, ins, false)
	}
	return fits, err
}

// putBack leaves to later runs what a run took, but does not need. Either may be nil.
func (l *Linked) putBack(st *state, m *local) {
	if st != nil {
		st.free()
	}
	if m != nil {
		l.exec.locals.give(m)
	}
}

// other returns a state that no run has but the first one, or nil if there is none.
func (l *Linked) other() *state {
	st, _ := l.states.Get().(*state)
	return st
}

// take takes the state for a run, and reports whether no other has it.
func (st *state) take() bool { return st.taken.CompareAndSwap(false, true) }

// free leaves the state to later runs.
func (st *state) free() {
	if st.worker.keeps { // those of one Bound
		st.taken.Store(false)
		return
	}
	st.release()
	if st.local != nil {
		st.leave()
	}
	if l := st.l; l.first.Load() == st || l.first.CompareAndSwap(nil, st) {
		st.taken.Store(false)
	} else {
		l.states.Put(st)
	}
}

// state is what one run needs, reused by later ones.
type state struct {
	l       *Linked
	taken   atomic.Bool      // by a run
	bases   []unsafe.Pointer // of each buffer: its element at index 0,...,0; then all bytes; then scratch memory, of a short program
	local   *local           // during a run
	spare   []byte           // outs that overlap are computed here
	moves   []spareOut
	span    spans // of the tensors that have elements, if an out may share memory
	inPlace bool  // an out is computed where an in is
	kept    []int // the tasks that have nothing to do for that
	direct  direct
	worker  worker // the caller's
	job     job
}

// spareOut is an out computed in spare memory, to be copied at the end.
type spareOut struct {
	out, at, n int            // its position; where it is in spare; bytes
	to         unsafe.Pointer // where it goes
}

// run computes the steps, then copies the outs that overlap, and frees the state. A kernel that
// panics is an error of the run. The context may end the goroutine.
func (st *state) run(ctx context.Context) (err error) {
	old := debug.SetPanicOnFault(true) // an unmapped operand is an error too
	defer func() {
		if j := &st.job; j.task != nil {
			j.interrupt(j.task, &st.worker, recover())
			j.task, j.observed, err = nil, nil, j.err
		} else if st.direct.now != nil {
			err = st.direct.interrupt(st.worker.keeps, recover())
		}
		debug.SetPanicOnFault(old)
		st.job.ctx = nil
		st.free()
	}()
	switch {
	case st.l.observer != nil || trace.IsEnabled():
		st.job.begin(ctx)
		err = st.observation(ctx).compute()
	case len(st.direct.calls) > 0 && len(st.kept) == 0:
		err = st.computeDirect()
	default:
		st.job.begin(ctx)
		err = st.compute(ctx)
	}
	if err == nil && len(st.moves) > 0 {
		err = st.copyOuts(ctx)
	}
	return err
}

// compute computes the tasks.
func (st *state) compute(ctx context.Context) error {
	for i, t := range st.l.tasks {
		if i > 0 { // it has been asked before the first one
			if err := ContextError(ctx); err != nil {
				return err
			}
		}
		if st.keeps(t) {
			continue
		}
		if err := st.job.run(t, st); err != nil {
			return err
		}
	}
	return nil
}

// release forgets the caller's memory.
func (st *state) release() {
	bases := st.bases
	for _, b := range st.l.params {
		bases[b.number] = nil
	}
	for _, b := range st.l.results {
		bases[b.number] = nil
	}
	if len(st.span) > 0 { // an out has perhaps shared memory
		clear(st.moves)
		st.moves, st.span, st.inPlace, st.kept = st.moves[:0], st.span[:0], false, st.kept[:0]
	}
}

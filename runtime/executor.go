package runtime

import (
	"context"
	goruntime "runtime"
	"sync"
	"sync/atomic"

	"github.com/stridefuse/stridefuse/ir/tuning"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Executor runs programs. Its fields are settings, which must be set before the first Link; the zero Executor is ready. An Executor must not be
// copied after that.
//
// An Executor owns a pool of workers. These goroutines start with the first run that has work for several, and end when neither the
// Executor nor a plan that it linked is reachable. Concurrent runs share them. A worker without work spins for at most 32
// microseconds before it parks; a parked worker costs nothing. A step of a few microseconds is shared with a worker that spins. A
// parked worker is woken for a step of ten microseconds or more, or for many small ones in a row.
type Executor struct {
	// Workers is the number of goroutines that compute one run, including the caller's. 0 means GOMAXPROCS at the first
	// Link. The results do not depend on it.
	Workers int
	// Portable restricts kernels to the generated Go loops, without assembly.
	Portable bool
	// AVX2 restricts assembly to AVX2. A machine without AVX2 uses Go loops.
	AVX2 bool
	// Tuning has the constants of plans (see Machine) and of the chunks of tasks. nil means tuning.Default, or tuning.NEON on arm64; another value
	// should be a changed copy of one. The estimated times of calls are those of tuning.Default for all executors. The results do not depend on
	// Tuning.
	Tuning *tuning.Machine
	// Verify makes Link verify a program first. It is for tests, and for programs that are read from text. The programs' memory is cleared
	// before each use.
	Verify bool
	// Memory allocates temporaries, local memory and tables; nil means Go's heap. Tests use it to put inaccessible pages around
	// them.
	Memory func(bytes int) ([]byte, error)

	lookup func(abi.Engine, string) (func(*abi.Frame), bool) // for tests; nil means Lookup
	once   sync.Once
	pool   *pool
	locals locals
}

var shared Executor

// DefaultExecutor returns the shared Executor for callers that need no settings. Its workers live as long as the process.
func DefaultExecutor() *Executor { return &shared }

// workers returns the pool. The first call creates it.
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

// Linked is a program whose calls have the functions of their kernels. Any number of goroutines may run it at once. Each run uses an
// arena of its own, which later runs reuse.
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
	shares   bool                  // a run needs memory that the executor's programs share
	tasks    []*task               // the tasks that have elements
	inPlace  *inPlace              // or nil
	kernels  Kernels               // beside the registered ones, or nil
	captured []*tensor.Tensor      // the last inputs of each run
	first    atomic.Pointer[state] // nil before the first run has ended
	states   sync.Pool             // of *state: others that no run uses; the garbage collector may drop them

	improvement *improvement // or nil

	made atomic.Bool // the last run into new tensors took new memory for a result
}

// Arena returns the size in bytes of the temporaries of a run.
func (l *Linked) Arena() int { return l.now().arena }

// Takes reports whether the tensors have the dtypes, shapes and layouts of the plan's first parameters.
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

// Capture sets the tensors of the last parameters, which are the same in each run. Runs are then given the other tensors only. Capture must be
// called before the first run.
func (l *Linked) Capture(last []*tensor.Tensor) { l.captured = last }

// Run computes outs from ins, one tensor for each result and parameter of the plan. Dtypes, shapes and the layouts of ins must be the
// plan's; outs must be row-major. An out may share memory with ins and with other outs. If it is exactly one in, it is computed in
// place where InPlace allows that. Otherwise it is computed elsewhere and copied at the end, later outs over earlier ones.
//
// Memory is reserved before work starts. If Run returns an error, the content of outs is undefined; a cancelled context's error is returned
// unchanged. After the first run of this size, Run allocates nothing.
func (l *Linked) Run(ctx context.Context, outs, ins []*tensor.Tensor) error {
	return l.runAny(ctx, outs, ins, false)
}

// RunNew is Run into new tensors, which it stores in outs. It allocates nothing else.
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

// RunTaken is Run, or RunNew if fresh. It checks the context once, before the first step. If Takes refuses the ins, it does nothing and
// returns false.
func (l *Linked) RunTaken(ctx context.Context, outs, ins []*tensor.Tensor, fresh bool) (fits bool, err error) {
	if l.improvement != nil {
		l = l.improved(ins)
	}
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

package blas

// Engines and workers. An engine has the kernels and limits of one element type. A worker is what one goroutine needs to compute a part of a
// call: a frame and scratch memory. Workers are reused, so that calls allocate nothing in the steady state. A call of much work is divided
// into parts, which neither share elements of the result nor depend on their number.

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/ir"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"golang.org/x/sys/cpu"
)

// engine computes in one type.
type engine[T float] struct {
	dtype ir.DType
	*limits
	on    abi.Engine // whose kernels it calls
	width int        // columns of a panel of a right matrix
	light *engine[T] // computes calls of few multiplications, where vectors of 64 bytes lower the clock; else nil

	once    sync.Once
	kernels *kernels  // nil if the machine has none
	pool    sync.Pool // of idle workers
	// The functions of these names. Their func values would be made anew at each call.
	gemmPart, rankKPart, symmPart, triangularPart, gemvPart, gerPart, complexGemmPart func(*worker[T])
}

func newEngine[T float](d ir.DType, l *limits) *engine[T] {
	e := &engine[T]{dtype: d, limits: l, on: abi.Best()}
	if e.on == abi.AVX512 && !cpu.X86.HasAVX512VBMI { // Skylake to Cooper Lake
		e.light = &engine[T]{dtype: d, limits: l, on: abi.AVX2}
	}
	return e
}

// ready reports whether there are kernels. It looks them up at the first call.
func (e *engine[T]) ready() bool {
	e.once.Do(func() {
		e.kernels = newKernels(e.dtype, e.on)
		e.gemmPart, e.rankKPart, e.symmPart, e.triangularPart = gemmPart[T], rankKPart[T], symmPart[T], triangularPart[T]
		e.gemvPart, e.gerPart, e.complexGemmPart = gemvPart[T], gerPart[T], complexGemmPart[T]
		e.width = kernel.DotColumns(e.dtype)
		if e.on.Vector() == 64 {
			e.width *= 2
		}
	})
	return e.kernels != nil && (e.light == nil || e.light.ready())
}

// of returns the engine that computes a call with the given number of multiplications: light for few of them, else e.
func (e *engine[T]) of(work int) *engine[T] {
	if e.light != nil && work < lightWork {
		return e.light
	}
	return e
}

// worker has the frame and the scratch memory of a goroutine, and the part that it computes.
type worker[T float] struct {
	*engine[T]
	frame                      abi.Frame
	alpha                      [1]T
	left, right, block, strips []T // see scratch

	task        task[T]
	part, parts int
	leader      *worker[T]
	run         func()
	group       sync.WaitGroup
}

// task is a call that workers compute together: what each does for its part, and the arguments.
type task[T float] struct {
	do                        func(w *worker[T])
	m, n, k                   int
	alpha, beta               T
	alphaIm, betaIm           T // the imaginary parts of complex factors
	a, b, c                   view[T]
	x, y                      vector[T]
	trans, lower, unit, solve bool
	conjA, conjB              bool
}

// worker returns an idle worker.
func (e *engine[T]) worker() *worker[T] {
	if w, ok := e.pool.Get().(*worker[T]); ok {
		return w
	}
	w := &worker[T]{engine: e}
	w.run = func() {
		w.task.do(w)
		l := w.leader
		w.release()
		l.group.Done()
	}
	return w
}

// release makes the worker idle. It drops the pointers to the caller's memory.
func (w *worker[T]) release() {
	clear(w.frame.Ptr[:maxInputs+1])
	t := &w.task
	t.a.data, t.b.data, t.c.data, t.x.data, t.y.data, w.leader = nil, nil, nil, nil, nil, nil
	w.pool.Put(w)
}

// compute computes the worker's task, together with others if it has enough multiplications, and releases the worker. Parts have at least
// limits.part multiplications.
func (w *worker[T]) compute(work int) {
	w.part, w.parts = 0, 1
	if work >= 2*w.limits.part {
		w.divide(min(runtime.GOMAXPROCS(0), work/w.limits.part))
	}
	w.task.do(w)
	if w.parts > 1 {
		w.group.Wait()
	}
	w.release()
}

// divide makes other workers start with their parts.
func (w *worker[T]) divide(parts int) {
	w.parts = parts
	w.group.Add(parts - 1)
	for part := 1; part < parts; part++ {
		o := w.worker()
		o.task, o.part, o.parts, o.leader = w.task, part, parts, w
		go o.run()
	}
}

// share returns the indices of a part of n, multiples of unit.
func share(n, unit, part, parts int) (from, to int) {
	units := (n + unit - 1) / unit
	return min(n, units*part/parts*unit), min(n, units*(part+1)/parts*unit)
}

// scratch returns n elements of memory that the worker keeps. What they hold is not defined.
func scratch[T float](kept *[]T, n int) []T {
	if cap(*kept) < n {
		*kept = make([]T, n)
	}
	return (*kept)[:n]
}

// size is the number of bytes of an element.
func size[T float]() int { var x T; return int(unsafe.Sizeof(x)) }

package fft

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/stridefuse/stridefuse/x/fft/internal/kernel"
)

// This file has the memory of workers, and divides work among them.

// room is memory that grows to what is asked for. Its elements are what earlier uses left.
type room[T kernel.Element] []T

func (r *room[T]) take(n int) []T {
	if len(*r) < n {
		*r = make([]T, n)
	}
	return (*r)[:n]
}

// mostIdle is the most elements of a room whose size grows with the lines: more would stay with a worker for long.
const mostIdle = 1 << 18

// borrow returns n elements until their release: of the room or, if they are many, an array.
func (r *room[T]) borrow(n int) (array[T], error) {
	if n <= mostIdle {
		return array[T]{data: r.take(n)}, nil
	}
	return newArray[T](n)
}

// work is the memory of one worker.
type work[T kernel.Element] struct {
	frame                             kernel.Frame // that the kernels of this worker get
	a, b, columns, middle             room[T]      // of tiles, and of a matrix
	line, apart, chirp, joined, block room[T]      // of lines
	scale                             room[T]      // one number
}

// idle has the memory of workers that are not running, by the size of elements.
var idle [9]sync.Pool

func getWork[T kernel.Element]() *work[T] {
	var t T
	if w, ok := idle[unsafe.Sizeof(t)].Get().(*work[T]); ok {
		return w
	}
	return new(work[T])
}

func (w *work[T]) put() {
	var t T
	w.frame = kernel.Frame{} // refers to memory of tensors
	idle[unsafe.Sizeof(t)].Put(w)
}

// each calls f for 0 to n-1, on some goroutines: the caller's has the memory w, the others have their own. After an error
// of f or of the context no more calls begin.
func each[T kernel.Element](ctx context.Context, workers, n int, w *work[T], f func(i int, w *work[T]) error) error {
	if workers = min(workers, n); workers <= 1 {
		for i := range n {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := f(i, w); err != nil {
				return err
			}
		}
		return nil
	}
	var next atomic.Int64
	errs := make([]error, workers)
	var wg sync.WaitGroup
	loop := func(worker int, w *work[T]) {
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			err := ctx.Err()
			if err == nil {
				err = f(i, w)
			}
			if err != nil {
				errs[worker] = err
				next.Store(int64(n))
			}
		}
	}
	for worker := 1; worker < workers; worker++ {
		wg.Go(func() {
			own := getWork[T]()
			loop(worker, own)
			own.put()
		})
	}
	loop(0, w)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// mostCalled is the most numbers that a call of a kernel, of copy or of clear takes, unless a row has more: the garbage
// collector waits for it.
const mostCalled = 1 << 14

// spans calls f for parts [begin, end) of 0 to n-1, of at most mostCalled, on some goroutines.
func spans[T kernel.Element](ctx context.Context, workers, n int, w *work[T], f func(begin, end int, w *work[T])) error {
	if n <= mostCalled {
		f(0, n, w)
		return nil
	}
	return each(ctx, workers, (n-1)/mostCalled+1, w, func(i int, w *work[T]) error {
		f(i*mostCalled, min(n, (i+1)*mostCalled), w)
		return nil
	})
}

// segments calls f for the parts of rows of n elements that elements begin to end-1 are in.
func segments(begin, end, n int, f func(row, column, count int)) {
	for begin < end {
		row, column := begin/n, begin%n
		count := min(end-begin, n-column)
		f(row, column, count)
		begin += count
	}
}

// move copies src to dst.
func move[T kernel.Element](ctx context.Context, dst, src []T, w *work[T], workers int) error {
	if len(src) <= mostCalled {
		copy(dst, src)
		return nil
	}
	return spans(ctx, workers, len(src), w, func(begin, end int, _ *work[T]) { copy(dst[begin:end], src[begin:end]) })
}

// touch writes an element of each page of new memory. Without it a kernel that writes rows far apart would wait for the
// operating system to clear as many pages, which takes up to seconds, and the garbage collector for the kernel.
func touch[T kernel.Element](ctx context.Context, z []T, w *work[T], workers int) error {
	page := 4096 / int(unsafe.Sizeof(z[0]))
	return spans(ctx, workers, len(z), w, func(begin, end int, _ *work[T]) {
		for i := begin; i < end; i += page {
			z[i] = 0
		}
	})
}

// parallelFrom is the least number of elements for which more than one goroutine runs.
const parallelFrom = 1 << 15

// workersFor returns the number of goroutines for transforms of some elements.
func workersFor(elements int) int {
	if elements < parallelFrom {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

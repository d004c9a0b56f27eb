package runtime

import (
	"context"
	"errors"
	"fmt"
	"math"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The pool and its jobs, with computations that count. Where a test waits for another
// goroutine it waits for as long as it takes: a test that fails does not end.

// counting is a computation that counts how often each block is computed, and by how many
// workers.
type counting struct {
	blocks   []atomic.Int32
	prepared atomic.Int32
	finished atomic.Int32
	during   func(w *worker, block int) // if not nil, called by each block
	failing  error                      // of prepare
}

func (c *counting) prepare(*worker) error               { c.prepared.Add(1); return c.failing }
func (c *counting) finish(*worker)                      { c.finished.Add(1) }
func (c *counting) failure(_ *worker, reason any) error { return failf("counting: %v", reason) }

func (c *counting) compute(w *worker, _ []unsafe.Pointer, first, n int) {
	for k := first; k < first+n; k++ {
		c.blocks[k].Add(1)
		if c.during != nil {
			c.during(w, k)
		}
	}
}

// countingTask returns a computation and a task of it, of chunks of a block each. work is what
// it costs, in additions.
func countingTask(e *Executor, chunks int, work float64) (*counting, *task) {
	c := &counting{blocks: make([]atomic.Int32, chunks)}
	t := e.newTask(c, chunks, chunks, work, 1)
	t.chunk, t.chunks = 1, chunks
	return c, t
}

// runTask runs a task on an executor's pool.
func runTask(ctx context.Context, e *Executor, t *task) error {
	st, err := (&Linked{exec: e, pool: e.workers(), tasks: []*task{t}}).newState(ctx)
	if err != nil {
		return err
	}
	return st.run(ctx)
}

// runOnce runs a task and requires that each block was computed once.
func runOnce(t *testing.T, e *Executor, c *counting, task *task) {
	for k := range c.blocks {
		c.blocks[k].Store(0)
	}
	c.prepared.Store(0)
	c.finished.Store(0)
	require.NoError(t, runTask(context.Background(), e, task))
	for k := range c.blocks {
		require.EqualValues(t, 1, c.blocks[k].Load(), "block %d of %d", k, len(c.blocks))
	}
	require.Equal(t, c.prepared.Load(), c.finished.Load())
}

// TestStateIsFreed ends tasks of one chunk and of several in each way. The state that computed
// them is left to the next run, and holds nothing of the last one.
func TestStateIsFreed(t *testing.T) {
	e := &Executor{Workers: 2}
	for _, chunks := range []int{1, 5} {
		c, work := countingTask(e, chunks, large)
		l := &Linked{exec: e, pool: e.workers(), tasks: []*task{work}}
		for _, how := range []func(){func() {}, func() { panic("oh") }, goruntime.Goexit, func() {}} {
			c.during = func(w *worker, _ int) { how() }
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = l.Run(context.Background(), nil, nil)
			}()
			<-ended
			st := l.first.Load()
			require.NotNil(t, st)
			require.Equal(t, flag{}, st.taken)
			require.Nil(t, st.job.task)
			require.Nil(t, st.job.ctx)
		}
		require.NoError(t, l.Run(context.Background(), nil, nil))
	}
}

// waitFor yields until a condition holds.
func waitFor(holds func() bool) {
	for !holds() {
		goruntime.Gosched()
		time.Sleep(10 * time.Microsecond)
	}
}

const large = 1e9 // work that is worth waking all workers

// TestEachChunkOnce has tasks of one chunk to many, run by one goroutine to many.
func TestEachChunkOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 8} {
		e := &Executor{Workers: workers}
		for _, chunks := range []int{1, 2, 3, 100, 10_000} {
			c, task := countingTask(e, chunks, large)
			for range 20 {
				runOnce(t, e, c, task)
			}
		}
	}
}

// TestAllWorkersJoin has a task in which each worker waits for all others.
func TestAllWorkersJoin(t *testing.T) {
	const workers = 5
	e := &Executor{Workers: workers}
	c, task := countingTask(e, workers, large)
	var arrived atomic.Int32
	c.during = func(*worker, int) {
		arrived.Add(1)
		waitFor(func() bool { return arrived.Load() == workers })
	}
	runOnce(t, e, c, task)
	require.EqualValues(t, workers, c.prepared.Load())
	require.Equal(t, workers-1, e.Helped())
}

// TestWorkersAreOptional has no worker that could help.
func TestWorkersAreOptional(t *testing.T) {
	e := &Executor{Workers: 4}
	e.StopWorkers()
	c, task := countingTask(e, 100, large)
	runOnce(t, e, c, task)
	require.Zero(t, e.Helped())
}

// TestJobFails has a worker whose preparation fails, a block that panics, and a context
// that is cancelled: all stop, and the caller gets the error.
func TestJobFails(t *testing.T) {
	const chunks = 100_000
	for _, workers := range []int{1, 4} {
		for _, one := range []bool{true, false} { // task of one chunk
			e := &Executor{Workers: workers}
			n := chunks
			if one {
				n = 1
			}
			c, task := countingTask(e, n, large)
			total := func() (n int) {
				for k := range c.blocks {
					n += int(c.blocks[k].Swap(0))
				}
				return n
			}
			c.failing = errors.New("no memory")
			require.ErrorIs(t, runTask(context.Background(), e, task), c.failing)
			require.Zero(t, total())
			c.failing = nil

			c.during = func(*worker, int) { panic("a reason") }
			require.ErrorContains(t, runTask(context.Background(), e, task), "counting: a reason")
			require.LessOrEqual(t, total(), workers, "a worker took another chunk after the panic")

			ctx, cancel := context.WithCancel(context.Background())
			c.during = func(*worker, int) { cancel() }
			err := runTask(ctx, e, task)
			if one {
				require.NoError(t, err, "it was computed")
			} else {
				require.ErrorIs(t, err, context.Canceled)
			}
			require.LessOrEqual(t, total(), workers, "a worker took another chunk after the cancellation")
			if !one { // the run checks the context before a task of one chunk
				require.ErrorIs(t, runTask(ctx, e, task), context.Canceled)
				require.Zero(t, total())
			}

			c.during = nil
			require.NoError(t, runTask(context.Background(), e, task))
			require.Equal(t, n, total())
		}
	}
}

// TestWorkersEnd drops an executor whose workers are alive.
func TestWorkersEnd(t *testing.T) {
	e := &Executor{Workers: 20}
	c, task := countingTask(e, 1000, large)
	alive := e.Alive()
	for alive() == 0 {
		runOnce(t, e, c, task)
	}
	goruntime.KeepAlive(e)
	e = nil
	waitFor(func() bool { goruntime.GC(); return alive() == 0 })
}

// awake returns an Executor whose only worker spins for so long that the test sees no end.
func awake() *Executor {
	e := &Executor{Workers: 2}
	p := e.workers()
	p.maxSpinners, p.spinTimeout = 1, math.MaxInt64
	p.wake(1)
	waitFor(func() bool { return p.spinners.Load() == 1 })
	return e
}

// TestSpinningWorkersEnd stops a pool whose worker spins.
func TestSpinningWorkersEnd(t *testing.T) {
	e := awake()
	e.StopWorkers()
	waitFor(func() bool { return e.Alive()() == 0 })
	require.Zero(t, e.pool.spinners.Load())
}

// TestSmallTask has a task that is not worth waking a worker for, but is shared with one
// that spins.
func TestSmallTask(t *testing.T) {
	small := 2 * machine.AwakeWork
	e := awake()
	c, task := countingTask(e, 2, small)
	require.LessOrEqual(t, task.parallelism, 1)
	require.Equal(t, 2, task.awake)
	var arrived atomic.Int32
	c.during = func(*worker, int) { // the two wait for each other
		arrived.Add(1)
		waitFor(func() bool { return arrived.Load() == 2 })
	}
	runOnce(t, e, c, task)
	require.Equal(t, 1, e.Helped())

	for range 20 { // as if it were long ago each time
		e := &Executor{Workers: 2}
		c, task := countingTask(e, 2, small)
		runOnce(t, e, c, task)
		require.Zero(t, e.Alive()())
	}
}

// TestBursts has small tasks without a pause between them: they wake a worker, at most
// as often as their time adds up to what a wake costs.
func TestBursts(t *testing.T) {
	p := newPool(1)
	small := &task{nanos: int64(machine.WakeNanos)}
	p.burst.Store(math.MaxInt64 / 2) // so far ahead that the clock does not matter
	require.True(t, p.bursts(small))
	p.burst.Store(0)
	require.False(t, p.bursts(small), "one is no burst")
	p.wasted.Store(maxWastedWakes)
	p.burst.Store(clock() + 2*spinTimeout<<maxWastedWakes/2)
	require.False(t, p.bursts(small), "wakes that found no work raise the price")

	e := &Executor{Workers: 2}
	p = e.workers()
	p.maxSpinners, p.spinTimeout = 1, spinTimeout
	c, task := countingTask(e, 2, 2*machine.AwakeWork)
	runOnce(t, e, c, task)
	require.Zero(t, e.Alive()())
	p.burst.Store(math.MaxInt64 / 2)
	runOnce(t, e, c, task)
	require.Equal(t, 1, e.Alive()())
}

// TestOneProcessor has no worker spin where it would keep others from working.
func TestOneProcessor(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	e := &Executor{Workers: 4}
	small, smallTask := countingTask(e, 4, 4*machine.AwakeWork)
	for range 100 {
		runOnce(t, e, small, smallTask)
	}
	require.Zero(t, e.Alive()())
	c, task := countingTask(e, 100, large)
	runOnce(t, e, c, task)
	require.Zero(t, e.pool.maxSpinners)
}

// TestWorkersYield has another goroutine run after each so much work, of one chunk or of several.
func TestWorkersYield(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	e := &Executor{Workers: 1}
	turns := func(work float64) int {
		c := &counting{blocks: make([]atomic.Int32, 100)}
		task := e.newTask(c, 100, 100*machine.ChunkElems, work, machine.ChunkElems)
		require.Equal(t, 100, task.chunks)
		var n, done atomic.Int32
		go func() {
			for ; done.Load() == 0; n.Add(1) {
				goruntime.Gosched()
			}
			done.Store(2)
		}()
		runOnce(t, e, c, task)
		turns := n.Load()
		done.Store(1)
		waitFor(func() bool { return done.Load() == 2 })
		return int(turns)
	}
	require.Greater(t, turns(100*machine.WakeWork), 50)
	few := turns(10 * machine.WakeWork)
	require.Greater(t, few, 4)
	require.Less(t, few, 50)
}

// TestChunks cuts tasks into chunks.
func TestChunks(t *testing.T) {
	for _, c := range []struct {
		workers, asked, blocks, elems int
		work                          float64
		chunks                        int
	}{
		{1, 0, 1000, 1000, 1e4, 1},                      // too small to be shared
		{1, 0, 1000, 1 << 20, large, 32},                // the context is checked in between
		{2, 0, 1000, 1 << 16, 4 * machine.PieceWork, 2}, // one for each goroutine
		{3, 0, 999, 1 << 16, machine.WakeWork - 1, 3},
		{2, 0, 1000, 1 << 16, 8 * machine.WakeWork, 4}, // two for each
		{2, 0, 1, 1 << 20, large, 1},                   // a block is not cut
		{2, 7, 143, 1000, 1e4, 143},                    // as asked
		{2, 25, 100, 1000, 1e4, 34},                    // whole blocks
		{2, 1, 1000, 1000, 1e4, 1000},
		{2, 5000, 10, 1000, 1e4, 1},
	} {
		e := &Executor{Workers: c.workers, ChunkElems: c.asked}
		task := e.newTask(&counting{}, c.blocks, c.elems, c.work, machine.ChunkElems)
		require.Equal(t, c.chunks, task.chunks, fmt.Sprint(c))
		require.GreaterOrEqual(t, task.chunk*task.chunks, c.blocks)
		require.Less(t, task.chunk*(task.chunks-1), c.blocks)
	}
}

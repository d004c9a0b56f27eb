package runtime

import (
	"context"
	"fmt"
	"math"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"github.com/stridefuse/stridefuse/ir"

	"github.com/stridefuse/stridefuse/ir/plan"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// hooked runs a function before each call of the subtraction in fiveOps, which
// it covers. A call is a tile.
func hooked(t *testing.T, before func(*abi.Frame)) func(abi.Engine, string) (func(*abi.Frame), bool) {
	sub := singleSig(t, ir.OpSub)
	fn, ok := abi.Lookup(abi.Portable, sub)
	require.True(t, ok)
	return func(e abi.Engine, sig string) (func(*abi.Frame), bool) {
		switch {
		case sig == sub:
			return func(f *abi.Frame) { before(f); fn(f) }, true
		case strings.Contains(sig, " = sub "): // among others
			return nil, false
		}
		return abi.Lookup(e, sig)
	}
}

// tilesInChunk is how many calls a chunk of fiveOps makes.
const tilesInChunk = chunkElements/(tileBytes/4) + 2

const manyChunks = 5 * chunkElements

// smallTask is so many elements of fiveOps that a worker is not worth waking, but
// one that is awake is worth having; hookedTask the same where kernels are hooked.
const hookedTask = 16 << 10

var smallTask = func() int {
	if abi.HasAVX2() {
		return 32 << 10
	}
	return 8 << 10
}()

func TestPanicIsAnError(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var call atomic.Int64
		var what func()
		e := &Executor{Workers: workers, lookup: hooked(t, func(*abi.Frame) {
			if call.Add(1) == 20 {
				what()
			}
		})}
		what = func() {}
		p := fiveOpsPlan(manyChunks, 4096)
		l := check(t, e, p, "")
		outs, ins := operandsFor(t, newRand(), p)
		for want, f := range map[string]func(){
			"a reason":    func() { panic("a reason") },
			"nil pointer": func() { *(*int)(nil) = 1 },
			"invalid":     func() { *(*int)(unsafe.Add(unsafe.Pointer(nil), math.MaxInt/4*3)) = 1 }, // not mapped
		} {
			call.Store(0)
			what = f
			err := l.Run(context.Background(), outs, ins)
			require.ErrorContains(t, err, want)
			require.ErrorContains(t, err, "kernel (")
		}
		require.NoError(t, l.Run(context.Background(), outs, ins))
		requireResults(t, reference(p, ins), outs, "after the panics")
	}
}

func TestCancel(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var calls atomic.Int64
		ctx, cancel := context.WithCancel(context.Background())
		e := &Executor{Workers: workers, lookup: hooked(t, func(*abi.Frame) {
			if calls.Add(1) == 10 {
				cancel()
			}
		})}
		p := fiveOpsPlan(40*chunkElements, chunkElements/8)
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operandsFor(t, newRand(), p)
		require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
		require.Less(t, calls.Load(), int64(tilesInChunk*(workers+2)), "chunks went on")
		before := calls.Load()
		require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
		require.Equal(t, before, calls.Load())

		small := fiveOpsPlan(manyChunks, 4096)
		check(t, e, small, "after a cancelled run")
	}
}

func TestConcurrentRuns(t *testing.T) {
	concurrentRuns(t, fiveOpsPlan(manyChunks, 4096), 5)
	concurrentRuns(t, fiveOpsPlan(smallTask, 4096), 200)
}

func concurrentRuns(t *testing.T, p *plan.Plan, runs int) {
	outs0, ins := operandsFor(t, newRand(), p)
	for _, e := range []*Executor{{}, {Workers: 3}, {Workers: 1}} {
		l, err := e.Link(p)
		require.NoError(t, err)
		require.NoError(t, l.Run(context.Background(), outs0, ins))
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				outs, _ := operandsFor(t, newRand(), p)
				for range runs {
					if err := l.Run(context.Background(), outs, ins); err != nil {
						panic(err)
					}
					if !tensor.Equal(outs[0], outs0[0]) {
						panic("results differ")
					}
				}
			})
		}
		all.Wait()
	}
}

// A run whose workers have not woken up, or are busy, does all by itself.
func TestHelpersAreOptional(t *testing.T) {
	e := &Executor{Workers: 4}
	e.workers().stop()
	check(t, e, fiveOpsPlan(manyChunks, 4096), "no workers")
}

func TestWorkersJoin(t *testing.T) {
	var mu sync.Mutex
	seen := map[*abi.Frame]bool{}
	e := &Executor{Workers: 3, lookup: hooked(t, func(f *abi.Frame) {
		mu.Lock()
		seen[f] = true
		mu.Unlock()
		time.Sleep(time.Millisecond)
	})}
	check(t, e, fiveOpsPlan(manyChunks, chunkElements), "")
	require.Len(t, seen, 3)
	for f := range seen {
		require.Nil(t, f.Ptr[2], "the output is kept alive") // the others are registers
	}
}

func TestWorkersEnd(t *testing.T) {
	e := &Executor{Workers: 20}
	check(t, e, fiveOpsPlan(manyChunks, 4096), "")
	c := e.pool
	require.Positive(t, c.living())
	goruntime.KeepAlive(e)
	e = nil
	require.Eventually(t, func() bool {
		goruntime.GC()
		return c.living() == 0
	}, 10*time.Second, 10*time.Millisecond)
}

// awake returns an Executor whose only worker looks for jobs for so long that the
// test sees no end.
func awake(t *testing.T) *Executor {
	e := &Executor{Workers: 2}
	c := e.workers()
	c.maxSpinners, c.spinTimeout = 1, int64(time.Hour)
	c.wake(1)
	require.Eventually(t, func() bool { return c.spinners.Load() == 1 }, 10*time.Second, time.Millisecond)
	return e
}

func (c *pool) living() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.alive
}

// A worker that is awake takes chunks of a small task; one that is not is left alone.
func TestSmallTask(t *testing.T) {
	e := awake(t)
	var first atomic.Pointer[abi.Frame]
	met, once := make(chan struct{}), sync.Once{}
	e.lookup = hooked(t, func(f *abi.Frame) { // the two wait for each other
		if first.CompareAndSwap(nil, f) {
			select {
			case <-met:
			case <-time.After(10 * time.Second):
			}
		} else if first.Load() != f {
			once.Do(func() { close(met) })
		}
	})
	l := check(t, e, fiveOpsPlan(hookedTask, 4096), "")
	require.LessOrEqual(t, l.tasks[0].parallelism, 1)
	require.Equal(t, 2, min(2, l.tasks[0].awake))
	require.Positive(t, e.Helped())

	p := fiveOpsPlan(smallTask, 4096)
	for range 20 { // as if it were long ago each time
		e := &Executor{Workers: 2}
		check(t, e, p, "")
		require.Zero(t, e.pool.living())
	}
}

// Small tasks without a pause between them get a worker awake.
func TestBurst(t *testing.T) {
	e := &Executor{Workers: 2}
	c := e.workers()
	c.maxSpinners, c.spinTimeout = 1, spinTimeout
	small := &task{nanos: wakeNanos}
	woken := 0
	for range 10 {
		if c.bursts(small) {
			woken++
		}
	}
	require.LessOrEqual(t, woken, 10*spinRatio*wakeNanos/(2*spinTimeout))
	check(t, e, fiveOpsPlan(smallTask, 4096), "")
	require.Zero(t, c.living())
	c.burst.Store(clock() + int64(time.Hour)) // as after many
	check(t, e, fiveOpsPlan(smallTask, 4096), "")
	require.Equal(t, 1, c.living())
}

// Nobody looks where it would keep others from working.
func TestOneProcessor(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1))
	e := &Executor{Workers: 4}
	p := fiveOpsPlan(smallTask, 4096)
	l := check(t, e, p, "")
	outs, ins := operandsFor(t, newRand(), p)
	for range 100 {
		require.NoError(t, l.Run(context.Background(), outs, ins))
	}
	require.Zero(t, e.pool.living())
	check(t, e, fiveOpsPlan(manyChunks, 4096), "")
}

func TestWorkersThatLookEnd(t *testing.T) {
	e := awake(t)
	e.pool.stop()
	require.Eventually(t, func() bool { return e.pool.living() == 0 }, 10*time.Second, time.Millisecond)
	require.Zero(t, e.pool.spinners.Load())
}

// Go's runtime can stop the world while workers do nothing but call kernels.
// Were the calls without a point to stop at, each collection would take seconds.
func TestStopTheWorld(t *testing.T) {
	p := fiveOpsPlan(1<<20, 64<<10)
	e := &Executor{Workers: 2}
	l, err := e.Link(p)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), p)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	for range 2 {
		go func() {
			out := outs[0].Clone()
			for ctx.Err() == nil {
				if err := l.Run(ctx, []*tensor.Tensor{out}, ins); err != nil && ctx.Err() == nil {
					panic(err)
				}
			}
			ended <- nil
		}()
	}
	begin, worst := time.Now(), time.Duration(0)
	for n := range 50 {
		at := time.Now()
		if n%10 == 0 {
			goruntime.GC()
		} else {
			var m goruntime.MemStats
			goruntime.ReadMemStats(&m)
			worst = max(worst, time.Since(at))
		}
	}
	t.Log("worst stop", worst)
	require.Less(t, time.Since(begin), 30*time.Second)
	cancel()
	for range 2 {
		<-ended
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	if raceDetector {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	for _, n := range []int{16, 5000, smallTask, manyChunks} {
		for name, e := range map[string]*Executor{"default": {}, "cover": {NoFused: true}, "four": {Workers: 4}} {
			p := fiveOpsPlan(n, 4096)
			l := check(t, e, p, name)
			outs, ins := operandsFor(t, newRand(), p)
			overlapping := []*tensor.Tensor{ins[1]}
			ctx, cancel := context.WithCancel(context.Background())
			for _, o := range [][]*tensor.Tensor{outs, overlapping} {
				for range 20 {
					require.NoError(t, l.Run(ctx, o, ins))
				}
				require.Zero(t, testing.AllocsPerRun(50, func() { _ = l.Run(ctx, o, ins) }), fmt.Sprint(name, n))
			}
			cancel()
		}
	}
}

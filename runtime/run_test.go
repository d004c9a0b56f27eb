package runtime_test

import (
	"context"
	"math"
	goruntime "runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/ir/nest"
	"github.com/stridefuse/stridefuse/runtime"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// requireResults compares the outputs of a run of nests with their definition.
func requireResults(t require.TestingT, p *nest.Program, outs, ins []*tensor.Tensor) {
	require.Empty(t, irtest.Diff(evaluated(t, p, arraysOf(ins)), arraysOf(outs)))
}

// TestPanicIsAnError has kernels that panic or touch memory that there is not.
func TestPanicIsAnError(t *testing.T) {
	for _, workers := range []int{1, 4} {
		var calls atomic.Int64
		var what func()
		e := with(before(func(string, *abi.Frame) {
			if calls.Add(1) == 30 {
				what()
			}
		}), &runtime.Executor{Workers: workers, Tuning: irtest.Machine(500)})
		p := tilingNest(101, 151)
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operands(t, p.Buffers)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		for want, f := range map[string]func(){
			"a reason":    func() { panic("a reason") },
			"nil pointer": func() { *(*int)(nil) = 1 },
			"invalid":     func() { *(*int)(unsafe.Add(unsafe.Pointer(nil), math.MaxInt/4*3)) = 1 }, // not mapped
		} {
			what = f
			for _, run := range []func() error{
				func() error { return l.Run(context.Background(), outs, ins) },
				func() error { return b.Run(context.Background()) },
			} {
				calls.Store(0)
				err := run()
				require.ErrorContains(t, err, want)
				require.ErrorContains(t, err, "run: ")
			}
		}
		require.NoError(t, l.Run(context.Background(), outs, ins))
		requireResults(t, p, outs, ins)
		require.NoError(t, b.Run(context.Background()))
		requireResults(t, p, outs, ins)
	}
}

// TestCancel counts the calls after a run is cancelled: none in another chunk, and within
// a block that is long no more than between two looks at the context.
func TestCancel(t *testing.T) {
	const n, tile = 1 << 19, 1 << 10
	for name, block := range map[string]int{"chunks": 1 << 13, "one block": n} {
		for _, workers := range []int{1, 3} {
			var calls atomic.Int64
			ctx, cancel := context.WithCancel(context.Background())
			e := with(before(func(string, *abi.Frame) {
				if calls.Add(1) >= 10 { // the tenth may be interrupted before it cancels
					cancel()
				}
			}), &runtime.Executor{Workers: workers})
			p := negNest(n, block, tile)
			l, err := e.Link(p)
			require.NoError(t, err)
			outs, ins := operands(t, p.Buffers)
			require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
			require.LessOrEqual(t, calls.Load(), int64(10+workers*runtime.PieceNanos/tile), name) // an element takes a nanosecond at least
			before := calls.Load()
			require.ErrorIs(t, l.Run(ctx, outs, ins), context.Canceled)
			require.Equal(t, before, calls.Load())
			require.NoError(t, l.Run(context.Background(), outs, ins))
			requireResults(t, p, outs, ins)
		}
	}
}

// endless is one block that takes minutes.
const endless = `nest endless arena=0 {
  %0 = param x 0  : f32[1024]
  %1 = result y 0 : f32[1024]
  task 0 steps=0..0 scratch=4096 work=1e+15 elems=1024 {
    $0 = buffer %0 : f32
    $1 = scratch 0 : f32[1024]
    $2 = buffer %1 : f32
    part [] {
      for [1073741824/1] {
        call kernel (u0:f32) { t0 = neg u0; store t0 }
          rows=1 cols=1024
          $0{0}+0/0 -> $1{0}+0/0
      }
      call kernel (u0:f32) { t0 = neg u0; store t0 }
        rows=1 cols=1024
        $1{}+0/0 -> $2{}+0/0
    }
  }
}
`

// TestStopTheWorld collects garbage while a run does nothing but call assembly, which
// can't be interrupted: the calls are where Go's runtime can stop it. The run ends only
// because it is cancelled afterwards.
func TestStopTheWorld(t *testing.T) {
	p, err := nest.Parse(endless)
	require.NoError(t, err)
	l, err := (&runtime.Executor{Workers: 1}).Link(p)
	require.NoError(t, err)
	outs, ins := operands(t, p.Buffers)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- l.Run(ctx, outs, ins) }()
	for range 5 {
		goruntime.GC()
	}
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

// TestConcurrentRuns has one program run by many goroutines, large and small.
func TestConcurrentRuns(t *testing.T) {
	for _, c := range []struct{ n, runs int }{{5 << 15, 2}, {1 << 13, 50}, {100, 100}} {
		p := lowered(t, sized(graphs["chain"], "N", c.n/16, "M", 16))
		for _, e := range []*runtime.Executor{{}, {Workers: 3}, {Workers: 3, Tuning: irtest.Machine(700)}, {Workers: 1}} {
			l := linked(t, e, p)
			want, ins := operands(t, p.Buffers)
			require.NoError(t, l.Run(context.Background(), want, ins))
			var all sync.WaitGroup
			for range 8 {
				all.Go(func() {
					outs := make([]*tensor.Tensor, 1)
					for range c.runs {
						run := l.Run
						if outs[0] == nil {
							run = l.RunNew
						}
						if err := run(context.Background(), outs, ins); err != nil {
							panic(err)
						}
						if !tensor.Equal(outs[0], want[0]) {
							panic("results differ")
						}
					}
				})
			}
			all.Wait()
		}
	}
}

// TestManyPrograms has one executor run programs in turn that need more scratch memory,
// or other sizes, than the one before.
func TestManyPrograms(t *testing.T) {
	e := &runtime.Executor{Workers: 3, Tuning: irtest.Machine(500)}
	var runs []func()
	for _, p := range []*nest.Program{tilingNest(100, 120), subNest(90, 70, 7, 11, unit, 0, 70, 1), tilingNest(61, 150)} {
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operands(t, p.Buffers)
		want := evaluated(t, p, arraysOf(ins))
		runs = append(runs, func() {
			require.NoError(t, l.Run(context.Background(), outs, ins))
			require.Empty(t, irtest.Diff(want, arraysOf(outs)))
		})
	}
	for range 50 {
		for _, run := range runs {
			run()
		}
	}
}

// TestRunAllocatesNothing has tasks of one chunk and of many, row groups, scratch memory,
// and an output that overlaps an input.
func TestRunAllocatesNothing(t *testing.T) {
	if runtime.RaceDetector {
		t.Skip("sync.Pool forgets at random under the race detector")
	}
	for _, c := range []struct {
		graph string
		n, m  int
	}{{"chain", 1, 16}, {"chain", 128, 256}, {"chain", 400, 512}, {"softmax", 64, 600}, {"reductions", 300, 300}, {"scans", 100, 2100}, {"product", 90, 70}, {"views", 500, 300}} {
		p := lowered(t, sized(graphs[c.graph], "N", c.n, "M", c.m))
		for _, e := range []*runtime.Executor{{}, {Workers: 1}, {Workers: 4, Tuning: irtest.Machine(4000)}} {
			l := linked(t, e, p)
			outs, ins := operands(t, p.Buffers)
			ways := map[string][]*tensor.Tensor{"apart": outs}
			if c.graph == "chain" {
				ways["overlapping"] = []*tensor.Tensor{ins[1]}
			}
			ctx, cancel := context.WithCancel(context.Background())
			for how, outs := range ways {
				b, err := l.Bind(outs, ins)
				require.NoError(t, err)
				for range 20 { // all workers have met it by then
					require.NoError(t, l.Run(ctx, outs, ins))
					require.NoError(t, b.Run(ctx))
				}
				require.Zero(t, irtest.Allocations(20, func() { _ = l.Run(ctx, outs, ins) }), "%v %s", c, how)
				require.Zero(t, irtest.Allocations(20, func() { _ = b.Run(ctx) }), "%v %s", c, how)
			}
			cancel()
		}
	}
}

// TestTensorsAreForgotten looks at the frames after a run: an idle worker keeps no tensor
// alive.
func TestTensorsAreForgotten(t *testing.T) {
	var mu sync.Mutex
	seen := map[*abi.Frame]bool{}
	e := with(before(func(_ string, f *abi.Frame) {
		mu.Lock()
		seen[f] = true
		mu.Unlock()
	}), &runtime.Executor{Workers: 3, Tuning: irtest.Machine(500)})
	p := subNest(500, 500, 7, 60, unit, 0, 500, 1)
	l, err := e.Link(p)
	require.NoError(t, err)
	outs, ins := operands(t, p.Buffers)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	require.NotEmpty(t, seen)
	for f := range seen {
		for i := range f.Ptr {
			require.Nil(t, f.Ptr[i])
		}
	}
}

// TestCallsAreShort counts what each call computes: Go's runtime can't stop a goroutine
// during a call. The elements are of cheap operations; a pair of a product costs less, and so does an element among
// which one is found, and one of columns that are reduced in registers.
func TestCallsAreShort(t *testing.T) {
	const mostElems, mostPairs = 32 << 10, 512 << 10
	for name, text := range graphs {
		n, most := 1000, mostElems
		switch name {
		case "product":
			n, most = 600, mostPairs
		case "find":
			most = mostPairs
		}
		var longest atomic.Int64
		e := with(before(func(sig string, f *abi.Frame) {
			elems := callElems(sig, f)
			for old := longest.Load(); elems > old && !longest.CompareAndSwap(old, elems); old = longest.Load() {
			}
		}), &runtime.Executor{Workers: 2})
		p := lowered(t, sized(text, "N", n, "M", n))
		outs, ins := operands(t, p.Buffers)
		require.NoError(t, linked(t, e, p).Run(context.Background(), outs, ins))
		require.LessOrEqual(t, longest.Load(), int64(most), name)
	}
}

// callElems returns how many elements, or pairs of a product, a call computes.
func callElems(signature string, f *abi.Frame) int64 {
	elems := int64(f.Rows) * int64(f.Cols)
	code, err := kernel.ParseCode(signature)
	if err != nil {
		panic(err)
	}
	for i, name := range code.Fields() {
		if name == "pairs" || name == "length" {
			elems *= int64(f.Step[code.FieldAt(i)])
		}
	}
	if m, ok := code.(*kernel.Micro); ok && m.Kind == kernel.ReduceColumns {
		elems /= 2
	}
	return elems
}

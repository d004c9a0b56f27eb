package graph_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"slices"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/irtest"
)

// Results of runs, and their release. In tests the memory of a released result is overwritten first, so a result that
// shares memory with it, or a run that does not store an element, is seen.

// poison overwrites the memory of results with ones, and releases them.
func poison(results []*graph.Tensor) {
	for _, r := range results {
		if r.Size() > 0 {
			memory := unsafe.Slice((*byte)(r.Pointer()), r.Bytes())
			for i := range memory {
				memory[i] = 0xff
			}
		}
		if err := r.Release(); err != nil {
			panic(err)
		}
	}
}

// doubled compiles x + x for any number of int32.
func doubled(t testing.TB, options ...graph.Item) *graph.Program {
	x := graph.Input("x", graph.Int32, graph.Dim("n"))
	p, err := graph.Compile(append(options, x.Add(x))...)
	require.NoError(t, err)
	return p
}

// TestReleasedMemoryIsUsedAgain: the next result of about that size is where the released one was, without an allocation
// of its elements.
func TestReleasedMemoryIsUsedAgain(t *testing.T) {
	p, ctx := doubled(t), context.Background()
	a, b := numbered(777_777), numbered(777_770)
	require.Eventually(t, func() bool { // the memory may be trimmed meanwhile
		first, err := p.Run(ctx, a)
		require.NoError(t, err)
		at := first.Pointer()
		stale, _ := graph.Data[int32](first)
		require.NoError(t, first.Release())
		require.True(t, !raceEnabled || stale[0] == -1, "the race detector's build poisons")
		kept := graph.KeptBytes()
		second, err := p.Run(ctx, b)
		require.NoError(t, err)
		return second.Pointer() == at && kept >= 4*777_777
	}, time.Minute, time.Microsecond)
	if raceEnabled {
		return
	}
	small := numbered(1000)
	require.LessOrEqual(t, irtest.Allocations(100, func() {
		r, err := p.Run(ctx, small)
		if err != nil || r.Release() != nil {
			t.Error(err)
		}
	}), 2.0)
}

// TestReleaseEndsViews: after Release a result, its views and all that was made of them fail, and a second call too.
func TestReleaseEndsViews(t *testing.T) {
	ctx := context.Background()
	x := graph.Input("x", graph.Int32, 2, 3)
	p, err := graph.Compile(x.Add(1))
	require.NoError(t, err)
	out, err := p.Run(ctx, numbered(2, 3))
	require.NoError(t, err)
	same, err := graph.Compile(x.Add(graph.Variable(out)))
	require.NoError(t, err)
	call, err := p.Bind([]*graph.Tensor{graph.New(graph.Int32, 2, 3)}, out)
	require.NoError(t, err)
	require.NoError(t, call.Run(ctx))
	clone := out.Clone()
	views := []*graph.Tensor{out.T(), out.Slice("1"), out.Reshape(6), out.Contiguous(), out.Bitcast(graph.Float32), out}
	require.NoError(t, views[1].Release(), "a view releases the whole")
	const released = "the result was released"
	for i, v := range views {
		require.ErrorContains(t, v.Err(), released, i)
		require.ErrorContains(t, v.T().Err(), released)
		require.ErrorContains(t, v.Release(), "release: "+released)
		_, err := v.At(0)
		require.ErrorContains(t, err, released)
		_, err = graph.Data[int32](v)
		require.ErrorContains(t, err, released)
		require.Zero(t, v.Size())
		_ = v.String()
	}
	require.Equal(t, []int32{1, 2, 3, 4, 5, 6}, ints(t, clone))
	_, err = p.Run(ctx, out)
	require.ErrorContains(t, err, released)
	require.ErrorContains(t, p.RunInto(ctx, []*graph.Tensor{out}, clone), released)
	require.ErrorContains(t, call.Run(ctx), released)
	_, err = same.Run(ctx, clone)
	require.ErrorContains(t, err, released)
	_, err = p.Bind([]*graph.Tensor{out}, clone)
	require.ErrorContains(t, err, released)
}

// TestReleaseTakesResultsOnly: other tensors are not of a run.
func TestReleaseTakesResultsOnly(t *testing.T) {
	var zero graph.Tensor
	var null *graph.Tensor
	for _, x := range []*graph.Tensor{graph.New(graph.Int8, 3), graph.Of([]int32{1}), numbered(2, 2).T(), numbered(3).Clone(), graph.ScalarOf(1.5)} {
		require.ErrorContains(t, x.Release(), "is not the result of a run")
		require.NoError(t, x.Err())
	}
	for _, x := range []*graph.Tensor{&zero, null, numbered(3).Slice("7")} {
		require.Error(t, x.Release())
	}
	empty := run(t, graph.Input("x", graph.Int32, 0, 3).Neg(), graph.New(graph.Int32, 0, 3))
	require.NoError(t, empty.Release())
	require.Error(t, empty.Release())
	scalar := run(t, graph.Input("x", graph.Int32, 3).Sum(), numbered(3))
	require.NoError(t, scalar.Release())
	require.Error(t, scalar.Release())
}

// pins has the pins of a test, which must not be dropped before they are undone.
var pins sync.Map

// holds are ways to hold on to a part of a result without the tensor itself. Each returns a function that returns the
// index of an element and its value, as often as it is called.
var holds = map[string]func(*graph.Tensor) func() (int, int32){
	"view": func(t *graph.Tensor) func() (int, int32) {
		v := t.Flip()
		return func() (int, int32) {
			x, _ := graph.At[int32](v, -1)
			return 0, x
		}
	},
	"view of a view": func(t *graph.Tensor) func() (int, int32) {
		v := t.Slice("::2").Slice("-1").Reshape(1, 1)
		at := (t.Size() - 1) / 2 * 2
		return func() (int, int32) {
			x, _ := graph.At[int32](v, 0, 0)
			return at, x
		}
	},
	"slice": func(t *graph.Tensor) func() (int, int32) {
		data, _ := graph.Data[int32](t)
		return func() (int, int32) { return len(data) - 1, data[len(data)-1] }
	},
	"end of a slice": func(t *graph.Tensor) func() (int, int32) {
		data, _ := graph.Data[int32](t)
		last, at := data[len(data)-1:], len(data)-1
		return func() (int, int32) { return at, last[0] }
	},
	"address": func(t *graph.Tensor) func() (int, int32) {
		data, _ := graph.Data[int32](t)
		at := len(data) / 2
		p := unsafe.Pointer(&data[at])
		return func() (int, int32) { return at, *(*int32)(p) }
	},
	"iterator": func(t *graph.Tensor) func() (int, int32) {
		all, _ := graph.All[int32](t)
		return func() (int, int32) {
			for x := range all {
				return 0, x
			}
			return 0, -1
		}
	},
	"goroutine": func(t *graph.Tensor) func() (int, int32) {
		ask, answers := make(chan bool), make(chan int32)
		data, _ := graph.Data[int32](t)
		go func(data []int32) {
			for range ask {
				answers <- data[0]
			}
		}(data)
		goruntime.AddCleanup(&ask, func(c chan bool) { close(c) }, ask)
		p := &ask
		return func() (int, int32) {
			*p <- true
			return 0, <-answers
		}
	},
	"pinned": func(t *graph.Tensor) func() (int, int32) {
		data, _ := graph.Data[int32](t)
		pin := new(goruntime.Pinner)
		pin.Pin(&data[0])
		pins.Store(pin, true)
		address := uintptr(unsafe.Pointer(&data[0]))
		return func() (int, int32) {
			x := **(**int32)(unsafe.Pointer(&address)) // what C would do
			return 0, x
		}
	},
	"finalizer": func(t *graph.Tensor) func() (int, int32) {
		data, _ := graph.Data[int32](t)
		back := make(chan []int32, 1)
		type owner struct{ data []int32 }
		goruntime.SetFinalizer(&owner{data}, func(o *owner) { back <- o.data })
		return func() (int, int32) {
			for len(back) == 0 {
				goruntime.GC()
				goruntime.Gosched()
			}
			data := <-back
			back <- data
			return 0, data[0]
		}
	},
}

// TestHeldResultsStay: a result of which anything is held keeps its elements, while other results come and go, are
// collected, or are poisoned and released.
func TestHeldResultsStay(t *testing.T) {
	names := make([]string, 0, len(holds))
	for name := range holds {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, callers := range []int{1, 2, 8, 64} {
		t.Run(fmt.Sprint(callers), func(t *testing.T) {
			p := doubled(t, graph.WithWorkers(2))
			var all sync.WaitGroup
			for id := range callers {
				all.Go(func() { holdSome(t, p, names, rand.New(rand.NewPCG(7, uint64(id))), 400/callers) })
			}
			all.Wait()
			pins.Range(func(pin, _ any) bool {
				pin.(*goruntime.Pinner).Unpin()
				return true
			})
			pins.Clear()
		})
	}
}

// heldResult is a result of n elements 2*(first + i), of which something is held.
type heldResult struct {
	how   string
	first int32
	value func() (int, int32)
}

// holdSome runs a program for random sizes, holds results in random ways, and checks what it has held before.
func holdSome(t *testing.T, p *graph.Program, names []string, random *rand.Rand, steps int) {
	var held []heldResult
	for range steps {
		in := make([]int32, 1+random.IntN(1<<random.IntN(15)))
		first := random.Int32N(1 << 20)
		for i := range in {
			in[i] = first + int32(i)
		}
		out, err := p.Run(context.Background(), graph.Of(in))
		if err != nil {
			t.Error(err)
			return
		}
		switch random.IntN(8) {
		case 0, 1, 2:
			how := names[random.IntN(len(names))]
			held = append(held, heldResult{how, first, holds[how](out)})
		case 3:
			if random.IntN(8) == 0 {
				goruntime.GC()
			}
		default:
			poison([]*graph.Tensor{out})
		}
		if len(held) > 0 {
			k := random.IntN(len(held))
			h := held[k]
			if at, x := h.value(); x != 2*(h.first+int32(at)) {
				t.Errorf("%s: element %d is %d, not %d", h.how, at, x, 2*(h.first+int32(at)))
				return
			}
			if random.IntN(3) == 0 {
				held = slices.Delete(held, k, k+1)
			}
		}
	}
}

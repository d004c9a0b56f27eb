//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	goruntime "runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// What Go's runtime does while a kernel executes, of whose instructions it knows nothing.

// hand returns a kernel of machine code written by hand.
func hand(t testing.TB, bytes []byte) *Kernel {
	l := newTest(t, 4)
	l.assemble = func(abi.Engine, kernel.Code) (code, error) { return code{bytes: bytes}, nil }
	k, err := l.kernel(least, kernelOf(t, 0))
	require.NoError(t, err)
	return k
}

// spinning is about 20 microseconds of spins.
const spinning = 50_000

// while calls a kernel on several goroutines, some with deep stacks, until do returns. Each of the goroutines counts what it
// computes beside the calls, which must be right at the end.
func while(t *testing.T, k *Kernel, do func()) {
	var stop atomic.Bool
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			frames, sum, want := make([]abi.Frame, 4), 0, 0
			fn := k.Func()
			for n := 0; !stop.Load(); n++ {
				frames[n%4].Rows = spinning
				x := new(int)
				*x = n
				fn(&frames[n%4])
				sum, want = sum+deep(n%(100*(i+1)), *x, fn), want+n
			}
			if sum != want {
				t.Errorf("a goroutine computed %d, want %d", sum, want)
			}
		})
	}
	do()
	stop.Store(true)
	all.Wait()
}

// deep calls itself to a depth, where a short kernel runs, and returns x. Its frames make stacks grow and move.
//
//go:noinline
func deep(depth, x int, fn func(*abi.Frame)) int {
	var space [64]int
	space[depth%64] = x
	if depth > 0 {
		return deep(depth-1, x, fn) + space[(depth+1)%64]
	}
	var f abi.Frame
	f.Rows = 10
	fn(&f)
	return space[0]
}

// TestRegisters calls a kernel that clobbers all it may, from a function that has values in registers.
func TestRegisters(t *testing.T) {
	fn := hand(t, clobbers).Func()
	a, b, c := 1.5, 2, new(int)
	for range 1000 {
		f := &abi.Frame{}
		fn(f)
		a, b = a+1, b+1
		*c++
		x := [4]float64{} // cleared by X15
		require.Zero(t, x)
	}
	require.Equal(t, 1001.5, a)
	require.Equal(t, 1002, b)
	require.Equal(t, 1000, *c)
}

// TestCollections collects garbage, changes GOMAXPROCS and writes the stacks of all goroutines while kernels run: each stops
// the world, and asks the threads to stop by a signal.
func TestCollections(t *testing.T) {
	procs := goruntime.GOMAXPROCS(0)
	defer goruntime.GOMAXPROCS(procs)
	while(t, hand(t, spins), func() {
		for i := range 12 {
			goruntime.GC()
			goruntime.GOMAXPROCS(1 + i%4)
			require.NotEmpty(t, goruntime.Stack(make([]byte, 1<<16), true))
		}
	})
}

// TestPanicsElsewhere makes panics with tracebacks, and recovers, while kernels run.
func TestPanicsElsewhere(t *testing.T) {
	while(t, hand(t, spins), func() {
		for range 200 {
			func() {
				defer func() {
					require.NotNil(t, recover())
					require.Contains(t, string(debug.Stack()), "TestPanicsElsewhere")
				}()
				var none *abi.Frame
				none.Rows = 1
			}()
		}
	})
}

// TestProfiled takes a CPU profile at 10 kHz, and a trace of all goroutines by signals, while kernels run. Samples inside a kernel
// are named runtime._ExternalCode and have the labels of the goroutine.
func TestProfiled(t *testing.T) {
	var out bytes.Buffer
	goruntime.SetCPUProfileRate(10_000) // StartCPUProfile keeps it, and says so on standard error
	require.NoError(t, pprof.StartCPUProfile(&out))
	k := hand(t, spins)
	pprof.Do(context.Background(), pprof.Labels("program", "spinning"), func(context.Context) {
		while(t, k, func() { time.Sleep(300 * time.Millisecond) })
	})
	pprof.StopCPUProfile()
	text := profileText(t, &out)
	require.Contains(t, text, "runtime._ExternalCode")
	require.Contains(t, text, "spinning")
}

// profileText returns the strings of a profile.
func profileText(t *testing.T, out io.Reader) string {
	z, err := gzip.NewReader(out)
	require.NoError(t, err)
	text, err := io.ReadAll(z)
	require.NoError(t, err)
	return string(text)
}

// TestSignals sends the signals for preemption and for profiles to this process as fast as it takes them.
func TestSignals(t *testing.T) {
	goruntime.SetCPUProfileRate(100)
	defer goruntime.SetCPUProfileRate(0)
	while(t, hand(t, spins), func() {
		for range 20_000 {
			require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGPROF))
			require.NoError(t, syscall.Kill(syscall.Getpid(), syscall.SIGURG))
		}
	})
}

// TestFault has a kernel read memory that does not exist. The fault is a panic of the goroutine that called, whose traceback
// leads through the call, and the goroutine goes on.
func TestFault(t *testing.T) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	none, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(none)) }()
	fn := hand(t, ret(adds(1))).Func()
	for range 100 {
		func() {
			defer func() {
				fault, ok := recover().(interface{ Addr() uintptr })
				require.True(t, ok)
				require.Equal(t, uintptr(unsafe.Pointer(&none[0])), fault.Addr())
				stack := string(debug.Stack())
				require.Contains(t, stack, "jit.enter(")
				require.Contains(t, stack, "TestFault")
				goruntime.GC() // scans the stack
			}()
			f := &abi.Frame{}
			f.Ptr[0] = unsafe.Pointer(&none[0])
			fn(f)
		}()
	}
}

// numbered is a kernel with a signature of its own.
type numbered struct {
	kernel.Code
	i int
}

func (n numbered) Signature() string { return strconv.Itoa(n.i) }

// TestChurn makes and drops kernels on several goroutines under a busy garbage collector: each computes what it should, and at the
// end the memory has returned. -jit.kernels sets the number.
func TestChurn(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	l := newTest(t, 1024)
	l.assemble = func(_ abi.Engine, c kernel.Code) (code, error) {
		return code{bytes: ret(adds(uint32(c.(numbered).i)))}, nil
	}
	const workers = 4
	var all sync.WaitGroup
	var full atomic.Int64
	for w := range workers {
		all.Go(func() {
			var held [8]*Kernel
			for i := w; i < *churned; i += workers {
				k, err := l.kernel(least, numbered{i: i})
				if err != nil {
					full.Add(1)
					goruntime.GC()
					continue
				}
				if got := runOn(k, 1); got != int32(i+1) {
					t.Errorf("kernel %d: %d", i, got)
				}
				held[i%len(held)] = k
				if i%500 == w {
					goruntime.GC()
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d kernels made, %d times without room", l.usage().Made, full.Load())
	require.EqualValues(t, *churned, l.usage().Made+int(full.Load()))
	require.Eventually(t, func() bool {
		goruntime.GC()
		u := l.usage()
		return u.Kernels == 0 && u.Bytes == 0
	}, 30*time.Second, time.Millisecond)
	require.Zero(t, resident(t, l.arena), "the system has the memory again")
}

// resident returns how many pages of an arena have memory.
func resident(t *testing.T, a *arena) (n int) {
	vec := make([]byte, len(a.used))
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, uintptr(unsafe.Pointer(&a.bytes[0])), uintptr(len(a.bytes)), uintptr(unsafe.Pointer(&vec[0])))
	if errno == syscall.ENOMEM {
		t.Skip("the emulator does not answer for pages without access")
	}
	require.Zero(t, errno)
	for _, v := range vec {
		n += int(v & 1)
	}
	return n
}

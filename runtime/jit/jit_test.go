//go:build linux && (amd64 || arm64) && !purego && !nojit

package jit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
)

// newTest returns a library of its own, with room for the given number of pages, whose kernels add the number of their
// signature in sigs plus 1.
func newTest(t testing.TB, pagesOf int) *library {
	a := &arena{sys: pages{}}
	require.NoError(t, a.begin(pagesOf*os.Getpagesize()))
	return newLibrary(a, func(_ abi.Engine, c kernel.Code) (code, error) {
		for i, sig := range sigs {
			if sig == c.Signature() {
				return code{bytes: ret(adds(uint32(i + 1)))}, nil
			}
		}
		return code{}, errors.New("unknown")
	})
}

// TestShared assembles kernels, calls them, and finds each again while it is reachable.
func TestShared(t *testing.T) {
	l := newTest(t, 16)
	var all []*Kernel
	for i := range sigs {
		k, err := l.kernel(least, kernelOf(t, i))
		require.NoError(t, err)
		require.EqualValues(t, 40+i+1, runOn(k, 40))
		all = append(all, k)
	}
	for i, k := range all {
		again, err := l.kernel(least, kernelOf(t, i))
		require.NoError(t, err)
		require.Same(t, k, again)
	}
	other, err := l.kernel(least+1, kernelOf(t, 0))
	require.NoError(t, err)
	require.NotSame(t, all[0], other, "kernels of two engines are two")
	require.Equal(t, Usage{Kernels: 9, Made: 9, Bytes: 9 * os.Getpagesize()}, l.usage())
	goruntime.KeepAlive(all)
	goruntime.KeepAlive(other)
}

// TestGivenBack drops kernels, of which only functions remain, and then those, and waits for the memory to return.
func TestGivenBack(t *testing.T) {
	l := newTest(t, 16)
	var funcs []func(*abi.Frame)
	for i := range sigs {
		k, err := l.kernel(least, kernelOf(t, i))
		require.NoError(t, err)
		funcs = append(funcs, k.Func())
	}
	goruntime.GC()
	goruntime.GC()
	for i, fn := range funcs {
		v := int32(7)
		f := &abi.Frame{}
		f.Ptr[0] = unsafe.Pointer(&v)
		fn(f)
		require.EqualValues(t, 8+i, v, "a function keeps its kernel alive")
	}
	require.Equal(t, len(sigs), l.usage().Kernels)
	clear(funcs)
	require.Eventually(t, func() bool {
		goruntime.GC()
		return l.usage() == Usage{Made: len(sigs)}
	}, 10*time.Second, time.Millisecond)
	l.mu.Lock()
	defer l.mu.Unlock()
	require.Empty(t, l.alive)
}

// TestFull fills the arena, is refused, drops kernels, and finds room again.
func TestFull(t *testing.T) {
	l := newTest(t, 3)
	var all []*Kernel
	for i := range 3 {
		k, err := l.kernel(least, kernelOf(t, i))
		require.NoError(t, err)
		all = append(all, k)
	}
	_, err := l.kernel(least, kernelOf(t, 3))
	require.ErrorIs(t, err, ErrFull)
	goruntime.KeepAlive(all)
	all = nil
	require.Eventually(t, func() bool {
		goruntime.GC()
		_, err := l.kernel(least, kernelOf(t, 3))
		return err == nil
	}, 10*time.Second, time.Millisecond)
}

// fake is a system in which each page is in one state. It fails the test if a page passes from one state to a wrong one.
type fake struct {
	t      require.TestingT
	memory []byte
	state  []byte // by page: 'f'ree, 'w'ritable, e'x'ecutable, or 'l'ost: the system has not taken it back
	refuse string // the calls that it refuses
}

func (f *fake) reserve(n int) ([]byte, error) {
	f.memory = make([]byte, n)
	f.state = []byte(strings.Repeat("f", n/os.Getpagesize()))
	return f.memory, f.refused("reserve")
}

func (f *fake) refused(call string) error {
	if strings.Contains(f.refuse, call) {
		return syscall.EACCES
	}
	return nil
}

func (f *fake) change(b []byte, from, to byte, call string) error {
	if err := f.refused(call); err != nil {
		return err
	}
	page := os.Getpagesize()
	first := int(uintptr(unsafe.Pointer(&b[0]))-uintptr(unsafe.Pointer(&f.memory[0]))) / page
	for i := range len(b) / page {
		if from != 0 {
			require.Equal(f.t, from, f.state[first+i])
		}
		f.state[first+i] = to
	}
	return nil
}

func (f *fake) write(b []byte) error   { return f.change(b, 'f', 'w', "write") }
func (f *fake) execute(b []byte) error { return f.change(b, 'w', 'x', "execute") }

func (f *fake) free(b []byte) error {
	if err := f.refused("free"); err != nil {
		_ = f.change(b, 0, 'l', "none")
		return err
	}
	return f.change(b, 0, 'f', "free")
}

// TestArena loads and drops code of random lengths, with a system that refuses calls now and then, beside a model: no span
// overlaps another, code stays as it was written, pages are never written again before they are free, which they are not if
// the system does not take them back, and all that is not refused fits while there are consecutive pages.
func TestArena(t *testing.T) {
	page := os.Getpagesize()
	rapid.Check(t, func(t *rapid.T) {
		sys := &fake{t: t}
		a := &arena{sys: sys}
		require.NoError(t, a.begin(16*page))
		loaded := map[span][]byte{}
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			sys.refuse = rapid.SampledFrom([]string{"", "", "", "write", "execute", "free", "write free", "execute free"}).Draw(t, "refused")
			if len(loaded) > 0 && rapid.Bool().Draw(t, "drop") {
				for s, code := range loaded {
					require.Equal(t, code, a.memory(s)[:len(code)])
					a.drop(s)
					delete(loaded, s)
					break
				}
				continue
			}
			code := make([]byte, rapid.IntRange(1, 4*page).Draw(t, "bytes"))
			for i := range code {
				code[i] = byte(len(loaded) + i)
			}
			free := longest(sys.state)
			_, s, err := a.load(code)
			need := (len(code) + page - 1) / page
			switch {
			case need > free:
				require.ErrorIs(t, err, ErrFull)
			case sys.refuse != "" && sys.refuse != "free":
				require.ErrorIs(t, err, syscall.EACCES)
			default:
				require.NoError(t, err)
				require.Equal(t, need, s.pages)
				loaded[s] = code
			}
			used := 0
			for s := range loaded {
				used += s.pages
			}
			require.Equal(t, (used+strings.Count(string(sys.state), "l"))*page, a.inUse())
			require.Equal(t, used, strings.Count(string(sys.state), "x"))
			require.Zero(t, strings.Count(string(sys.state), "w"))
		}
		sys.refuse = ""
	})
}

// longest returns the length of the longest run of free pages.
func longest(state []byte) (most int) {
	for _, run := range strings.FieldsFunc(string(state), func(r rune) bool { return r != 'f' }) {
		most = max(most, len(run))
	}
	return most
}

// TestRefused begins arenas of systems that refuse calls, each with an error that names the call.
func TestRefused(t *testing.T) {
	for call, want := range map[string]string{"reserve": "addresses", "write": "memory", "execute": "executable"} {
		err := (&arena{sys: &fake{t: t, refuse: call}}).begin(1 << 20)
		require.ErrorIs(t, err, syscall.EACCES)
		require.ErrorContains(t, err, want)
	}
}

// TestStack refuses a kernel that needs more stack than enter reserves.
func TestStack(t *testing.T) {
	l := newTest(t, 4)
	l.assemble = func(abi.Engine, kernel.Code) (code, error) { return code{bytes: clobbers, stack: maxStack + 8}, nil }
	_, err := l.kernel(least, kernelOf(t, 0))
	require.ErrorContains(t, err, "4104 bytes of stack")
	require.Zero(t, l.usage())
}

// mdwe is the argument of prctl by which Linux from 6.3 on refuses to make memory executable that has been writable.
const mdwe = 65

// TestDenied runs this binary in a process that may not make memory executable, as under SELinux or seccomp.
func TestDenied(t *testing.T) {
	if os.Getenv("JIT_DENIED") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestDenied$", "-test.v")
		cmd.Env = append(os.Environ(), "JIT_DENIED=1")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, syscall.ENOEXEC) {
			t.Skip("an emulated process can't start its own binary")
		}
		require.NoError(t, err, "%s", out)
		if strings.Contains(string(out), "SKIP") {
			t.Skip("the system has no PR_SET_MDWE")
		}
		return
	}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, mdwe, 1, 0, 0, 0, 0); errno != 0 {
		t.Skip("the system has no PR_SET_MDWE")
	}
	require.ErrorContains(t, Off(), "refuses to make memory executable")
	_, err := Assemble(least, kernelOf(t, 0))
	require.Equal(t, Off(), err)
	require.Zero(t, InUse())
}

// TestProtection asks the system how it has mapped the pages: none is writable and executable, and the free ones are
// neither.
func TestProtection(t *testing.T) {
	l := newTest(t, 8)
	k, err := l.kernel(least, kernelOf(t, 0))
	require.NoError(t, err)
	maps, err := os.ReadFile("/proc/self/maps")
	require.NoError(t, err)
	found := false
	for line := range strings.Lines(string(maps)) {
		require.NotContains(t, line, " rwx")
		var from, to uintptr
		_, err := fmt.Sscanf(line, "%x-%x", &from, &to)
		require.NoError(t, err)
		if from <= k.entry && k.entry < to {
			found = true
			require.Contains(t, line, " r-xp ")
		}
	}
	require.True(t, found)
	goruntime.KeepAlive(k)
}

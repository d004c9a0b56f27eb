//go:build !purego && unix

package builtin

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	irkernel "github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/abi"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// everyEnv is the environment variable of a number n: TestNEON then checks every n-th kernel. With n:k it checks another n-th part for
// each k from 0 to n-1, so that n processes check all.
const everyEnv = "STRIDEFUSE_EVERY"

// TestEngine looks kernels up as programs do: those with assembly are NEON's, those without are Go loops.
func TestEngine(t *testing.T) {
	Register()
	require.Equal(t, abi.NEON, abi.Best())
	engines := map[string]abi.Engine{
		"kernel (u0:f32) { t0 = tanh u0; store t0 }": abi.NEON, "reduce [add] kernel (u0:f64) { store u0 }": abi.NEON, "scan add f32": abi.NEON, "dot f32": abi.NEON,
	}
	loops, err := os.ReadFile("../../codegen/arm64/testdata/go_loops.txt")
	require.NoError(t, err)
	for sig := range strings.Lines(string(loops)) {
		engines[strings.TrimSpace(sig)] = abi.Portable
	}
	for sig, want := range engines {
		_, on, ok := abi.Find(abi.Best(), sig)
		require.True(t, ok, sig)
		require.Equal(t, want, on, sig)
	}
}

// TestNEON compares the kernels with what they mean: see kerneltest. Operands are in ordinary memory, and before pages without access.
// Under emulation all kernels take a quarter of an hour.
func TestNEON(t *testing.T) {
	entries := unsafe.Slice(kernels_neon.entries(), len(kernels_neon.signatures))
	count, part, _ := strings.Cut(os.Getenv(everyEnv), ":")
	every, _ := strconv.ParseUint(count, 10, 64)
	offset, _ := strconv.ParseUint(part, 10, 64)
	checked := 0
	for i, sig := range kernels_neon.signatures {
		h := fnv.New64a()
		h.Write([]byte(sig))
		if every > 0 && h.Sum64()%every != offset {
			continue
		}
		c, err := irkernel.ParseCode(sig)
		require.NoError(t, err)
		for _, memory := range []kerneltest.Memory{kerneltest.Heap, beforeGuards(t)} {
			if _, err = kerneltest.Check(c, h.Sum64(), memory, kerneltest.Form{Name: "neon", Call: function(entries[i])}); err != nil {
				t.Errorf("%s\n%v", sig, err)
			}
		}
		checked++
	}
	t.Logf("%d of %d kernels checked", checked, len(kernels_neon.signatures))
}

// guards are regions before pages without access, by operand.
var guards = map[int][]byte{}

// beforeGuards returns the memory of operands that end where access ends.
func beforeGuards(t *testing.T) kerneltest.Memory {
	return func(_ *rand.Rand, operand, span int) (mem []byte, at int) {
		const most, before = 8 << 20, 64
		region := guards[operand]
		if region == nil {
			page := os.Getpagesize()
			all, err := syscall.Mmap(-1, 0, most+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
			require.NoError(t, err)
			require.NoError(t, syscall.Mprotect(all[most:], syscall.PROT_NONE))
			region = all[:most]
			guards[operand] = region
		}
		return region[most-span-before:], before
	}
}

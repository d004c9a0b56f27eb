//go:build !purego

package builtin

import (
	"hash/fnv"
	"os"
	"strconv"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	irkernel "github.com/stridefuse/stridefuse/ir/kernel"
	"github.com/stridefuse/stridefuse/runtime/kerneltest"
)

// everyEnv is the environment variable of a number n: TestNEON then checks every n-th kernel.
const everyEnv = "STRIDEFUSE_EVERY"

// TestNEON compares the kernels with what they mean: see kerneltest. Under emulation all kernels take a quarter of an hour.
func TestNEON(t *testing.T) {
	entries := unsafe.Slice(kernels_neon.entries(), len(kernels_neon.signatures))
	every, _ := strconv.Atoi(os.Getenv(everyEnv))
	checked := 0
	for i, sig := range kernels_neon.signatures {
		h := fnv.New64a()
		h.Write([]byte(sig))
		if every > 0 && h.Sum64()%uint64(every) != 0 {
			continue
		}
		c, err := irkernel.ParseCode(sig)
		require.NoError(t, err)
		if _, err = kerneltest.Check(c, function(entries[i]), h.Sum64(), kerneltest.Heap); err != nil {
			t.Errorf("%s\n%v", sig, err)
		}
		checked++
	}
	t.Logf("%d of %d kernels checked", checked, len(kernels_neon.signatures))
}

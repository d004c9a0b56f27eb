//go:build !race

package memory

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLimitedSpace runs a process whose addresses are limited (ulimit -v): it takes and drops buffers of random sizes, most of them
// never written, some of them written. What does not fit is an error, however the free memory is divided, and the process goes
// on. Once all buffers are dropped ones of 32 MiB fit again, many times as many as there is memory.
func TestLimitedSpace(t *testing.T) {
	if os.Getenv("STRIDEFUSE_LIMITED") != "" {
		useLimitedSpace(t)
		return
	}
	test := exec.Command("sh", "-c", fmt.Sprintf("ulimit -v 3000000; exec %q -test.run=TestLimitedSpace -test.v", os.Args[0]))
	test.Env = append(os.Environ(), "STRIDEFUSE_LIMITED=1")
	out, err := test.CombinedOutput()
	if test.ProcessState.ExitCode() == 126 && strings.Contains(string(out), "Exec format error") {
		t.Skip("this process is emulated, and a shell can't start another one")
	}
	require.NoError(t, err, "%s", out[:min(len(out), 2000)])
}

func useLimitedSpace(t *testing.T) {
	require.True(t, limited())
	random := rand.New(rand.NewPCG(1, 2))
	refused, granted := 0, 0
	for range 8 {
		var live [][]byte
		for range 20 {
			if n := len(live); n > 0 && random.IntN(2) == 0 {
				k := random.IntN(n)
				live[k] = live[n-1]
				live[n-1] = nil
				live = live[:n-1]
				continue
			}
			n := 1 << 20 << random.IntN(11)
			n += random.IntN(n)
			buf, err := Allocate(n)
			if err != nil {
				require.Contains(t, err.Error(), byteCount(int64(n)))
				refused++
				continue
			}
			if n < 8<<20 {
				clear(buf)
			}
			granted, live = granted+1, append(live, buf)
		}
		goruntime.KeepAlive(live)
	}
	require.Greater(t, granted, 20)
	require.Positive(t, refused)
	for range 60 {
		buf, err := Allocate(32 << 20)
		require.NoError(t, err)
		buf[1<<20] = 1
	}
}

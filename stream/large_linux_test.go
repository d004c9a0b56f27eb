package stream_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// largeMemory is the bound of the job on a large file.
const largeMemory = 512 << 20

func init() { jobs["large"], jobs["greedy"] = largeJob, greedyJob }

// limit bounds what the process can allocate, as ulimit -d does: memory that it may write.
// ulimit -v would count what Go reserves and does not use, about a gigabyte.
func limit() error {
	return unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: largeMemory, Max: largeMemory})
}

// largeJob computes statistics of a file that is many times larger than its memory.
func largeJob(folder string) error {
	if err := limit(); err != nil {
		return err
	}
	x := input("x", graph.Float32, 1024)
	bin := x.SliceAxis(1, 0, 16, 1).Clip(-4, 3.5).Add(4).Cast(graph.Int64)
	p, err := graph.Compile(x.Mean(), x.Std(), bin.BinCount(8))
	if err != nil {
		return err
	}
	j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.File(filepath.Join(folder, "x.npy"))}, Memory: largeMemory}
	var last stream.Progress
	j.Progress = func(p stream.Progress) { last = p }
	out, err := j.Run(context.Background())
	if err != nil {
		return err
	}
	count, err := graph.Data[int64](out["out2"])
	fmt.Println(last, out["out0"], out["out1"], count)
	return err
}

// TestLargerThanMemory runs a job on a file with holes, and reports how much memory its process
// took at most: that of the bound, of the program, and the 20 MB of Go's runtime.
func TestLargerThanMemory(t *testing.T) {
	size := int64(600 << 20)
	if *long {
		size = 20 << 30
	}
	rows := int(size / 4096)
	folder := t.TempDir()
	f, err := os.Create(filepath.Join(folder, "x.npy"))
	require.NoError(t, err)
	head, err := npy.Header(graph.Float32, rows, 1024)
	require.NoError(t, err)
	_, err = f.Write(head)
	require.NoError(t, err)
	require.NoError(t, f.Truncate(int64(len(head))+size))
	require.NoError(t, f.Close())
	cmd := start(t, "large", folder)
	require.NoError(t, cmd.Wait())
	peak := int64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) << 10
	t.Logf("%d MB in a file, at most %d MB in memory", size>>20, peak>>20)
	require.Less(t, peak, int64(largeMemory))
}

// greedyJob allocates more than its process may.
func greedyJob(string) error {
	if err := limit(); err != nil {
		return err
	}
	x := graph.Ones(graph.Float32, largeMemory/4)
	fmt.Println(x.Shape())
	return x.Err()
}

// TestLimitHolds has a process that allocates more than the bound end: the bound of the test
// above is one.
func TestLimitHolds(t *testing.T) {
	cmd := exec.Command(os.Args[0], "")
	cmd.Env = append(os.Environ(), asJob+"=greedy")
	require.Error(t, cmd.Run())
}

//go:build linux

package graph_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	goruntime "runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/stridefuse/stridefuse/graph"
)

// inLimits is set in the processes that TestMemoryLimits starts.
const inLimits = "STRIDEFUSE_TEST_LIMITS"

// limitedRuns need more memory than a process of 2 GiB has. Each returns the error.
var limitedRuns = map[string]func() error{
	"outputs": func() error {
		_, err := compileLarge(33).RunAll(context.Background(), graph.Ones(graph.Float32, 1))
		return err
	},
	"concurrent runs": func() error {
		p, errs := compileLarge(5), make([]error, 16)
		outs := make([][]*graph.Tensor, len(errs))
		var all sync.WaitGroup
		for i := range errs {
			all.Go(func() { outs[i], errs[i] = p.RunAll(context.Background(), graph.Ones(graph.Float32, 1)) })
		}
		all.Wait()
		return errors.Join(errs...)
	},
	"constructors": func() error {
		var kept []*graph.Tensor
		for range 20_000 {
			t := graph.New(graph.Float32, 1<<18)
			if t.Err() != nil {
				return t.Err()
			}
			kept = append(kept, t)
		}
		goruntime.KeepAlive(kept)
		return nil
	},
}

// compileLarge returns a program with n outputs of 60 MiB each.
func compileLarge(outputs int) *graph.Program {
	x := graph.Input("x", graph.Float32, 1)
	var ys graph.Nodes
	for i := range outputs {
		ys = append(ys, x.Add(i).Expand(15<<20))
	}
	p, err := graph.Compile(ys)
	if err != nil {
		panic(err)
	}
	return p
}

// TestMemoryLimits runs programs with too little memory in processes with limited addresses, which Go would end past
// the limit.
func TestMemoryLimits(t *testing.T) {
	if name := os.Getenv(inLimits); name != "" {
		space := unix.Rlimit{Cur: 2 << 30, Max: 2 << 30}
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_AS, &space))
		var e *graph.Error
		err := limitedRuns[name]()
		require.ErrorAs(t, err, &e)
		require.Contains(t, e.Error(), "limits_test.go:")
		require.Regexp(t, `\d+ bytes( \(.*iB\))? asked, but (of the \d+ bytes \(.*iB\) of memory there is, \d+ bytes|the limit on addresses \(ulimit -v\) leaves \d+ bytes)`, e.Msg)
		return
	}
	if raceEnabled {
		t.Skip("the race detector needs more addresses than the limit")
	}
	for name := range limitedRuns {
		cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryLimits$", "-test.v")
		cmd.Env = append(os.Environ(), inLimits+"="+name)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s:\n%s", name, out)
		require.Contains(t, string(out), "--- PASS: TestMemoryLimits", name)
	}
}

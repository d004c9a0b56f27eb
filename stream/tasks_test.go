package stream_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/npy"
	"github.com/stridefuse/stridefuse/stream"
)

// TestTasks computes all cases as an engine does: each block on one of two machines, in any
// order, some of them twice.
func TestTasks(t *testing.T) {
	const n = 5000
	for name, build := range cases {
		p, err := graph.Compile(build())
		require.NoError(t, err)
		ins := tensors(t, p, n)
		j := jobOf(p, ins, 1024, 1)
		tasks, err := j.Tasks()
		if name == "scan" || name == "scan then sum" || name == "gram" || name == "gram of halves" || name == "flat" || name == "count" {
			require.ErrorContains(t, err, "each block needs the result of the block before", name)
			continue
		}
		require.NoError(t, err, name)
		other, err := j.Tasks()
		require.NoError(t, err)
		machines := []*stream.Tasks{tasks, other}
		var totals []byte
		for pass := range tasks.Passes() {
			parts := make([][]byte, tasks.Blocks())
			for _, b := range append(rand.Perm(tasks.Blocks()), 0) {
				parts[b], err = machines[rand.IntN(2)].Block(context.Background(), pass, b, totals)
				require.NoError(t, err)
			}
			_, err = tasks.Finish(pass, parts[1:], totals)
			require.ErrorContains(t, err, "parts of")
			for _, pass := range []int{-1, 7} {
				_, err = tasks.Finish(pass, parts, totals)
				require.ErrorContains(t, err, "pass")
			}
			totals, err = machines[rand.IntN(2)].Finish(pass, parts, totals)
			require.NoError(t, err)
		}
		got, err := tasks.Results(context.Background(), totals)
		require.NoError(t, err)
		for name, s := range j.Outputs {
			if got[name] == nil {
				got[name] = s.(*stream.InMemory).Tensor
			}
		}
		requireSame(t, inMemory(t, p, ins), got, name)
		require.NoError(t, tasks.Close())
		require.NoError(t, other.Close())
		_, err = tasks.Results(context.Background(), append(totals, 1))
		require.ErrorContains(t, err, "bytes in place of")
	}
}

// runTasks computes what Results needs.
func runTasks(t *testing.T, tasks *stream.Tasks) (totals []byte) {
	for pass := range tasks.Passes() {
		var parts [][]byte
		for b := range tasks.Blocks() {
			part, err := tasks.Block(context.Background(), pass, b, totals)
			require.NoError(t, err)
			parts = append(parts, part)
		}
		var err error
		totals, err = tasks.Finish(pass, parts, totals)
		require.NoError(t, err)
	}
	return totals
}

// TestResultsAgain completes a file on a machine, again on it and on one that has computed no
// block, and then computes all blocks again.
func TestResultsAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "y.npy")
	p := center(t)
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})["out0"]
	machine := func() *stream.Tasks {
		j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": stream.NewFile(name)}, Rows: 1024}
		tasks, err := j.Tasks()
		require.NoError(t, err)
		t.Cleanup(func() { tasks.Close() })
		return tasks
	}
	a, b := machine(), machine()
	for range 2 {
		totals := runTasks(t, a)
		for _, m := range []*stream.Tasks{b, a, machine(), b} { // b has no rows but completes the file
			_, err := m.Results(context.Background(), totals)
			require.NoError(t, err)
			got, err := npy.ReadFile(name)
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		}
	}
}

// TestResultsOfNothing is an error: no machine has written a row.
func TestResultsOfNothing(t *testing.T) {
	x := graph.New(graph.Float32, 5000, 4)
	j := stream.Job{Program: mustCompile(t, input("x", graph.Float32, 4).Mul(2)), Inputs: map[string]stream.Source{"x": stream.Memory(x)}}
	j.Outputs = map[string]stream.Sink{"out0": stream.NewFile(filepath.Join(t.TempDir(), "y.npy"))}
	tasks, err := j.Tasks()
	require.NoError(t, err)
	defer tasks.Close()
	_, err = tasks.Results(context.Background(), nil)
	require.ErrorContains(t, err, "y.npy: no rows have been written")
}

package stream_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
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
		tasks, err := j.Tasks(context.Background())
		if name == "scan" || name == "scan then sum" || name == "scan past the range" || name == "gram" || name == "gram of halves" || name == "flat" || name == "count" {
			require.ErrorContains(t, err, "each block needs the result of the block before", name)
			continue
		}
		require.NoError(t, err, name)
		other, err := j.Tasks(context.Background())
		require.NoError(t, err)
		machines := []*stream.Tasks{tasks, other}
		var totals []byte
		for pass := range tasks.Passes() {
			parts := make([][]byte, tasks.Blocks())
			for _, b := range append(rand.Perm(tasks.Blocks()), 0) {
				parts[b], err = machines[rand.IntN(2)].Block(context.Background(), pass, b, totals)
				require.NoError(t, err)
			}
			_, err = tasks.Finish(context.Background(), pass, parts[1:], totals)
			require.ErrorContains(t, err, "parts of")
			for _, pass := range []int{-1, 7} {
				_, err = tasks.Finish(context.Background(), pass, parts, totals)
				require.ErrorContains(t, err, "pass")
			}
			totals, err = machines[rand.IntN(2)].Finish(context.Background(), pass, parts, totals)
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
		totals, err = tasks.Finish(context.Background(), pass, parts, totals)
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
		tasks, err := j.Tasks(context.Background())
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

// TestLateBlock has an engine compute a block once more after the file was completed, and then
// complete the file again: the rows that the new .part lacks must not become zeros.
func TestLateBlock(t *testing.T) {
	folder := t.TempDir()
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	p := mustCompile(t, input("x", graph.Float32, 4).Mul(2))
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})["out0"]
	for name, out := range map[string]stream.Sink{"y.npy": stream.NewFile(filepath.Join(folder, "y.npy")), "y": stream.NewFolder(filepath.Join(folder, "y"))} {
		j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": out}, Rows: 1024}
		tasks, err := j.Tasks(t.Context())
		require.NoError(t, err)
		totals := runTasks(t, tasks)
		_, err = tasks.Results(t.Context(), totals)
		require.NoError(t, err)
		_, err = tasks.Block(t.Context(), 0, 2, totals)
		require.NoError(t, err)
		_, err = tasks.Results(t.Context(), totals)
		if name == "y.npy" {
			require.ErrorContains(t, err, "y.npy.part: the rows from 0 on have not been written")
			got, err := npy.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		} else {
			require.NoError(t, err)
			requireFolder(t, filepath.Join(folder, name), want)
		}
		_, err = tasks.Results(t.Context(), runTasks(t, tasks)) // all blocks again
		require.NoError(t, err)
		require.NoError(t, tasks.Close())
	}
	got, err := os.ReadFile(filepath.Join(folder, "y.npy"))
	require.NoError(t, err)
	var bytes bytes.Buffer
	require.NoError(t, npy.Write(&bytes, want))
	require.Equal(t, bytes.Bytes(), got)
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// TestMissingBlock has one machine write a block where the other one does not see it.
func TestMissingBlock(t *testing.T) {
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	p := mustCompile(t, input("x", graph.Float32, 4).Mul(2))
	for want, sink := range map[string]func(folder string) stream.Sink{
		"y.npy.part: the rows from 2048 on have not been written":      func(f string) stream.Sink { return stream.NewFile(filepath.Join(f, "y.npy")) },
		"000000000003072.npy is there in place of 000000000002048.npy": func(f string) stream.Sink { return stream.NewFolder(filepath.Join(f, "y")) },
		"chunk [2 0] has not been written":                             func(f string) stream.Sink { return zarr.To(filepath.Join(f, "y"), zarr.Options{}) },
	} {
		var machines []*stream.Tasks
		for range 2 {
			j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": sink(t.TempDir())}, Rows: 1024}
			tasks, err := j.Tasks(t.Context())
			require.NoError(t, err)
			machines = append(machines, tasks)
		}
		for _, b := range rand.Perm(machines[0].Blocks()) {
			m := machines[0]
			if b == 2 {
				m = machines[1]
			}
			_, err := m.Block(t.Context(), 0, b, nil)
			require.NoError(t, err)
		}
		_, err := machines[0].Results(t.Context(), nil)
		require.ErrorContains(t, err, want)
		require.NoError(t, machines[0].Close())
		require.NoError(t, machines[1].Close())
	}
}

// TestPartOfAnotherArray refuses a file that an earlier job has left.
func TestPartOfAnotherArray(t *testing.T) {
	name := filepath.Join(t.TempDir(), "y.npy")
	run := func(rows int) error {
		x := stream.Memory(graph.New(graph.Float32, rows, 4))
		j := stream.Job{Program: mustCompile(t, input("x", graph.Float32, 4).Mul(2)), Inputs: map[string]stream.Source{"x": x}, Outputs: map[string]stream.Sink{"out0": stream.NewFile(name)}, Rows: 1024}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		j.Progress = func(stream.Progress) { stop() }
		_, err := j.Run(ctx)
		return err
	}
	require.ErrorIs(t, run(5000), context.Canceled)
	require.ErrorContains(t, run(6000), "y.npy.part: an earlier job has left rows of an array of another shape or type: remove it")
	require.ErrorIs(t, run(5000), context.Canceled)
}

// TestResultsOfNothing is an error: no machine has written a row.
func TestResultsOfNothing(t *testing.T) {
	x := graph.New(graph.Float32, 5000, 4)
	j := stream.Job{Program: mustCompile(t, input("x", graph.Float32, 4).Mul(2)), Inputs: map[string]stream.Source{"x": stream.Memory(x)}}
	j.Outputs = map[string]stream.Sink{"out0": stream.NewFile(filepath.Join(t.TempDir(), "y.npy"))}
	tasks, err := j.Tasks(context.Background())
	require.NoError(t, err)
	defer tasks.Close()
	_, err = tasks.Results(context.Background(), nil)
	require.ErrorContains(t, err, "y.npy: no rows have been written")
}

package stream_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// stopped returns a job on x in a folder that has ended after two blocks.
func stopped(t *testing.T, folder string, node graph.Node, x *graph.Tensor) stream.Job {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	j := stream.Job{
		Program: mustCompile(t, node), Inputs: map[string]stream.Source{"x": stream.Memory(x)},
		Outputs: map[string]stream.Sink{"out0": stream.NewFile(filepath.Join(folder, "y.npy"))}, Rows: 1024, State: filepath.Join(folder, "state"),
		Progress: func(p stream.Progress) {
			if p.Block == 2 {
				stop()
			}
		},
	}
	_, err := j.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	j.Progress = nil
	return j
}

// TestResumeRefuses jobs with another input or option, and a journal with impossible numbers.
func TestResumeRefuses(t *testing.T) {
	node, x := input("x", graph.Float32, 4).Exp(), graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	for want, change := range map[string]func(j *stream.Job){
		"is the state of another job": func(j *stream.Job) { j.Inputs["x"] = stream.Memory(graph.Normal(graph.Float32, 2, 0, 1, 5000, 4)) },
		"other options":               func(j *stream.Job) { j.Options = []graph.Option{graph.WithFast()} },
		"block 1 of pass -2":          func(j *stream.Job) { note(t, j.State, `{"Pass":-2,"Block":1}`) },
		"block 7 of pass 0":           func(j *stream.Job) { note(t, j.State, `{"Pass":0,"Block":7}`) },
	} {
		j := stopped(t, t.TempDir(), node, x)
		change(&j)
		_, err := j.Run(context.Background())
		require.ErrorContains(t, err, want)
	}
}

// note appends an entry to a journal.
func note(t *testing.T, state, text string) {
	f, err := os.OpenFile(filepath.Join(state, "journal-0-of-1"), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = fmt.Fprintf(f, "%08x %s\n", crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)), text)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// TestResumeWithOtherSinks has an output begin anew in a sink that has none of it.
func TestResumeWithOtherSinks(t *testing.T) {
	node, x := input("x", graph.Float32, 4).Mul(2), graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	j := stopped(t, t.TempDir(), node, x)
	want := inMemory(t, j.Program, map[string]*graph.Tensor{"x": x})["out0"]
	var out stream.InMemory
	j.Outputs["out0"] = &out
	_, err := j.Run(context.Background())
	require.NoError(t, err)
	require.True(t, graph.Equal(want, out.Tensor))
}

// failing is a Sink that is not completed.
type failing struct{ stream.Sink }

func (failing) Commit() error { return errors.New("the disk is gone") }

// TestResumeAfterCommit continues after one of two outputs was completed: with the same sinks,
// with damage in the complete one, and with another one in its place.
func TestResumeAfterCommit(t *testing.T) {
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	in := input("x", graph.Float32, 4)
	p, err := graph.Compile(in.Mul(2), in.Mul(3))
	require.NoError(t, err)
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})
	for _, damage := range []string{"", "a.npy", "other"} {
		folder := t.TempDir()
		file := func(name string) string { return filepath.Join(folder, name) }
		blocks := 0
		j := stream.Job{
			Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Rows: 1024, State: file("state"),
			Outputs:  map[string]stream.Sink{"out0": stream.NewFile(file("a.npy")), "out1": failing{stream.NewFile(file("b.npy"))}},
			Progress: func(stream.Progress) { blocks++ },
		}
		_, err = j.Run(context.Background())
		require.ErrorContains(t, err, "the disk is gone")
		j.Outputs["out1"], blocks = stream.NewFile(file("b.npy")), 0
		a, again := "a.npy", 0
		switch damage {
		case "a.npy":
			data, err := os.ReadFile(file(a))
			require.NoError(t, err)
			data[len(data)/2] ^= 1
			require.NoError(t, os.WriteFile(file(a), data, 0o666))
			again = 1
		case "other":
			a, again = "other.npy", 5
			j.Outputs["out0"] = stream.NewFile(file(a))
		}
		_, err = j.Run(context.Background())
		require.NoError(t, err)
		require.Equal(t, again, blocks, damage)
		for i, name := range []string{a, "b.npy"} {
			got, err := npy.ReadFile(file(name))
			require.NoError(t, err)
			require.True(t, graph.Equal(want[fmt.Sprint("out", i)], got), name)
		}
	}
}

// TestStateKeepsOtherFiles has files of the user in State.
func TestStateKeepsOtherFiles(t *testing.T) {
	j := stopped(t, t.TempDir(), input("x", graph.Float32, 4).Mul(2), graph.New(graph.Float32, 5000, 4))
	names := []string{"journal-notes", "parts-list.csv", "states-0-1.txt"}
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(j.State, name), nil, 0o666))
	}
	_, err := j.Run(context.Background())
	require.NoError(t, err)
	left, err := os.ReadDir(j.State)
	require.NoError(t, err)
	require.Len(t, left, len(names))
}

// TestFolderAgain writes a folder with blocks of other sizes, and then fewer rows.
func TestFolderAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "y[1]")
	run := func(rows, block int) error {
		x := graph.Normal(graph.Float32, uint64(block), 0, 1, rows, 4)
		j := stream.Job{Program: mustCompile(t, input("x", graph.Float32, 4)), Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": stream.NewFolder(name)}, Rows: block}
		if _, err := j.Run(context.Background()); err != nil {
			return err
		}
		requireFolder(t, name, x)
		return nil
	}
	for _, block := range []int{10, 15, 7, 100, 50} {
		require.NoError(t, run(100, block))
	}
	require.ErrorContains(t, run(40, 10), "000000000000050.npy: it is not of this array, which has 40 rows: remove it")
	require.NoError(t, os.Rename(filepath.Join(name, "000000000000050.npy"), filepath.Join(name, "more.npy")))
	require.ErrorContains(t, run(100, 10), "more.npy: it is not of this array")
}

package stream_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// A job whose process kills itself at one point: before, in the middle of and after each write
// of rows, and before and after each array is completed.

// mortal is a Sink with such points.
type mortal struct {
	stream.Sink
	left *int // how many points until the end
}

func (m mortal) point() {
	if *m.left--; *m.left == 0 {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			p.Kill()
		}
		select {}
	}
}

func (m mortal) Write(ctx context.Context, begin int, t *graph.Tensor) error {
	m.point()
	if t.Rank() > 0 {
		if err := m.Sink.Write(ctx, begin, t.SliceAxis(0, 0, t.Extent(0)/2, 1)); err != nil {
			return err
		}
	}
	m.point()
	err := m.Sink.Write(ctx, begin, t)
	m.point()
	return err
}

func (m mortal) Commit() error {
	m.point()
	err := m.Sink.Commit()
	m.point()
	return err
}

// pointsProgram has rows, a scan, and sums of two passes.
func pointsProgram() (*graph.Program, error) {
	x := input("x", graph.Float32, 4)
	return graph.Compile(x.Sub(x.Mean(0)), x.CumSum(0), x.Std(0))
}

// pointsJob runs until the point that the folder's file names.
func pointsJob(folder string) error {
	file := func(name string) string { return filepath.Join(folder, name) }
	text, err := os.ReadFile(file("point"))
	if err != nil {
		return err
	}
	left, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	p, err := pointsProgram()
	if err != nil {
		return err
	}
	j := stream.Job{
		Program: p, Inputs: map[string]stream.Source{"x": stream.File(file("x.npy"))}, Rows: 1024, State: file("state"),
		Outputs: map[string]stream.Sink{
			"out0": mortal{stream.NewFile(file("scan.npy")), &left}, "out1": mortal{stream.NewFolder(file("squares")), &left},
			"out2": mortal{stream.NewFile(file("sum.npy")), &left},
		},
	}
	_, err = j.Run(context.Background())
	return err
}

// TestKilledAtEachPoint kills a job at a point, lets another process continue, and compares
// bytes: for all points, until there are no more.
func TestKilledAtEachPoint(t *testing.T) {
	folder := t.TempDir()
	x := graph.Normal(graph.Float32, 1, 3, 2, 3000, 4)
	require.NoError(t, npy.WriteFile(filepath.Join(folder, "x.npy"), x))
	p, err := pointsProgram()
	require.NoError(t, err)
	want, err := p.RunAll(t.Context(), x)
	require.NoError(t, err)
	at := func(point int) *exec.Cmd {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "point"), strconv.AppendInt(nil, int64(point), 10), 0o666))
		cmd := start(t, "points", folder)
		cmd.Wait()
		return cmd
	}
	killed := 0
	for point := 1; ; point++ {
		if at(point).ProcessState.Success() {
			break
		}
		killed++
		require.True(t, at(0).ProcessState.Success(), "after the point %d", point)
		requireResults(t, folder, want)
	}
	t.Logf("killed at %d points", killed)
	require.Equal(t, 2*3*3+3+3*2, killed) // two arrays of three blocks, one of one, and three ends
}

// TestTornJournal cuts a journal off after any of its bytes, as a machine that fails may, and
// continues. With -long it does so after each.
func TestTornJournal(t *testing.T) {
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	folder := t.TempDir()
	j := stopped(t, folder, input("x", graph.Float32, 4).CumSum(0), x)
	want := inMemory(t, j.Program, map[string]*graph.Tensor{"x": x})["out0"]
	journal, err := os.ReadFile(filepath.Join(j.State, "journal-0-of-1"))
	require.NoError(t, err)
	before := t.TempDir()
	require.NoError(t, os.CopyFS(before, os.DirFS(folder)))
	step := 13
	if *long {
		step = 1
	}
	for n := 0; n <= len(journal); n += step {
		require.NoError(t, os.RemoveAll(folder))
		require.NoError(t, os.CopyFS(folder, os.DirFS(before)))
		require.NoError(t, os.WriteFile(filepath.Join(j.State, "journal-0-of-1"), journal[:n], 0o666))
		_, err := j.Run(t.Context())
		require.NoError(t, err, "after %d bytes", n)
		got, err := npy.ReadFile(filepath.Join(folder, "y.npy"))
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got), "after %d bytes", n)
	}
}

package stream_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/formats/zarr"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// fullSinks are the kinds of output, by the names of files.
var fullSinks = map[string]func(name string) stream.Sink{
	"y.npy": stream.NewFile, "y": stream.NewFolder,
	"y.zarr": func(name string) stream.Sink { return zarr.To(name, zarr.Options{}) },
}

func init() { jobs["full"] = fullJob }

// fullJob runs a job that writes 1 MB for each kind of output, one after the other.
func fullJob(folder string) error {
	x := input("x", graph.Float32, 64)
	p, err := graph.Compile(x.Mul(2), x.Sum(0))
	if err != nil {
		return err
	}
	for name, sink := range fullSinks {
		j := stream.Job{
			Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(graph.Ones(graph.Float32, 4096, 64))},
			Outputs: map[string]stream.Sink{"out0": sink(filepath.Join(folder, name))}, Rows: 1024, State: filepath.Join(folder, "state-"+name),
		}
		if _, err := j.Run(context.Background()); err != nil {
			return err
		}
	}
	return nil
}

// TestDiskFull runs jobs where no file can have more than 50 KB, or 100 as the shell counts: an error that names the file,
// no panic. When there is space again, the job continues.
func TestDiskFull(t *testing.T) {
	folder := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", `ulimit -f 100; exec "$0" "$1"`, os.Args[0], folder)
	cmd.Env = append(os.Environ(), asJob+"=full")
	out, err := cmd.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, 1, cmd.ProcessState.ExitCode(), "%s", out)
	require.Contains(t, string(out), "file too large")
	require.Contains(t, string(out), "/y")
	left, err := filepath.Glob(filepath.Join(folder, "*", "*.part?*"))
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoError(t, fullJob(folder))
	want := graph.Full(graph.Float32, 2, 4096, 64)
	got, err := npy.ReadFile(filepath.Join(folder, "y.npy"))
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got))
	requireFolder(t, filepath.Join(folder, "y"), want)
	got, err = zarr.ReadArray(filepath.Join(folder, "y.zarr"))
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got))
}

// TestReadOnly has folders in which nothing may be written: an error that names the file, as
// another user than root has.
func TestReadOnly(t *testing.T) {
	for name, sink := range fullSinks {
		folder := filepath.Join(t.TempDir(), "locked")
		require.NoError(t, os.WriteFile(folder, nil, 0o666)) // a file in place of the folder stops root too
		j := stream.Job{
			Program: mustCompile(t, input("x", graph.Float32, 64).Mul(2)), Inputs: map[string]stream.Source{"x": stream.Memory(graph.Ones(graph.Float32, 4096, 64))},
			Outputs: map[string]stream.Sink{"out0": sink(filepath.Join(folder, name))}, Rows: 1024,
		}
		_, err := j.Run(t.Context())
		require.ErrorContains(t, err, "output out0: ", name)
		require.ErrorContains(t, err, folder, name)
		j.Outputs["out0"], j.State = new(stream.InMemory), filepath.Join(folder, "state")
		_, err = j.Run(t.Context())
		require.ErrorContains(t, err, folder, name)
	}
}

// TestCancelled ends jobs at each block, with each kind of output, and continues.
func TestCancelled(t *testing.T) {
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 64)
	p := mustCompile(t, input("x", graph.Float32, 64).CumSum(0))
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})["out0"]
	for name, sink := range fullSinks {
		folder := t.TempDir()
		ends := 0
		for {
			ctx, stop := context.WithCancel(t.Context())
			j := stream.Job{
				Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": sink(filepath.Join(folder, name))},
				Rows: 1024, State: filepath.Join(folder, "state"), Progress: func(stream.Progress) { stop() },
			}
			_, err := j.Run(ctx)
			stop()
			if err == nil {
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			ends++
			require.Less(t, ends, 10)
		}
		require.Positive(t, ends)
		switch name {
		case "y.npy":
			got, err := npy.ReadFile(filepath.Join(folder, name))
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		case "y":
			requireFolder(t, filepath.Join(folder, name), want)
		default:
			got, err := zarr.ReadArray(filepath.Join(folder, name))
			require.NoError(t, err)
			require.True(t, graph.Equal(want, got))
		}
	}
}

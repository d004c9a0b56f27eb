package stream_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

var long = flag.Bool("long", false, "read 20 GB, and cut a journal after each byte")

// asJob has the name of a function of jobs: the test binary then runs it in place of tests.
const asJob = "STRIDEFUSE_TEST_JOB"

var jobs = map[string]func(folder string) error{"killed": killedJob, "points": pointsJob}

func TestMain(m *testing.M) {
	if job := jobs[os.Getenv(asJob)]; job != nil {
		if err := job(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// start begins a job in a process of its own.
func start(t *testing.T, job, folder string) *exec.Cmd {
	return startWith(t, job, folder, nil, os.Stdout)
}

func startWith(t *testing.T, job, folder string, in, out *os.File) *exec.Cmd {
	cmd := exec.Command(os.Args[0], folder)
	cmd.Env = append(os.Environ(), asJob+"="+job)
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	if in != nil {
		cmd.Stdin = in
	}
	require.NoError(t, cmd.Start())
	return cmd
}

// killed is a program of three passes, with sums, a scan and a count.
func killed() (*graph.Program, error) {
	x := input("x", graph.Float32, 16)
	z := x.Sub(x.Mean(0)).Div(x.Std(0))
	bin := z.Clip(-4, 4).Add(4).Cast(graph.Int64)
	return graph.Compile(z.CumSum(0), x.Square().Sum(1), z.Sum(0), bin.BinCount(9))
}

// killedJob runs it slowly on files in a folder, and stores what has no rows at the end.
func killedJob(folder string) error {
	p, err := killed()
	if err != nil {
		return err
	}
	file := func(name string) string { return filepath.Join(folder, name) }
	begun, blocks := -1, 0
	j := stream.Job{
		Program: p,
		Inputs:  map[string]stream.Source{"x": stream.File(file("x.npy"))},
		Outputs: map[string]stream.Sink{
			"out0": stream.NewFile(file("scan.npy")), "out1": stream.NewFolder(file("squares")), "out2": stream.NewFile(file("sum.npy")), "out3": stream.NewFile(file("count.npy")),
		},
		Rows: 1024, State: file("state"),
		Progress: func(p stream.Progress) {
			if begun < 0 {
				begun = p.Pass*p.Blocks + p.Block
			}
			blocks++
			fmt.Println()
			os.Stdin.Read(make([]byte, 1)) // the test lets one more block follow
		},
	}
	if _, err := j.Run(context.Background()); err != nil {
		return err
	}
	return os.WriteFile(file("resumed"), fmt.Append(nil, begun, blocks), 0o666)
}

// TestKilled kills a job after random numbers of blocks, by SIGKILL, 50 times: each next process
// continues, and each that comes to the end has the bytes of memory.
func TestKilled(t *testing.T) {
	const kills = 50
	const rows = 30*1024 + 100
	folder := t.TempDir()
	x := graph.Normal(graph.Float32, 1, 3, 2, rows, 16)
	require.NoError(t, npy.WriteFile(filepath.Join(folder, "x.npy"), x))
	p, err := killed()
	require.NoError(t, err)
	want, err := p.RunAll(context.Background(), x)
	require.NoError(t, err)
	done, resumed := 0, 0
	for killed := 0; ; {
		in, out, err := os.Pipe()
		require.NoError(t, err)
		said, lines, err := os.Pipe()
		require.NoError(t, err)
		cmd := startWith(t, "killed", folder, in, lines)
		require.NoError(t, errors.Join(in.Close(), lines.Close()))
		if killed < kills {
			n := 3 + rand.IntN(14)
			_, err := out.Write(make([]byte, n))
			require.NoError(t, err)
			io.ReadFull(said, make([]byte, n)) // fewer if the job ends
			time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
			killed++
			cmd.Process.Kill()
		}
		require.NoError(t, out.Close())
		go io.Copy(io.Discard, said)
		if err := cmd.Wait(); err != nil {
			require.Equal(t, -1, cmd.ProcessState.ExitCode(), "the job failed by itself: %v", err)
			continue
		}
		var begun, blocks int
		text, err := os.ReadFile(filepath.Join(folder, "resumed"))
		require.NoError(t, err)
		_, err = fmt.Sscan(string(text), &begun, &blocks)
		require.NoError(t, err)
		if done++; begun > 1 {
			resumed++
		}
		requireResults(t, folder, want)
		if killed == kills {
			break
		}
	}
	t.Logf("killed %d times; %d runs came to the end, %d of them had resumed", kills, done, resumed)
	require.Positive(t, resumed)
}

// requireResults compares files with results in memory, byte by byte, and removes them.
func requireResults(t *testing.T, folder string, want []*graph.Tensor) {
	for i, name := range []string{"scan.npy", "squares", "sum.npy", "count.npy"}[:len(want)] {
		name = filepath.Join(folder, name)
		if name == filepath.Join(folder, "squares") {
			requireFolder(t, name, want[i])
		} else {
			got, err := npy.ReadFile(name)
			require.NoError(t, err)
			require.True(t, graph.Equal(want[i], got), name)
		}
		require.NoError(t, os.RemoveAll(name))
	}
	left, err := os.ReadDir(filepath.Join(folder, "state"))
	require.NoError(t, err)
	require.Empty(t, left, "the state of a job that is complete")
}

// requireFolder compares the rows of the files in a folder.
func requireFolder(t *testing.T, name string, want *graph.Tensor) {
	extents := []any{graph.Dim("n")}
	for _, k := range want.Shape()[1:] {
		extents = append(extents, k)
	}
	p, err := graph.Compile(graph.Input("x", want.DType(), extents...))
	require.NoError(t, err)
	var got stream.InMemory
	j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Folder(name)}, Outputs: map[string]stream.Sink{"out0": &got}, Rows: 777}
	_, err = j.Run(context.Background())
	require.NoError(t, err)
	require.True(t, graph.Equal(want, got.Tensor), name)
}

package stream_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/formats/npy"
	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// center is a program of two passes.
func center(t require.TestingT) *graph.Program {
	x := input("x", graph.Float32, 4)
	p, err := graph.Compile(x.Sub(x.Mean(0)), x.Max(0))
	require.NoError(t, err)
	return p
}

// TestKindsOfArray reads and writes the same array in each way.
func TestKindsOfArray(t *testing.T) {
	const n = 5000
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	x := graph.Normal(graph.Float32, 1, 0, 1, n, 4)
	require.NoError(t, npy.WriteFile(file("x.npy"), x))
	require.NoError(t, os.Mkdir(file("shards"), 0o777))
	var parts []*graph.Tensor
	for at, i := 0, 0; at < n; i++ {
		end := min(n, at+700*i) // the first has no rows
		parts = append(parts, x.SliceAxis(0, at, end, 1))
		require.NoError(t, npy.WriteFile(file(fmt.Sprintf("shards/%02d.npy", i)), parts[i]))
		at = end
	}
	var seq iter.Seq2[*graph.Tensor, error] = func(yield func(*graph.Tensor, error) bool) {
		for _, p := range parts {
			if !yield(p, nil) {
				return
			}
		}
	}
	p := center(t)
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})["out0"]
	sources := map[string]stream.Source{
		"file": stream.File(file("x.npy")), "folder": stream.Folder(file("shards")), "memory": stream.Memory(x),
		"columns": stream.Memory(x.Permute(1, 0).Contiguous().Permute(1, 0)), "iterator": stream.Iterator(graph.Float32, []int{n, 4}, seq),
	}
	for name, source := range sources {
		out, each := file(name+".npy"), 0
		for _, sink := range []stream.Sink{stream.NewFile(out), stream.NewFolder(file(name)), stream.Each(func(begin int, rows *graph.Tensor) error {
			require.Equal(t, each, begin)
			each += rows.Extent(0)
			return nil
		})} {
			j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": source}, Outputs: map[string]stream.Sink{"out0": sink}, Rows: 1024}
			_, err := j.Run(context.Background())
			require.NoError(t, err, name)
		}
		require.Equal(t, n, each)
		got, err := npy.ReadFile(out)
		require.NoError(t, err)
		require.True(t, graph.Equal(want, got), name)
		requireFolder(t, file(name), want)
	}
}

// TestShards computes ranges of blocks apart: in any order, some of them twice.
func TestShards(t *testing.T) {
	const n, shards = 20*1024 + 5, 3
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	x := graph.Normal(graph.Float32, 1, 0, 1, n, 4)
	p := center(t)
	want := inMemory(t, p, map[string]*graph.Tensor{"x": x})
	job := func() *stream.Job {
		return &stream.Job{
			Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)},
			Outputs: map[string]stream.Sink{"out0": stream.NewFile(file("z.npy"))}, Rows: 2048, State: file("state"),
		}
	}
	_, err := job().Merge(context.Background(), shards)
	require.ErrorIs(t, err, stream.ErrIncomplete)
	for pass := range 2 {
		for _, i := range append(rand.Perm(shards), 1) {
			err := job().Shard(context.Background(), i, shards)
			if err != nil { // range 1 again, of a pass that is not complete everywhere
				require.ErrorIs(t, err, stream.ErrIncomplete)
			}
		}
		if pass == 0 {
			_, err = job().Merge(context.Background(), shards)
			require.ErrorIs(t, err, stream.ErrIncomplete)
			require.ErrorContains(t, err, "pass 1")
		}
	}
	whole, err := job().Merge(context.Background(), shards)
	require.NoError(t, err)
	got, err := npy.ReadFile(file("z.npy"))
	require.NoError(t, err)
	requireSame(t, want, map[string]*graph.Tensor{"out0": got, "out1": whole["out1"]}, "shards")
}

// TestResumeComputesWhatIsDamaged stops a job, changes a byte of what it has left, and
// continues.
func TestResumeComputesWhatIsDamaged(t *testing.T) {
	const n = 10 * 1024
	for _, damage := range []string{"z.npy.part", "state/parts-0-3", "state/states-0-4", "state/journal-0-of-1"} {
		folder := t.TempDir()
		file := func(name string) string { return filepath.Join(folder, name) }
		x := graph.Normal(graph.Float32, 1, 0, 1, n, 4)
		in := input("x", graph.Float32, 4)
		p, err := graph.Compile(in.CumSum(0), in.Sum(0), in.Max(0))
		require.NoError(t, err)
		ctx, stop := context.WithCancel(context.Background())
		computed := 0
		j := stream.Job{
			Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Outputs: map[string]stream.Sink{"out0": stream.NewFile(file("z.npy"))},
			Rows: 1024, State: file("state"),
			Progress: func(p stream.Progress) {
				if computed++; p.Block == 5 {
					stop()
				}
			},
		}
		_, err = j.Run(ctx)
		require.ErrorIs(t, err, context.Canceled)
		data, err := os.ReadFile(file(damage))
		require.NoError(t, err)
		data[len(data)*2/3] ^= 1
		if damage == "z.npy.part" {
			data[300] ^= 1 // of a block that is complete
		}
		require.NoError(t, os.WriteFile(file(damage), data, 0o666))
		computed = 0
		whole, err := j.Run(context.Background())
		require.NoError(t, err)
		require.GreaterOrEqual(t, computed, 6, damage)
		got, err := npy.ReadFile(file("z.npy"))
		require.NoError(t, err)
		whole["out0"] = got
		requireSame(t, inMemory(t, p, map[string]*graph.Tensor{"x": x}), whole, damage)
	}
}

// TestRefusals checks what errors say.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	file := func(name string) string { return filepath.Join(folder, name) }
	var whole bytes.Buffer
	require.NoError(t, npy.Write(&whole, graph.New(graph.Float32, 5000, 4)))
	require.NoError(t, os.WriteFile(file("short.npy"), whole.Bytes()[:2000], 0o666))
	require.NoError(t, os.Mkdir(file("shards"), 0o777))
	require.NoError(t, os.WriteFile(file("shards/1.npy"), whole.Bytes(), 0o666))
	require.NoError(t, os.WriteFile(file("shards/2.npy"), whole.Bytes()[:900], 0o666))
	x := input("x", graph.Float32, 4)
	good := map[string]stream.Source{"x": stream.Memory(graph.New(graph.Float32, 5000, 4))}
	broken := func(yield func(*graph.Tensor, error) bool) {
		if yield(graph.New(graph.Float32, 3000, 4), nil) {
			yield(nil, errors.New("the feed is gone"))
		}
	}
	for _, c := range []struct {
		node graph.Node
		in   stream.Source
		job  stream.Job
		want string
	}{
		{node: x.Sort(0), want: "sort"},
		{node: x.Flip(0), want: "flip: its blocks need other rows than their own"},
		{node: x.Slice("1:"), want: "slice: axis 0 of its shape [n-1,4] is not a multiple of n"},
		{node: x.Index(0, 5), want: "index: it needs rows of several blocks at once"},
		{node: x.MatMul(x.T()), want: "matmul: its shape [n,n] has the rows along two axes"},
		{node: x.Reshape(4, -1), want: "reshape"},
		{node: x.T().Mul(2), want: "its rows along axis 1: Permute"},
		{node: x.Permute(1, 0).Sum(), want: "sum: axes [0 1] are reduced as one line"},
		{node: x.Cast(graph.Float16).CumSum(0), want: "Cast to float32"},
		{node: x.Sum(0), in: stream.File(file("none.npy")), want: "none.npy"},
		{node: x.Sum(0), in: stream.File(file("short.npy")), want: "short.npy: the data ends after 1872 of 80000 bytes"},
		{node: x.Sum(0), in: stream.Folder(file("shards")), want: "2.npy: the data ends after"},
		{node: x.Sum(0), in: stream.Memory(graph.New(graph.Float64, 5, 4)), want: "input x float32[n,4]: the source has float64 [5 4]"},
		{node: x.Sum(0), in: stream.Memory(graph.New(graph.Float32, 0, 4)), want: "there are no rows"},
		{node: x.Sum(0), in: stream.Iterator(graph.Float32, []int{5000, 4}, broken), want: "input x, rows 2048 to 3072: the iterator after row 3000: the feed is gone"},
		{node: x.Sum(0), in: stream.Iterator(graph.Float32, []int{9000, 4}, func(func(*graph.Tensor, error) bool) {}), want: "the iterator ends after 0 of 9000 rows"},
		{node: x.Mul(2), job: stream.Job{Outputs: map[string]stream.Sink{}}, want: "output out0 float32[n,4] has rows and no Sink"},
		{node: x.Sum(0), job: stream.Job{Memory: 1000}, want: "Job.Memory is 0 MB"},
		{node: x.MatMul(graph.Const(graph.New(graph.Float32, 4, 3))), job: stream.Job{Memory: 1}, want: "the fewest that it can have: Job.Memory is 0 MB"},
		{node: x.Median(0), job: stream.Job{Memory: 100_000}, want: "median: what it keeps of all rows until the last one needs about 1 MB, and Job.Memory is 0 MB: raise it, or count the elements by Histogram"},
		{node: x.Sum(0), job: stream.Job{Size: "m"}, want: `no input has a first axis of the size "m"`},
		{node: x.Sum(0), job: stream.Job{Rows: -1}, want: "must not be negative"},
	} {
		p, err := graph.Compile(c.node)
		require.NoError(t, err)
		j := c.job
		j.Program, j.Inputs = p, good
		if c.in != nil {
			j.Inputs = map[string]stream.Source{"x": c.in}
		}
		if j.Rows == 0 {
			j.Rows = 1024
		}
		if j.Outputs == nil {
			j.Outputs = map[string]stream.Sink{"out0": &stream.InMemory{}}
		}
		_, err = j.Run(context.Background())
		require.ErrorContains(t, err, c.want)
		require.True(t, strings.HasPrefix(err.Error(), "stream: "), err)
	}
	ordered := stream.Job{Program: mustCompile(t, x.CumSum(0)), Inputs: good, Outputs: map[string]stream.Sink{"out0": &stream.InMemory{}}, Rows: 1024, State: file("state")}
	require.ErrorContains(t, ordered.Shard(context.Background(), 0, 2), "cumsum: each block needs the result of the block before")
	require.ErrorContains(t, ordered.Shard(context.Background(), 2, 2), "range 2 of 2")
}

// TestStateOfAnotherJob refuses to continue what was begun with another program.
func TestStateOfAnotherJob(t *testing.T) {
	x := input("x", graph.Float32, 4)
	state := t.TempDir()
	run := func(n graph.Node) error {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		j := stream.Job{Program: mustCompile(t, n), Inputs: map[string]stream.Source{"x": stream.Memory(graph.New(graph.Float32, 5000, 4))}, Rows: 1024, State: state}
		j.Progress = func(stream.Progress) { stop() }
		_, err := j.Run(ctx)
		return err
	}
	require.ErrorIs(t, run(x.Sum(0)), context.Canceled)
	require.ErrorContains(t, run(x.Mean(0)), "is the state of another job")
}

func mustCompile(t *testing.T, n graph.Node) *graph.Program {
	p, err := graph.Compile(n)
	require.NoError(t, err)
	return p
}

// chunked is a Source or Sink with chunks of so many rows.
type chunked struct {
	*stream.InMemory
	rows int
}

func (c chunked) ChunkRows(graph.DType, []int) int { return c.rows }

// TestRefusesChunks checks chunks of no rows, and of more than can be aligned.
func TestRefusesChunks(t *testing.T) {
	in := map[string]stream.Source{"x": stream.Memory(graph.New(graph.Float32, 5000, 4))}
	for rows, want := range map[int]string{0: "chunks of 0 rows", -3: "chunks of -3 rows", math.MaxInt / 2: "no number of rows"} {
		x := input("x", graph.Float32, 4)
		p, err := graph.Compile(x, x.Sum(0))
		require.NoError(t, err)
		j := stream.Job{Program: p, Inputs: in, Outputs: map[string]stream.Sink{"out0": chunked{new(stream.InMemory), rows}}}
		_, err = j.Run(context.Background())
		require.ErrorContains(t, err, want)
	}
}

// unread is a Source that is not to be read.
type unread struct {
	stream.Source
	t *testing.T
}

func (u unread) Read(context.Context, int, int, func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	u.t.Fatal("read before the error")
	return nil, nil, nil
}

// TestMemoryIsCheckedFirst has too little memory for an input without rows.
func TestMemoryIsCheckedFirst(t *testing.T) {
	x, w := input("x", graph.Float32, 4), graph.Input("w", graph.Float32, 1<<20, 4)
	j := stream.Job{Program: mustCompile(t, x.Mul(w.Sum(0))), Memory: 1 << 20, Inputs: map[string]stream.Source{
		"x": unread{stream.Memory(graph.New(graph.Float32, 100, 4)), t}, "w": unread{stream.Memory(graph.New(graph.Float32, 1<<20, 4)), t},
	}, Outputs: map[string]stream.Sink{"out0": &stream.InMemory{}}}
	_, err := j.Run(context.Background())
	require.ErrorContains(t, err, "the job needs about")
}

// TestRowsWithoutElements has files of a few bytes with as many rows as there are numbers.
func TestRowsWithoutElements(t *testing.T) {
	x := graph.Input("x", graph.Uint8, graph.Dim("n"), 0)
	name := filepath.Join(t.TempDir(), "x.npy")
	for _, rows := range []int{100, math.MaxInt/4 + 1, math.MaxInt} {
		head, err := npy.Header(graph.Uint8, rows, 0)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(name, head, 0o666))
		run := func(node graph.Node) error {
			none := stream.Each(func(int, *graph.Tensor) error { return nil })
			j := stream.Job{Program: mustCompile(t, node), Inputs: map[string]stream.Source{"x": stream.File(name)}, Outputs: map[string]stream.Sink{"out0": none}}
			_, err := j.Run(context.Background())
			return err
		}
		require.NoError(t, run(x.Add(1)))
		if err := run(x.Sum(1)); rows > 100 {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
		}
	}
}

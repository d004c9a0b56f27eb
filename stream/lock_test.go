package stream_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// TestLocks tries each way to run a job while another one is at a block of it.
func TestLocks(t *testing.T) {
	folder := t.TempDir()
	x := graph.Normal(graph.Float32, 1, 0, 1, 5000, 4)
	job := func(during func()) *stream.Job {
		var once sync.Once
		return &stream.Job{
			Program: mustCompile(t, input("x", graph.Float32, 4).Mul(2)), Inputs: map[string]stream.Source{"x": stream.Memory(x)},
			Outputs: map[string]stream.Sink{"out0": stream.NewFile(filepath.Join(folder, "y.npy"))}, Rows: 1024, State: filepath.Join(folder, "state"),
			Progress: func(stream.Progress) { once.Do(during) },
		}
	}
	other := job(func() {})
	require.NoError(t, job(func() {
		require.ErrorIs(t, other.Shard(t.Context(), 0, 2), stream.ErrInUse)
		require.ErrorContains(t, other.Shard(t.Context(), 0, 2), "range 0 of 2 of the state "+folder)
		require.NoError(t, other.Shard(t.Context(), 1, 2))
		_, err := other.Merge(t.Context(), 2)
		require.ErrorIs(t, err, stream.ErrInUse)
		_, err = other.Run(t.Context())
		require.ErrorIs(t, err, stream.ErrInUse)
	}).Shard(t.Context(), 0, 2))
	_, err := other.Merge(t.Context(), 2)
	require.NoError(t, err)
	_, err = job(func() {
		require.ErrorIs(t, other.Shard(t.Context(), 0, 2), stream.ErrInUse)
		_, err := other.Run(t.Context())
		require.ErrorIs(t, err, stream.ErrInUse)
	}).Run(t.Context())
	require.NoError(t, err)
	left, err := os.ReadDir(filepath.Join(folder, "state"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestLockIsRemoved has jobs begin and end at the same time: each runs alone, or is refused.
func TestLockIsRemoved(t *testing.T) {
	folder := t.TempDir()
	x := graph.Normal(graph.Float32, 1, 0, 1, 2048, 4)
	p := mustCompile(t, input("x", graph.Float32, 4).Sum(0))
	var wait sync.WaitGroup
	var ran [4]int
	for i := range ran {
		wait.Go(func() {
			for range 25 {
				j := stream.Job{Program: p, Inputs: map[string]stream.Source{"x": stream.Memory(x)}, Rows: 1024, State: folder}
				if _, err := j.Run(t.Context()); err == nil {
					ran[i]++
				} else {
					assert.ErrorIs(t, err, stream.ErrInUse)
				}
			}
		})
	}
	wait.Wait()
	require.Positive(t, ran[0]+ran[1]+ran[2]+ran[3])
}

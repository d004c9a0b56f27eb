package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// TestChunkElems has steps shared out that are too small to be worth it.
func TestChunkElems(t *testing.T) {
	for _, c := range []struct{ elems, block, asked, blocks, chunks int }{
		{1000, 4096, 0, 1, 1},
		{1000, 4096, -7, 1, 1},
		{1000, 4096, 7, 143, 143},
		{1000, 4096, 1, 1000, 1000},
		{1000, 4096, 5000, 1, 1},
		{1000, 10, 25, 100, 34}, // whole blocks
		{1000, 10, 30, 100, 34},
		{100_000, 4096, 0, 25, 4},
	} {
		for _, workers := range []int{1, 2, 5} {
			e := &Executor{Workers: workers, ChunkElems: c.asked}
			p := fiveOpsPlan(c.elems, c.block)
			l := check(t, e, p, "")
			s := l.Steps()[0]
			if c.asked > 0 || workers == 1 {
				require.Equal(t, [2]int{c.blocks, c.chunks}, [2]int{s.Blocks, s.Chunks}, c)
			}
			switch {
			case workers == 1 || s.Chunks == 1:
				require.Zero(t, e.Helped())
			case c.asked > 0: // a worker may be late once
				for tries := 0; e.Helped() == 0; tries++ {
					require.Less(t, tries, 1000, c)
					check(t, e, p, "")
				}
			}
		}
	}
}

// A small step has equal chunks for each of the hands.
func TestChunksOfHands(t *testing.T) {
	for _, workers := range []int{1, 2, 3, 4} {
		l := check(t, &Executor{Workers: workers}, fiveOpsPlan(1<<16, 32<<10), "")
		task := l.tasks[0]
		require.Equal(t, max(2, workers), task.chunks)
		require.Equal(t, task.blocks, task.chunks*task.chunk)
	}
}

func TestNewResult(t *testing.T) {
	p := fiveOpsPlan(1000, 4096)
	l, err := (&Executor{}).Link(p)
	require.NoError(t, err)
	outs, ins := operandsFor(t, newRand(), p)
	require.NoError(t, l.Run(context.Background(), outs, ins))
	a, b := l.NewResult(0), l.NewResult(0)
	require.NoError(t, a.Err())
	require.NoError(t, l.Run(context.Background(), []*tensor.Tensor{a}, ins))
	require.True(t, tensor.Equal(outs[0], a))
	require.False(t, tensor.Overlaps(a, b))
	require.True(t, tensor.Equal(b, tensor.New(a.DType(), a.Shape()...)), "it is zero")
	for _, i := range []int{-1, 1} {
		require.ErrorContains(t, l.NewResult(i).Err(), "of a plan that has 1")
	}
}

package stream_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

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

package runtime

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/runtime/abi"
)

// TestBound runs bound tensors again after a kernel has panicked, small tasks and
// shared ones.
func TestBound(t *testing.T) {
	for _, elems := range []int{100, manyChunks} {
		broken := true
		e := &Executor{Workers: 2, lookup: hooked(t, func(*abi.Frame) {
			if broken {
				panic("a reason")
			}
		})}
		p := fiveOpsPlan(elems, 4096)
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operandsFor(t, newRand(), p)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		require.ErrorContains(t, b.Run(context.Background()), "a reason")
		broken = false
		require.NoError(t, b.Run(context.Background()))
		got := outs[0].String()
		require.NoError(t, l.Run(context.Background(), outs, ins))
		require.Equal(t, outs[0].String(), got)
	}
}

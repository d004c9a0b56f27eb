package runtime_test

import (
	"context"
	"fmt"
	goruntime "runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/stridefuse/stridefuse/ir/irtest"
	"github.com/stridefuse/stridefuse/runtime"
)

// hostile is a context that does something when it is asked for the nth time.
type hostile struct {
	context.Context
	left atomic.Int64
	do   func()
}

func (c *hostile) Err() error {
	if c.left.Add(-1) == 0 {
		c.do()
	}
	return nil
}

func (c *hostile) Done() <-chan struct{} { return nil }

// TestHostileContexts: a context that panics is an error, and one that ends the goroutine
// is too, unless it is the goroutine that calls Run. No run hangs, and the next one works.
func TestHostileContexts(t *testing.T) {
	p := negNest(1<<16, 1<<10, 1<<10)
	for _, workers := range []int{1, 3} {
		e := &runtime.Executor{Workers: workers, Tuning: irtest.Machine(1 << 10)}
		l, err := e.Link(p)
		require.NoError(t, err)
		outs, ins := operands(t, p.Buffers)
		b, err := l.Bind(outs, ins)
		require.NoError(t, err)
		for name, run := range map[string]func(context.Context) error{
			"linked": func(ctx context.Context) error { return l.Run(ctx, outs, ins) },
			"bound":  b.Run,
		} {
			for n := int64(1); n < 60; n += 7 {
				for how, do := range map[string]func(){"panics: oh": func() { panic("oh") }, "ended the goroutine": goruntime.Goexit} {
					ctx := &hostile{Context: context.Background(), do: do}
					ctx.left.Store(n)
					ended := make(chan error)
					go func() {
						returned := false
						defer func() {
							if !returned {
								ended <- fmt.Errorf("the caller: %s", how)
							}
						}()
						err := run(ctx)
						returned = true
						ended <- err
					}()
					select {
					case err := <-ended:
						require.ErrorContains(t, err, how, "%s, %d workers, question %d", name, workers, n)
					case <-time.After(time.Minute):
						require.FailNow(t, "the run hangs", "%s, %d workers, question %d", name, workers, n)
					}
					require.NoError(t, run(context.Background()))
				}
			}
		}
		requireResults(t, p, outs, ins)
	}
}

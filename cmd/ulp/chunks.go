package main

import (
	"context"
	"sync"
	"sync/atomic"
)

// inChunks processes chunks 0, 1, ... on several goroutines; start returns the function for one goroutine. show
// receives the number of finished chunks.
func inChunks(ctx context.Context, chunks, workers int, show func(done int), start func() (func(c int) error, error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range min(workers, chunks) {
		do, err := start()
		if err != nil {
			cancel(err)
			break
		}
		wg.Go(func() {
			for ctx.Err() == nil {
				c := int(next.Add(1)) - 1
				if c >= chunks {
					return
				}
				if err := do(c); err != nil {
					cancel(err)
					return
				}
				show(int(done.Add(1)))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

package main

import (
	"context"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/x/embed"
)

// This file makes batches of concurrent requests. Input: requests, each with a context. Output: vectors, or the error of
// the context. While a batch is computed the next requests queue, and then form the next batch: no request waits for
// others to come.

// batcher computes the requests of a queue.
type batcher struct {
	model *embed.Model
	most  int // texts of a batch
	queue chan *request
}

// request is the texts of one caller.
type request struct {
	ctx   context.Context
	texts []string
	done  chan answer // has room for the answer, so that nobody waits for a caller that has gone
}

type answer struct {
	vectors [][]float32
	err     error
}

// embed returns the vectors of texts, at most b.most. It returns when ctx ends, whether or not they are computed.
func (b *batcher) embed(ctx context.Context, texts []string) ([][]float32, error) {
	r := &request{ctx, texts, make(chan answer, 1)}
	select {
	case b.queue <- r:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case a := <-r.done:
		return a.vectors, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// run computes batches until ctx ends.
func (b *batcher) run(ctx context.Context) {
	var next *request // did not fit the batch before
	for {
		batch, size := []*request{}, 0
		add := func(r *request) bool {
			if next = r; size > 0 && size+len(r.texts) > b.most {
				return false
			}
			next = nil
			if r.ctx.Err() == nil {
				batch, size = append(batch, r), size+len(r.texts)
			}
			return true
		}
		if next == nil {
			select {
			case next = <-b.queue:
			case <-ctx.Done():
				return
			}
		}
		for more := add(next); more; {
			select {
			case r := <-b.queue:
				more = add(r)
			default:
				more = false
			}
		}
		b.compute(ctx, batch)
	}
}

// compute answers the requests of a batch.
func (b *batcher) compute(ctx context.Context, batch []*request) {
	var texts []string
	for _, r := range batch {
		texts = append(texts, r.texts...)
	}
	out, err := b.model.Embed(ctx, texts)
	var rows [][]float32
	if err == nil {
		rows, err = graph.Rows[float32](out)
	}
	for _, r := range batch {
		a := answer{err: err}
		if err == nil {
			a.vectors, rows = rows[:len(r.texts)], rows[len(r.texts):]
		}
		r.done <- a
	}
}

package stream

import (
	"context"
	"errors"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
)

// Sink is an array that is written in blocks of its first axis. One goroutine at a time calls its methods.
type Sink interface {
	// Create creates an array, or opens one that an earlier run or another process has partly written, without changing
	// it.
	Create(dt graph.DType, shape []int) error
	// Write stores rows from begin on. The tensor is row-major. The rows may have been written before.
	Write(ctx context.Context, begin int, t *graph.Tensor) error
	// Read returns written rows, as a Source does.
	Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (t *graph.Tensor, release func() error, err error)
	// Commit completes the array after this or other processes have written all rows. It may be called again, also by
	// another process.
	Commit() error
	// Close releases what Create acquired, and keeps the written rows.
	Close() error
}

// InMemory is a Sink in memory. Tensor is set once the job has run.
type InMemory struct{ Tensor *graph.Tensor }

// Create allocates the tensor.
func (m *InMemory) Create(dt graph.DType, shape []int) error {
	if m.Tensor == nil || m.Tensor.DType() != dt || !slices.Equal(m.Tensor.Shape(), shape) {
		m.Tensor = graph.New(dt, shape...)
	}
	return m.Tensor.Err()
}

// Write copies rows into the tensor.
func (m *InMemory) Write(_ context.Context, begin int, t *graph.Tensor) error {
	to := m.Tensor
	if to.Rank() > 0 {
		to = rowsOf(to, begin, begin+t.Extent(0))
	}
	return graph.Copy(to, t)
}

// Read returns rows of the tensor.
func (m *InMemory) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	return memory{m.Tensor}.Read(ctx, begin, end, buffer)
}

// Commit does nothing.
func (m *InMemory) Commit() error { return nil }

// Close does nothing.
func (m *InMemory) Close() error { return nil }

// Each returns a Sink that calls f for each block of rows in order, with the number of the first row. f may use the
// tensor until it returns. A job that continues an earlier one calls f again for all blocks.
func Each(f func(begin int, t *graph.Tensor) error) Sink { return each{f} }

type each struct {
	f func(begin int, t *graph.Tensor) error
}

func (e each) Create(graph.DType, []int) error { return nil }
func (e each) Commit() error                   { return nil }
func (e each) Close() error                    { return nil }

func (e each) Write(_ context.Context, begin int, t *graph.Tensor) error { return e.f(begin, t) }

var errGone = errors.New("the blocks were passed on and are gone")

func (e each) Read(context.Context, int, int, func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	return nil, nil, errGone
}

package stream

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Source is an array that is read in blocks of its first axis, the rows. One goroutine at a time calls its methods. Errors of
// jobs call a Source that is a fmt.Stringer by its text, such as a file's or a column's name.
type Source interface {
	// Open returns the element type and the shape. It is called before Read, perhaps several times.
	Open() (graph.DType, []int, error)
	// Read returns rows begin to end as a row-major tensor, which must not change until release is called. It may use
	// the tensor that buffer returns, which has the right type and shape. Errors name the file or chunk.
	Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (t *graph.Tensor, release func() error, err error)
	// Close releases what Open acquired.
	Close() error
}

// Chunked is a Source or Sink that stores rows in chunks. Blocks are multiples of ChunkRows, which is called after Open
// of a Source and before Create of a Sink, with the element type and the shape of the array. A chunk has the elements
// of at most that many rows.
type Chunked interface {
	ChunkRows(dt graph.DType, shape []int) int
}

// Identified is a Source with a text that changes when its elements change.
type Identified interface{ Identity() string }

func nothing() error { return nil }

// Memory returns a tensor in memory as a Source. Rows are views if the tensor is row-major, otherwise copies.
func Memory(t *graph.Tensor) Source { return memory{t} }

type memory struct{ t *graph.Tensor }

func (m memory) Open() (graph.DType, []int, error) {
	if err := m.t.Err(); err != nil {
		return 0, nil, err
	}
	return m.t.DType(), m.t.Shape(), nil
}

func (m memory) Read(_ context.Context, begin, end int, _ func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	t := m.t
	if t.Rank() > 0 {
		t = rowsOf(t, begin, end)
	}
	t = t.Contiguous()
	return t, nothing, t.Err()
}

// Identity returns a checksum of the elements.
func (m memory) Identity() string {
	if m.t.Rank() == 0 {
		return fmt.Sprint(tensorSum(m.t.Contiguous()))
	}
	sum, n := crc32.New(castagnoli), m.t.Extent(0)
	step := max(1, blockBytes/max(1, rowBytes(m.t.DType(), m.t.Shape())))
	for at := 0; at < n; at += min(step, n-at) {
		sum.Write(binfile.Memory(rowsOf(m.t, at, at+min(step, n-at)).Contiguous()))
	}
	return fmt.Sprint(sum.Sum32())
}

func (m memory) Close() error { return nil }

// Iterator returns a Source of the rows of successive tensors. shape is that of all rows together. Each tensor may have
// any number of rows, and must not change while the job runs. If seq can't be iterated again, the rows can be read only
// once. It is not Identified: a job with a State does not notice that rows have changed.
func Iterator(dt graph.DType, shape []int, seq iter.Seq2[*graph.Tensor, error]) Source {
	return &iterator{dt: dt, shape: slices.Clone(shape), seq: seq}
}

type iterator struct {
	dt    graph.DType
	shape []int
	seq   iter.Seq2[*graph.Tensor, error]

	next func() (*graph.Tensor, error, bool)
	stop func()
	at   int           // number of the next row
	rest *graph.Tensor // unread rows of the last tensor, or nil
}

func (s *iterator) Open() (graph.DType, []int, error) {
	if len(s.shape) == 0 {
		return 0, nil, errors.New("an iterator of rows has a shape with a first axis")
	}
	return s.dt, slices.Clone(s.shape), nil
}

func (s *iterator) Close() error {
	if s.stop != nil {
		s.stop()
	}
	s.next, s.stop, s.rest, s.at = nil, nil, nil, 0
	return nil
}

// Read fills the buffer from tensor after tensor. To go back it restarts the iteration.
func (s *iterator) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	if s.next == nil || begin < s.at {
		s.Close()
		s.next, s.stop = iter.Pull2(s.seq)
	}
	t := buffer()
	for s.at < end {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		if err := s.fill(); err != nil {
			return nil, nil, err
		}
		n := min(s.rest.Extent(0), end-s.at)
		if s.at < begin {
			n = min(n, begin-s.at)
		} else if err := graph.Copy(rowsOf(t, s.at-begin, s.at-begin+n), rowsOf(s.rest, 0, n)); err != nil {
			return nil, nil, err
		}
		s.rest = rowsOf(s.rest, n, s.rest.Extent(0))
		s.at += n
	}
	return t, nothing, nil
}

// fill makes rest hold at least one row.
func (s *iterator) fill() error {
	for s.rest == nil || s.rest.Extent(0) == 0 {
		t, err, ok := s.next()
		switch {
		case !ok:
			return fmt.Errorf("the iterator ends after %d of %d rows", s.at, s.shape[0])
		case err != nil:
			return fmt.Errorf("the iterator after row %d: %w", s.at, err)
		case t.Err() != nil:
			return t.Err()
		case t.DType() != s.dt || t.Rank() != len(s.shape) || !slices.Equal(t.Shape()[1:], s.shape[1:]):
			return fmt.Errorf("the iterator after row %d: a tensor of %s %v among rows of %s %v", s.at, t.DType(), t.Shape(), s.dt, s.shape[1:])
		}
		s.rest = t
	}
	return nil
}

// rowsOf returns the view of some rows.
func rowsOf(t *graph.Tensor, begin, end int) *graph.Tensor { return t.SliceAxis(0, begin, end, 1) }

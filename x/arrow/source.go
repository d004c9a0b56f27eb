package arrow

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// This file reads chunked columns as sources of package stream. Input: a column of a table. Output: blocks of rows: a
// view of a chunk if the block lies within one, otherwise the rows of several chunks in the buffer of the block.

// source is a column, or its validity.
type source struct {
	column *arrow.Column
	make   func(arrow.Array) (*graph.Tensor, error)
	valid  bool
}

// Source returns the values of a column of a table as a stream.Source, with the types of Tensor. The table must be kept
// while the job runs. Chunks with different dictionaries are an error. Errors name the column.
func Source(c *arrow.Column) stream.Source { return &source{column: c, make: Tensor} }

// ValidSource returns for each row of a column whether it is not null: a Source of Bool.
func ValidSource(c *arrow.Column) stream.Source { return &source{column: c, make: Valid, valid: true} }

// Open returns the type and the number of rows.
func (s *source) Open() (graph.DType, []int, error) {
	if s.column == nil {
		return graph.Bool, nil, errors.New("the column is nil")
	}
	if s.valid {
		return graph.Bool, []int{s.column.Len()}, nil
	}
	dt, err := typeOf(s.column.DataType())
	for _, chunk := range s.column.Data().Chunks() {
		if err == nil {
			err = sameDictionary(s.column.Data().Chunk(0), chunk)
		}
	}
	if err != nil {
		return dt, nil, s.fail(err)
	}
	return dt, []int{s.column.Len()}, nil
}

// Close does nothing.
func (s *source) Close() error { return nil }

// String returns the column's name for errors of jobs.
func (s *source) String() string {
	if s.column == nil {
		return "no column"
	}
	return fmt.Sprintf("column %q", s.column.Name())
}

func (s *source) fail(err error) error { return fmt.Errorf("column %q: %w", s.column.Name(), err) }

// Read returns rows begin to end.
func (s *source) Read(_ context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	var out *graph.Tensor
	first := 0 // row of the chunk's first
	for _, chunk := range s.column.Data().Chunks() {
		from, to := max(begin, first), min(end, first+chunk.Len())
		if from < to {
			rows, err := s.rows(chunk, from-first, to-first)
			if err != nil {
				return nil, nil, s.fail(err)
			}
			if from == begin && to == end && rows.IsRowMajor() {
				return rows, nothing, nil
			}
			if out == nil {
				out = buffer()
			}
			if err := graph.Copy(out.SliceAxis(0, from-begin, to-begin, 1), rows); err != nil {
				return nil, nil, s.fail(err)
			}
		}
		first += chunk.Len()
	}
	if out == nil {
		out = buffer()
	}
	return out, nothing, nil
}

// rows returns some rows of a chunk.
func (s *source) rows(chunk arrow.Array, from, to int) (*graph.Tensor, error) {
	part := array.NewSlice(chunk, int64(from), int64(to))
	defer part.Release() // the chunk keeps its memory
	return s.make(part)
}

func nothing() error { return nil }

package arrow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/stream"
)

// This file reads a column of record batches that come one after another, from an IPC or a Parquet file, as a source of
// package stream. Input: a function that opens the file. Output: blocks of rows in the buffers of the job. Invariant: two
// batches are referred to: the first one, for its dictionary, and another only until the reader's next one.

// reader is a column of a file, or its validity.
type reader struct {
	stream.Source // of the rows, after Open
	name          string
	rows          int
	open          func() (array.RecordReader, error)
	make          func(arrow.Array) (*graph.Tensor, error)
	valid         bool
}

// Reader returns the values of a column of record batches, with the types of Tensor, as a stream.Source of rows rows.
// open opens a file from its beginning: it returns an *ipc.Reader, or the reader of Parquet's pqarrow, and is called
// once to learn the type and once for each pass of the job. The rows are copied from the batches to the blocks, so the
// memory is that of two batches beside Job.Memory. A reader is released after each pass; if it has a method Close, as one
// that embeds the reader of arrow-go beside its file, that is called too. Batches with different dictionaries are an
// error. Each column has a reader of its own: let it read only that column. Errors name the column.
func Reader(name string, rows int, open func() (array.RecordReader, error)) stream.Source {
	return &reader{name: name, rows: rows, open: open, make: Tensor}
}

// ValidReader returns for each row of a column whether it is not null: a Source of Bool.
func ValidReader(name string, rows int, open func() (array.RecordReader, error)) stream.Source {
	return &reader{name: name, rows: rows, open: open, make: Valid, valid: true}
}

// Open returns the type and the number of rows.
func (r *reader) Open() (graph.DType, []int, error) {
	batches, at, err := r.begin()
	if err != nil {
		return graph.Bool, nil, r.fail(err)
	}
	defer end(batches)
	dt := graph.Bool
	if !r.valid {
		if dt, err = typeOf(batches.Schema().Field(at).Type); err != nil {
			return dt, nil, r.fail(err)
		}
	}
	r.Source = stream.Iterator(dt, []int{r.rows}, r.tensors())
	return r.Source.Open()
}

// Read returns rows begin to end.
func (r *reader) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	rows, release, err := r.Source.Read(ctx, begin, end, buffer)
	if err != nil {
		err = r.fail(err)
	}
	return rows, release, err
}

// Close releases the reader.
func (r *reader) Close() error {
	if r.Source == nil {
		return nil
	}
	return r.Source.Close()
}

// end releases a reader, and closes one that can be closed.
func end(batches array.RecordReader) {
	batches.Release()
	if c, ok := batches.(io.Closer); ok {
		_ = c.Close() // of a file that was only read
	}
}

// String returns the column's name for errors of jobs.
func (r *reader) String() string { return fmt.Sprintf("column %q", r.name) }

func (r *reader) fail(err error) error { return fmt.Errorf("column %q: %w", r.name, err) }

// begin opens the file and finds the column.
func (r *reader) begin() (batches array.RecordReader, at int, err error) {
	if r.open == nil {
		return nil, 0, errors.New("the function that opens the file is nil")
	}
	batches, err = r.open()
	switch {
	case err != nil:
		return nil, 0, err
	case batches == nil:
		return nil, 0, errors.New("the function that opens the file returned neither a reader nor an error")
	}
	found := batches.Schema().FieldIndices(r.name)
	if len(found) != 1 {
		end(batches)
		return nil, 0, fmt.Errorf("%d columns have this name", len(found))
	}
	return batches, found[0], nil
}

// tensors yields the column's part of each batch, which is valid until the next one.
func (r *reader) tensors() iter.Seq2[*graph.Tensor, error] {
	return func(yield func(*graph.Tensor, error) bool) {
		batches, at, err := r.begin()
		if err != nil {
			yield(nil, err)
			return
		}
		defer end(batches)
		var first arrow.Array
		for batches.Next() {
			a := batches.RecordBatch().Column(at)
			if first == nil {
				first = a
				first.Retain()
				defer first.Release()
			}
			t, err := r.make(a)
			if err == nil && !r.valid {
				err = sameDictionary(first, a)
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
		if err := batches.Err(); err != nil {
			yield(nil, err)
		}
	}
}

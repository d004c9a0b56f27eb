package npy

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Writer writes an array row by row. The number of rows is fixed at Close.
type Writer struct {
	w     io.WriteSeeker
	start int64
	head  header // header of the rows written so far
	err   error  // error of an earlier write, which made the file useless
}

// NewWriter begins an array of the given element type and shape of rows; without extents each row is one number. The
// array begins at the current position of w.
func NewWriter(w io.WriteSeeker, dt graph.DType, row ...int) (*Writer, error) {
	if _, err := binfile.NumBytes(dt, append([]int{1}, row...)); err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	start, err := w.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, err
	}
	out := &Writer{w: w, start: start, head: header{element: element{dtype: dt, parts: 1}, shape: append([]int{0}, row...)}}
	head, err := out.head.bytes()
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	_, err = w.Write(head)
	return out, err
}

// Append writes one row (a tensor of the rows' shape) or several (a tensor with one axis more).
func (w *Writer) Append(t *graph.Tensor) error {
	row := w.head.shape[1:]
	switch {
	case w.err != nil:
		return w.err
	case t.Err() != nil:
		return t.Err()
	case t.Rank() == len(row):
		t = t.Unsqueeze(0)
	case t.Rank() != len(row)+1:
		return fmt.Errorf("npy: a tensor with %d axes appended: a row has %d", t.Rank(), len(row))
	}
	if t.DType() != w.head.dtype || !slices.Equal(t.Shape()[1:], row) {
		return fmt.Errorf("npy: rows of %s %v appended to an array of %s %v", t.DType(), t.Shape()[1:], w.head.dtype, row)
	}
	if w.err = binfile.Write(w.w, t); w.err != nil {
		return w.err
	}
	if t.Extent(0) > math.MaxInt-w.head.shape[0] {
		w.err = errors.New("npy: the number of rows passes int")
		return w.err
	}
	w.head.shape[0] += t.Extent(0)
	return nil
}

// Close writes the number of rows into the header. It does not close the file; the file's
// position is after the array.
func (w *Writer) Close() error {
	if w.err != nil {
		return w.err
	}
	w.err = errors.New("npy: the Writer is closed")
	head, err := w.head.bytes()
	if err != nil {
		return err
	}
	if _, err := w.w.Seek(w.start, io.SeekStart); err != nil {
		return err
	}
	if _, err := w.w.Write(head); err != nil {
		return err
	}
	_, err = w.w.Seek(0, io.SeekEnd)
	return err
}

package zarr

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// The files that describe an array: that of format 3, and that of format 2.
const (
	zarrJSON = "zarr.json"
	zarray   = ".zarray"
)

// Reader reads an array. It is a stream.Source.
type Reader struct {
	folder string
	array  *array
}

// From returns a Reader of the array in a folder. It opens nothing yet.
func From(folder string) *Reader { return &Reader{folder: folder} }

// Open reads zarr.json, or .zarray of format 2, and returns the element type and the shape.
func (r *Reader) Open() (graph.DType, []int, error) {
	name, parse := filepath.Join(r.folder, zarrJSON), parse
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		name, parse = filepath.Join(r.folder, zarray), parse2
		text, err = os.ReadFile(name)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, nil, r.noArray()
	case err != nil:
		return 0, nil, err
	}
	if r.array, err = parse(text); err != nil {
		if kind := binfile.Kind(text); kind != "" {
			err = fmt.Errorf("the file is %s", kind)
		}
		return 0, nil, fmt.Errorf("%s: %w", name, err)
	}
	return r.array.dtype, slices.Clone(r.array.shape), nil
}

// noArray returns the error for a folder without an array.
func (r *Reader) noArray() error {
	if _, err := os.Stat(r.folder); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(r.folder, ".zgroup")); err == nil {
		return fmt.Errorf("%s is a group: name an array in it", r.folder)
	}
	return fmt.Errorf("%s is no array: it has neither %s nor %s", r.folder, zarrJSON, zarray)
}

// ChunkRows returns the number of rows of a chunk, after Open.
func (r *Reader) ChunkRows(graph.DType, []int) int { return r.array.rows() }

func (a *array) rows() int {
	if a == nil || len(a.chunks) == 0 {
		return 1
	}
	return a.chunks[0]
}

// checkRows returns an error unless t fits rows begin to end of the array.
func (a *array) checkRows(begin, end int, t *graph.Tensor) error {
	if err := t.Err(); err != nil {
		return err
	}
	want := slices.Clone(a.shape)
	if len(want) > 0 {
		if begin < 0 || begin > end || end > want[0] {
			return fmt.Errorf("zarr: rows %d to %d of an array of %d rows", begin, end, want[0])
		}
		want[0] = end - begin
	}
	if t.DType() != a.dtype || !slices.Equal(t.Shape(), want) {
		return fmt.Errorf("zarr: a tensor %s%v for rows %d to %d of an array %s%v: it must have shape %v", t.DType(), t.Shape(), begin, end, a.dtype, a.shape, want)
	}
	return nil
}

// Read decodes the chunks that rows begin to end touch, into the tensor that buffer returns.
func (r *Reader) Read(ctx context.Context, begin, end int, buffer func() *graph.Tensor) (*graph.Tensor, func() error, error) {
	a := r.array
	if a == nil {
		return nil, nil, errors.New("zarr: the reader has no array: call Open first")
	}
	t := buffer()
	if err := a.checkRows(begin, end, t); err != nil {
		return nil, nil, err
	}
	from := make([]int, len(a.shape))
	if len(from) > 0 {
		from[0] = begin
	}
	for o := range a.overlaps(begin, end) {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		chunk, err := a.read(r.folder, o.index)
		if err != nil {
			return nil, nil, err
		}
		if err := graph.Copy(view(t, from, o.begin, o.end), view(chunk, a.origin(o.index), o.begin, o.end)); err != nil {
			return nil, nil, err
		}
	}
	return t, func() error { return nil }, nil
}

// Close does nothing.
func (r *Reader) Close() error { return nil }

// ReadArray reads a whole array.
func ReadArray(folder string) (*graph.Tensor, error) {
	r := From(folder)
	dt, shape, err := r.Open()
	if err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	t := graph.New(dt, shape...)
	if err := t.Err(); err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	if _, _, err := r.Read(context.Background(), 0, extent(shape), func() *graph.Tensor { return t }); err != nil {
		return nil, fmt.Errorf("zarr: %w", err)
	}
	return t, nil
}

// extent returns the number of rows; a scalar has one.
func extent(shape []int) int {
	if len(shape) == 0 {
		return 1
	}
	return shape[0]
}

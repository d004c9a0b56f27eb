package zarr

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// Chunks all have the same shape. Those at the ends of axes may have elements outside the array.

// size returns the bytes of a chunk.
func (a *array) size() int {
	n := a.dtype.Size()
	for _, k := range a.chunks {
		n *= k
	}
	return n
}

// file returns the name of a chunk's file.
func (a *array) file(folder string, index []int) string {
	return filepath.Join(folder, filepath.FromSlash(a.key(index)))
}

// read returns a chunk as a tensor. If it has no file, the tensor is the fill value, repeated.
func (a *array) read(folder string, index []int) (*graph.Tensor, error) {
	name := a.file(folder, index)
	t, err := a.readFile(name)
	if err != nil {
		return nil, fmt.Errorf("chunk %v, %s: %w", index, name, err)
	}
	return t, nil
}

func (a *array) readFile(name string) (*graph.Tensor, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.filled(a.chunks)
	case err != nil:
		return nil, err
	case info.Size() > int64(a.most(a, a.size())):
		return nil, fmt.Errorf("%d bytes for a chunk of %d", info.Size(), a.size())
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return a.decode(a, data, a.chunks)
}

// filled returns the fill value, repeated.
func (a *array) filled(shape []int) (*graph.Tensor, error) {
	fill, err := binfile.Tensor(a.dtype, layout.RowMajor(), a.fill)
	if err != nil {
		return nil, err
	}
	fill = fill.Expand(shape...)
	return fill, fill.Err()
}

// write stores a chunk in a file, which appears only when it is complete.
func (a *array) write(folder string, index []int, chunk *graph.Tensor) error {
	name := a.file(folder, index)
	data := binfile.Memory(chunk)
	if a.swap {
		data = slices.Clone(data)
		binfile.Swap(data, a.dtype.Size())
	}
	var err error
	for _, c := range a.codecs {
		if data, err = c.Encode(data); err != nil {
			return fmt.Errorf("chunk %v: %s: %w", index, c.Name(), err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	return replace(name, folder, data)
}

// replace writes a file, which appears only when it is complete.
func replace(name, folder string, data []byte) error {
	return binfile.Replace(name, folder, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// overlap is the intersection of a chunk and some rows: begin to end along each axis of the array.
type overlap struct{ index, begin, end []int }

// overlaps returns the chunks that contain elements of some rows.
func (a *array) overlaps(first, end int) iter.Seq[overlap] {
	rank := len(a.shape)
	lo, hi, o := make([]int, rank), slices.Clone(a.shape), overlap{make([]int, rank), make([]int, rank), make([]int, rank)}
	if rank > 0 {
		lo[0], hi[0] = first, end
	}
	var along func(k int, yield func(overlap) bool) bool
	along = func(k int, yield func(overlap) bool) bool {
		if k == rank {
			return yield(o)
		}
		n := a.chunks[k]
		for c := lo[k] / n; c <= (hi[k]-1)/n; c++ {
			o.index[k], o.begin[k], o.end[k] = c, max(lo[k], c*n), c*n+min(n, hi[k]-c*n)
			if !along(k+1, yield) {
				return false
			}
		}
		return true
	}
	return func(yield func(overlap) bool) {
		for k := range rank {
			if lo[k] >= hi[k] {
				return
			}
		}
		along(0, yield)
	}
}

// view returns the elements of t from begin to end, where the first element of t has index from.
func view(t *graph.Tensor, from, begin, end []int) *graph.Tensor {
	for k := range begin {
		t = t.SliceAxis(k, begin[k]-from[k], end[k]-from[k], 1)
	}
	return t
}

// origin returns the index of a chunk's first element.
func (a *array) origin(index []int) []int {
	at := make([]int, len(index))
	for k, c := range index {
		at[k] = c * a.chunks[k]
	}
	return at
}

package npy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Read reads one array, and no byte after it.
func Read(r io.Reader) (*graph.Tensor, error) {
	t, err := read(r)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return t, nil
}

func read(r io.Reader) (*graph.Tensor, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	n, err := h.size()
	if err != nil {
		return nil, err
	}
	data, err := binfile.Read(r, n)
	if err != nil {
		return nil, err
	}
	if h.swapped() {
		binfile.Swap(data, h.dtype.Size())
	}
	return binfile.Tensor(h.dtype, h.layout(), data)
}

// ReadFile reads a file with one array.
func ReadFile(name string) (*graph.Tensor, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("npy: %s: %w", name, err)
	}
	return t, nil
}

// File is a mapped file with one array.
type File struct {
	Tensor  *graph.Tensor
	mapping *binfile.Mapping
}

// Open maps a file. The elements must have the byte order of this machine; ReadFile takes
// either.
func Open(name string) (*File, error) {
	m, err := binfile.Map(name)
	if err != nil {
		return nil, err
	}
	t, err := view(m, m.Bytes())
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("npy: %s: %w", name, err)
	}
	return &File{t, m}, nil
}

// Close invalidates the tensor and all views of it, which then report an error. Slices of their elements that Data
// returned read as zeros. No program may be running on them.
func (f *File) Close() error { return f.mapping.Close() }

var errSwapped = errors.New("the elements have the other byte order and can't be mapped: use ReadFile")

// view returns the array in data, a part of a mapped file, without a copy. Bytes after the array are ignored, as in
// NumPy.
func view(m *binfile.Mapping, data []byte) (*graph.Tensor, error) {
	r := bytes.NewReader(data)
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	n, err := h.size()
	if err != nil {
		return nil, err
	}
	if h.swapped() {
		return nil, errSwapped
	}
	if n > r.Len() {
		return nil, fmt.Errorf("the data ends after %d of %d bytes", r.Len(), n)
	}
	start := len(data) - r.Len()
	return m.Tensor(h.dtype, h.layout(), data[start:start+n:start+n])
}

// Write writes one array in C order, copying a view of another layout first.
func Write(w io.Writer, t *graph.Tensor) error {
	if err := t.Err(); err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	head, err := header{element: element{dtype: t.DType(), parts: 1}, shape: t.Shape()}.bytes()
	if err != nil {
		return fmt.Errorf("npy: %w", err)
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	return binfile.Write(w, t)
}

// WriteFile writes a file with one array. An existing file stays until the new one is complete, so t may come from it.
func WriteFile(name string, t *graph.Tensor) error {
	return binfile.Save(name, func(w io.Writer) error { return Write(w, t) })
}

package npy

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
)

// Archive is a mapped .npz file: arrays by name.
type Archive struct {
	mapping *binfile.Mapping
	files   map[string]*zip.File
}

// suffix follows the names inside an archive.
const suffix = ".npy"

// OpenArchive maps a file.
func OpenArchive(name string) (*Archive, error) {
	m, err := binfile.Map(name)
	if err != nil {
		return nil, err
	}
	files, err := directory(m.Bytes())
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("npy: %s: %w", name, err)
	}
	return &Archive{m, files}, nil
}

// NewArchive returns the archive in data, such as an embedded file. Its tensors share the memory of data, which still
// belongs to the caller.
func NewArchive(data []byte) (*Archive, error) {
	files, err := directory(data)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	return &Archive{binfile.Over(data), files}, nil
}

// directory returns the arrays of an archive: the members whose names end in .npy, and those that begin as an array
// does. Of two with one name the later counts, as in NumPy: a writer appends what replaces it.
func directory(data []byte) (map[string]*zip.File, error) {
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) { // names in an archive are not paths
		if kind := binfile.Kind(data); kind != "" {
			return nil, fmt.Errorf("the file is %s", kind)
		}
		return nil, err
	}
	files := map[string]*zip.File{}
	for _, f := range r.File {
		if name, ok := strings.CutSuffix(f.Name, suffix); ok || isArray(f) {
			files[name] = f
		}
	}
	return files, nil
}

// isArray reports whether a member begins as an array does.
func isArray(f *zip.File) bool {
	r, err := f.Open()
	if err != nil {
		return false
	}
	defer r.Close()
	var head [len(magic)]byte
	_, err = io.ReadFull(r, head[:])
	return err == nil && string(head[:]) == magic
}

// Names returns the names of the arrays, sorted. Members that are no arrays have none.
func (a *Archive) Names() []string { return slices.Sorted(maps.Keys(a.files)) }

// Tensor returns an array. If it is uncompressed and has this machine's byte order, it is mapped: it becomes invalid at
// Close, and its checksum is not verified. Other arrays are read into new memory.
func (a *Archive) Tensor(name string) (*graph.Tensor, error) {
	f := a.files[name]
	if f == nil {
		return nil, fmt.Errorf("npy: no array is called %q", name)
	}
	t, err := a.tensor(f)
	if err != nil {
		return nil, fmt.Errorf("npy: %s: %w", name, err)
	}
	return t, nil
}

func (a *Archive) tensor(f *zip.File) (*graph.Tensor, error) {
	if f.Method == zip.Store {
		start, err := f.DataOffset()
		if err != nil {
			return nil, err
		}
		all := uint64(len(a.mapping.Bytes()))
		if start < 0 || uint64(start) > all || f.CompressedSize64 > all-uint64(start) {
			return nil, errors.New("the data passes the end of the file")
		}
		t, err := view(a.mapping, a.mapping.Bytes()[start:][:f.CompressedSize64])
		if !errors.Is(err, errSwapped) {
			return t, err
		}
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	t, err := read(r)
	if err != nil {
		return nil, err
	}
	switch n, err := io.CopyN(io.Discard, r, 1); { // reading to the end verifies the checksum
	case n > 0:
		return nil, errors.New("there is data after the array")
	case err != io.EOF:
		return nil, err
	}
	return t, nil
}

// Close invalidates the mapped tensors and all views of them, as File's Close does.
func (a *Archive) Close() error {
	a.files = nil
	return a.mapping.Close()
}

// ArchiveWriter writes a .npz file, one array after the other.
type ArchiveWriter struct {
	// Compress makes the arrays smaller, but slower to read and impossible to map.
	Compress bool

	zip   *zip.Writer
	names map[string]bool
}

// NewArchiveWriter begins an archive.
func NewArchiveWriter(w io.Writer) *ArchiveWriter {
	return &ArchiveWriter{zip: zip.NewWriter(w), names: map[string]bool{}}
}

// Write adds an array.
func (a *ArchiveWriter) Write(name string, t *graph.Tensor) error {
	if err := t.Err(); err != nil {
		return err
	}
	if a.names[name] {
		return fmt.Errorf("npy: an array called %q is there already", name)
	}
	method := zip.Store
	if a.Compress {
		method = zip.Deflate
	}
	w, err := a.zip.CreateHeader(&zip.FileHeader{Name: name + suffix, Method: method})
	if err != nil {
		return err
	}
	a.names[name] = true
	return Write(w, t)
}

// Close completes the archive. It does not close the underlying writer.
func (a *ArchiveWriter) Close() error { return a.zip.Close() }

// WriteArchive writes a .npz file. An existing file stays until the new one is complete.
func WriteArchive(name string, tensors map[string]*graph.Tensor) error {
	return binfile.Save(name, func(w io.Writer) error {
		a := NewArchiveWriter(w)
		for _, name := range slices.Sorted(maps.Keys(tensors)) {
			if err := a.Write(name, tensors[name]); err != nil {
				return err
			}
		}
		return a.Close()
	})
}

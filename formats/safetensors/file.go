package safetensors

import (
	"fmt"
	"maps"
	"slices"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/internal/binfile"
	"github.com/stridefuse/stridefuse/ir/layout"
)

// File is a mapped file.
type File struct {
	mapping  *binfile.Mapping
	entries  map[string]entry
	metadata map[string]string
	data     []byte
}

// Open maps a file and checks its header.
func Open(name string) (*File, error) {
	m, err := binfile.Map(name)
	if err != nil {
		return nil, err
	}
	f, err := open(m)
	if err != nil {
		m.Close()
		return nil, fmt.Errorf("safetensors: %s: %w", name, err)
	}
	return f, nil
}

// New returns the file in data, such as an embedded one. Its tensors share the memory of data, which still belongs to
// the caller.
func New(data []byte) (*File, error) {
	f, err := open(binfile.Over(data))
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	return f, nil
}

func open(m *binfile.Mapping) (*File, error) {
	entries, metadata, data, err := parse(m.Bytes())
	if err != nil {
		if kind := binfile.Kind(m.Bytes()); kind != "" {
			return nil, fmt.Errorf("the file is %s", kind)
		}
		return nil, err
	}
	return &File{m, entries, metadata, data}, nil
}

// Names returns the names of the tensors, sorted.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.entries)) }

// Metadata returns the texts in the file's metadata, or nil if the file has no metadata.
func (f *File) Metadata() map[string]string { return maps.Clone(f.metadata) }

// Tensor returns a tensor over the mapped file, or a copy on a big-endian processor.
func (f *File) Tensor(name string) (*graph.Tensor, error) {
	e, ok := f.entries[name]
	if !ok {
		return nil, fmt.Errorf("safetensors: no tensor is called %q", name)
	}
	dt, ok := dtypes[e.DType]
	if !ok {
		return nil, fmt.Errorf("safetensors: %s: elements of type %q are not read", name, e.DType)
	}
	data := f.data[e.Offsets[0]:e.Offsets[1]:e.Offsets[1]]
	if binfile.BigEndian && dt.Size() > 1 {
		data = slices.Clone(data)
		binfile.Swap(data, dt.Size())
	}
	t, err := f.mapping.Tensor(dt, layout.RowMajor(e.Shape...), data)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %s: %w", name, err)
	}
	return t, nil
}

// Close invalidates the tensors and all views of them, which then report an error. If the file was mapped, slices of
// their elements that graph.Data returned read as zeros. No program may be running on them.
func (f *File) Close() error {
	f.entries, f.data = nil, nil
	return f.mapping.Close()
}

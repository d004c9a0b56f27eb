package binfile

import (
	"sync"
	"unsafe"

	"github.com/stridefuse/stridefuse/graph"
	"github.com/stridefuse/stridefuse/ir/layout"
	"github.com/stridefuse/stridefuse/runtime/tensor"
)

// Mapping is the content of a file. Where the system supports it, the file is mapped into memory, and pages are read
// when they are first used. Elsewhere the whole file is read.
//
// The bytes may be written; that changes neither the file nor what other processes see. The file must not be truncated
// while it is mapped: reading a missing page is a fault that ends the process.
type Mapping struct {
	data    []byte
	release func([]byte) error
	life    tensor.Life
	once    sync.Once
	err     error
}

// Map opens a file. Its name may refer to a symbolic link.
func Map(name string) (*Mapping, error) {
	data, release, err := mapFile(name)
	if err != nil {
		return nil, err
	}
	return &Mapping{data: data, release: release}, nil
}

// Over returns the caller's bytes as a Mapping.
func Over(data []byte) *Mapping { return &Mapping{data: data} }

// Bytes returns the content of the file, valid until Close.
func (m *Mapping) Bytes() []byte { return m.data }

// Tensor returns a tensor over bytes of the file, as the function Tensor does. It fails once the file is closed.
func (m *Mapping) Tensor(dt graph.DType, l layout.Layout, data []byte) (*graph.Tensor, error) {
	if err := check(dt, l, data); err != nil {
		return nil, err
	}
	return tensor.OverFile(dt, l, unsafe.Pointer(unsafe.SliceData(data)), &m.life), nil
}

// Close releases the bytes. Tensors over them, and all views of these, then report an error. Slices of their elements
// can't, and read as zeros: the addresses stay reserved, without memory behind them. Further calls do nothing and
// return the result of the first.
func (m *Mapping) Close() error {
	m.once.Do(func() {
		m.life.End()
		if m.release != nil {
			m.err = m.release(m.data)
		}
		m.data = nil
	})
	return m.err
}

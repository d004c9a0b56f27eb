package binfile

import "sync"

// Mapping is the content of a file. Where the system can, the file is mapped into memory:
// pages are read when they are first used. Elsewhere it is read as a whole.
//
// The bytes may be written; that changes neither the file nor what others see of it. The
// file must not be truncated while it is mapped: reading what is gone is a fault, which
// ends the process.
type Mapping struct {
	data    []byte
	release func([]byte) error
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

// Over returns bytes of the caller's in the form of a mapped file.
func Over(data []byte) *Mapping { return &Mapping{data: data} }

// Bytes returns the content of the file, valid until Close.
func (m *Mapping) Bytes() []byte { return m.data }

// Close releases the bytes, and with them the memory of all tensors over them. Further
// calls do nothing and return what the first returned.
func (m *Mapping) Close() error {
	m.once.Do(func() {
		if m.release != nil {
			m.err = m.release(m.data)
		}
		m.data = nil
	})
	return m.err
}
